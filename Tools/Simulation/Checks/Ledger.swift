import WatchProtoCore

/// The facts of one run, gathered from observations alone; the checkers read them.
///
/// A checker sees an observation before the ledger takes it in, so that "already" means "before
/// this".
struct Ledger: Sendable {
    /// By identity, in the order of first observation.
    private(set) var records = OrderedTable<RecordID, RecordFacts>()
    /// The contents of each side's disk: they go back with the disk.
    private(set) var disks = [DiskFacts(), DiskFacts()]
    private var backups: [DiskFacts?] = [nil, nil]
    /// How often each side's process has started.
    private(set) var lives = [0, 0]
    /// How often each side's disk went back or was emptied.
    private(set) var timesBack = [0, 0]
    /// How often another device took the place of each side's, or gave way to it again.
    private(set) var timesExchanged = [0, 0]
    /// The latest moment either wall clock has shown.
    private(set) var latestWallTime = WallTime(milliseconds: .min)
    /// The moment of the observation that is being evaluated.
    var now = Instant.zero
    /// Whether the wall clock of a side was ever set.
    private(set) var hasClockJumped = [false, false]
    /// How far ahead of the world each side's wall clock is, in milliseconds.
    private(set) var wallOffsets: [Int64?] = [nil, nil]
    private var accepted = [[Int]](repeating: [Int](repeating: 0, count: Channel.count), count: 2)
    /// The newest value of each key that its side accepted, and the latest version that was seen.
    private(set) var newest = OrderedTable<KeyName, RecordID>()
    /// The value whose place each value took to which its peer gave a name.
    private var renewed: [RecordID: RecordID] = [:]
    /// The records accepted under each idempotency key.
    private(set) var acts = OrderedTable<ActName, [RecordID]>()
    /// The values of each key that took effect in any history, as fingerprints, by record.
    private(set) var effects = OrderedTable<KeyName, OrderedTable<RecordID, UInt64>>()

    /// An act that is to be done once.
    struct ActName: Hashable, Sendable {
        var side: Int
        var channel: Channel
        var key: UInt128
    }

    /// A key of the values of one side.
    struct KeyName: Hashable, Sendable {
        var side: Int
        var channel: Channel
        var key: RecordKey

        var text: String { "\(channel), key \(key.rawValue) of the \(WorldNames.side(side))" }
    }

    subscript(id: RecordID) -> RecordFacts? { records[id] }

    /// The records that meet a condition, in the order of first observation.
    func select(_ isMeant: (RecordID, RecordFacts) -> Bool) -> [RecordID] {
        zip(records.keys, records.values).filter(isMeant).map { $0.0 }
    }

    /// Whether a disk was emptied, or replaced by an older copy.
    var hasForgotten: Bool { timesBack != [0, 0] }

    /// The keys of values that `side` accepted.
    func keys(of side: Int) -> [(Channel, RecordKey)] {
        newest.keys.filter { $0.side == side }.map { ($0.channel, $0.key) }
    }

    // MARK: Taking observations

    mutating func take(_ observation: RunObservation, side: Int) {
        switch observation {
        case .accepted(let id, let draft): accept(id, draft, side: side)
        case .cancelAsked(let id):
            records.modify(id) { $0.isCancelAsked = true }
        case .delivered(let record, let disposition):
            let life = lives[side]
            let history = timesBack[1 - side]
            let isOnDisk = disks[side].hasTaken(record.id)
            update(record.id, sender: 1 - side) { facts in
                facts.deliveredLife = life
                // A receiver gives again what its disk holds, before it hears of its sender.
                if !isOnDisk { facts.deliveredHistory = history }
                facts.word = disposition
            }
        case .decided(let id, let disposition):
            records.modify(id) { $0.word = disposition }
        case .committed(let write): takeWrite(write, side: side)
        case .tailWritten(let epoch, let channel, let last):
            records.modifyAll { id, facts in
                let isMeant = id.epoch == epoch && id.channel == channel
                if isMeant, id.number.rawValue <= last { facts.wasSettled = true }
            }
        case .renewed(let id, let key, _):
            renewed[id] = newest[KeyName(side: side, channel: id.channel, key: key)]
        case .settledThere(let epoch, let channel, let last):
            for channel in channel.map({ [$0] }) ?? Channel.allCases {
                disks[side].settledThere[epoch, default: [:]][channel] = last
            }
        case .event(let event): takeEvent(event, side: side)
        case .crashed:
            records.modifyAll { id, facts in
                guard facts.sender == side else { return }
                facts.stage = nil
                if !facts.isPromised || !id.channel.traits.isDurable { facts.isOrphan = true }
            }
        case .wiped:
            backups[side] = nil
            goBack(side, to: DiskFacts())
        case .backedUp:
            backups[side] = disks[side]
        case .restored:
            goBack(side, to: backups[side] ?? DiskFacts())
        case .exchanged:
            let other = backups[side] ?? DiskFacts()
            backups[side] = disks[side]
            timesExchanged[side] += 1
            goBack(side, to: other)
        case .started:
            lives[side] += 1
        case .answered(let id, let status):
            records.modify(id) { facts in
                facts.answer = status
                if case .underWay(let stage) = status, stage < .committed { return }
                facts.hasLeft = true
            }
        case .replaced(let id):
            records.modify(id) { $0.isReplaced = true }
        case .wallClock(let time):
            let offset = time.milliseconds - Int64(now.nanoseconds / 1_000_000)
            if let former = wallOffsets[side], abs(offset - former) > 1 {
                hasClockJumped[side] = true
            }
            wallOffsets[side] = offset
            latestWallTime = max(latestWallTime, time)
        default:
            break
        }
    }

    private mutating func accept(_ id: RecordID, _ draft: RecordDraft, side: Int) {
        accepted[side][Int(id.channel.rawValue)] += 1
        records[id] = RecordFacts(
            sender: side, sequence: accepted[side][Int(id.channel.rawValue)], draft: draft,
            acceptedAt: now)
        if let key = draft.key {
            newest[KeyName(side: side, channel: id.channel, key: key)] = id
        }
        if let key = draft.idempotencyKey {
            acts.update(ActName(side: side, channel: id.channel, key: key), default: []) {
                $0.append(id)
            }
        }
    }

    private mutating func takeEvent(_ event: PeerEvent, side: Int) {
        switch event {
        case .progress(let id, let stage):
            update(id, sender: side) { facts in
                facts.isPromised = true
                facts.stage = max(facts.stage ?? stage, stage)
                facts.hasLeft = facts.hasLeft || stage >= .committed
            }
        case .settled(let id, let outcome):
            let life = lives[side]
            update(id, sender: side) { facts in
                facts.outcome = outcome
                facts.outcomeLife = life
            }
        case .renumbered(let id, let present):
            records.modify(id) { facts in
                facts.renamed = present
                facts.isReplaced = true
            }
        case .recovered(let channel, let key, _, _):
            guard let id = newest[KeyName(side: side, channel: channel, key: key)] else { return }
            records.modify(id) { $0.isReplaced = true }
        default:
            break
        }
    }

    private mutating func takeWrite(_ write: ApplicationWrite, side: Int) {
        switch write {
        case .queued(let id):
            // The process may end before its application hears of the other name.
            if let former = renewed[id] { records.modify(former) { $0.isReplaced = true } }
            disks[side].queued.insert(id)
            update(id, sender: side) { $0.wasQueued = true }
        case .settled(let id, let outcome):
            disks[side].outcomes[id] = outcome
            records.modify(id) { $0.wasSettled = true }
        case .effect(let id, let key, let value):
            disks[side].effects.insert(id)
            if let key, id.channel.traits.order == .latestValue {
                let name = KeyName(side: 1 - side, channel: id.channel, key: key)
                effects.update(name, default: OrderedTable()) { $0[id] = value }
            }
            guard let facts = records[id] else { return }
            records.modify(id) { facts in
                facts.wasTaken = true
                facts.tookEffect = true
            }
            if let act = actName(of: id, facts) { disks[side].acts[act] = id }
        case .noted(let id, _, _):
            disks[side].notes.insert(id)
            records.modify(id) { $0.wasTaken = true }
        case .refusal(let id, let code):
            disks[side].refusals[id] = code
            records.modify(id) { facts in
                facts.wasTaken = true
                facts.refusal = code
            }
        }
    }

    /// The disk of `side` holds what it held at its backup.
    private mutating func goBack(_ side: Int, to former: DiskFacts) {
        timesBack[side] += 1
        disks[side] = former
        records.modifyAll { id, facts in
            guard facts.sender == side else {
                facts.receiverWentBack = true
                return
            }
            facts.senderWentBack = true
            facts.outcome = former.outcomes[id]
            facts.answer = nil
        }
    }

    /// Records of latest-value channels may have no acceptance: adopted values and values of a
    /// counterpart that lost state get names of their own. The first observation of such a record
    /// makes its facts.
    private mutating func update(
        _ id: RecordID, sender: Int, _ change: (inout RecordFacts) -> Void
    ) {
        if records[id] == nil, id.mayBeUnnamed {
            records[id] = RecordFacts(sender: sender, sequence: 0, acceptedAt: now)
        }
        records.modify(id, change)
    }
}

extension RecordID {
    /// Whether the peer may make such a record by itself, out of a value that it was given.
    var mayBeUnnamed: Bool { channel.traits.order == .latestValue }
}
