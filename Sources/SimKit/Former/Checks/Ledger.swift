import WatchProto

/// The facts of one run, gathered from sights alone; the checkers read them.
///
/// A checker sees a sight before the ledger takes it in, so that "already" means "before this".
struct Ledger: Sendable {
    /// By identity, in the order of first sight.
    private(set) var records = OrderedTable<RecordID, RecordFacts>()
    /// How often each side's process has started.
    private(set) var lives = [0, 0]
    /// The latest moment either wall clock has shown.
    private(set) var latestWallTime = WallTime(milliseconds: .min)
    /// The moment of the sight that is being judged.
    var now = Instant.zero
    /// Whether the wall clock of a side was ever set.
    private(set) var hasClockJumped = [false, false]
    /// Whether a side's clock was set back, and its disk replaced or emptied: which of its openings
    /// was the later one nobody can tell then.
    func isMisled(_ side: Int) -> Bool { wasSetBack[side] && hasGoneBack[side] }
    private var wasSetBack = [false, false]
    private var hasGoneBack = [false, false]
    /// How far ahead of the world each side's wall clock is, in milliseconds.
    private(set) var wallOffsets: [Int64?] = [nil, nil]
    /// A disk was emptied, or replaced by an older copy.
    private(set) var hasForgotten = false
    /// The facts at each side's last backup.
    private var backups: [OrderedTable<RecordID, RecordFacts>?] = [nil, nil]
    private var accepted = [[Int]](repeating: [Int](repeating: 0, count: Lane.count), count: 2)
    /// The newest accepted record of each key, by sending side and lane.
    private var newest = OrderedTable<KeyName, RecordID>()
    /// The record given last of each key, by sending side and lane.
    private var newestGiven = OrderedTable<KeyName, RecordID>()

    /// The records accepted under each idempotency key.
    private var acts = OrderedTable<ActName, [RecordID]>()

    /// What is to be done once.
    struct ActName: Hashable, Sendable {
        var side: Int
        var lane: Lane
        var key: UInt128
    }

    struct KeyName: Hashable, Sendable {
        var side: Int
        var lane: Lane
        var key: RecordKey
    }

    subscript(id: RecordID) -> RecordFacts? { records[id] }

    /// Whether `side` accepted a newer value of the same key, or its peer sent one by itself, of
    /// which a backup of its disk need not know.
    func hasSuccessor(_ id: RecordID, _ facts: RecordFacts) -> Bool {
        guard let key = facts.draft?.key else { return id.lane.traits.order == .newestPerKey }
        let name = KeyName(side: facts.sender, lane: id.lane, key: key)
        if let given = newestGiven[name], given != id {
            if given.epoch == id.epoch, given.number > id.number { return true }
            // The same value, sent again to a side that had lost it; a backup forgets that.
            if let again = records[given], again.draft == nil, again.acceptedAt > facts.acceptedAt {
                return true
            }
        }
        return newest[name].map { $0 != id } ?? false
    }

    /// The other records that the same side accepted in the same lane under the same idempotency
    /// key.
    func siblings(of id: RecordID, _ facts: RecordFacts) -> [RecordFacts] {
        guard let key = facts.draft?.idempotencyKey else { return [] }
        let name = ActName(side: facts.sender, lane: id.lane, key: key)
        return (acts[name] ?? []).compactMap { $0 == id ? nil : records[$0] }
    }

    mutating func take(_ sight: Sight, side: Int) {
        switch sight {
        case .accepted(let id, let draft):
            let sequence = nextSequence(side, id.lane)
            let facts = RecordFacts(
                sender: side, sequence: sequence, draft: draft, acceptedAt: now)
            records[id] = facts
            if let key = draft.key {
                newest[KeyName(side: side, lane: id.lane, key: key)] = id
            }
            if let key = draft.idempotencyKey {
                acts.update(ActName(side: side, lane: id.lane, key: key), default: []) {
                    $0.append(id)
                }
            }
        case .cancelAsked(let id):
            records.modify(id) { $0.isCancelAsked = true }
        case .delivered(let record, let disposition):
            let life = lives[side]
            if let key = record.key {
                newestGiven[KeyName(side: 1 - side, lane: record.id.lane, key: key)] = record.id
            }
            update(record.id, sender: 1 - side) { facts in
                facts.deliveredLife = life
                facts.givenLife = life
                facts.word = disposition
            }
        case .decided(let id, let disposition):
            records.modify(id) { $0.word = disposition }
        case .committed(.queued(let id)):
            update(id, sender: side) { $0.wasCommittedAtOrigin = true }
        case .committed(let write):
            takeWrite(write)
        case .event(.progress(let id, let stage)):
            update(id, sender: side) { facts in
                facts.isPromised = true
                facts.stage = max(facts.stage ?? stage, stage)
                facts.hasLeft = facts.hasLeft || stage >= .committed
            }
        case .event(.settled(let id, let outcome)):
            let life = lives[side]
            update(id, sender: side) { facts in
                facts.outcome = outcome
                facts.outcomeLife = life
            }
        case .crashed:
            records.modifyAll { id, facts in
                guard facts.sender == side else { return }
                facts.stage = nil
                facts.heardLife = facts.keptLife
                if !facts.isPromised { facts.isOrphan = true }
                if !id.lane.traits.isDurable { facts.isOrphan = true }
            }
        case .wiped:
            backups[side] = nil
            goBack(side, to: OrderedTable())
        case .backedUp:
            backups[side] = records
        case .restored:
            goBack(side, to: backups[side] ?? OrderedTable())
        case .started:
            lives[side] += 1
        case .heard(let id, let life):
            // Of one that was known by its idempotency key, nothing was given under its own name.
            let present = lives[1 - side]
            records.modify(id) { $0.heardLife = life ?? $0.givenLife ?? present }
        case .answered(let id, let status):
            if case .settled(let outcome) = status { records.modify(id) { $0.answer = outcome } }
            if case .underWay(let stage) = status, stage < .committed { break }
            records.modify(id) { $0.hasLeft = true }
        case .wallClock(let time):
            let offset = time.milliseconds - Int64(now.nanoseconds / 1_000_000)
            if let former = wallOffsets[side], abs(offset - former) > 1 {
                hasClockJumped[side] = true
                if offset < former { wasSetBack[side] = true }
            }
            wallOffsets[side] = offset
            latestWallTime = max(latestWallTime, time)
        default:
            break
        }
    }

    /// The disk of `side` holds what it held when `former` were the facts. What it promised since
    /// is forgotten with it, and so is what the other side's records did there; what the other side
    /// has not been told the end of, that side still owes.
    private mutating func goBack(_ side: Int, to former: OrderedTable<RecordID, RecordFacts>) {
        hasForgotten = true
        hasGoneBack[side] = true
        records.modifyAll { id, facts in
            let then = former[id]
            if facts.sender == side {
                let isKnown = facts.outcome != nil || facts.answer != nil
                let wasKnown = then?.outcome != nil || then?.answer != nil
                facts.hasLostOutcome = facts.hasLostOutcome || (isKnown && !wasKnown)
                facts.isForgotten = facts.isForgotten || then?.isPromised != true
                facts.wasLost = facts.wasLost || facts.isForgotten
                (facts.heardLife, facts.keptLife) = (then?.keptLife, then?.keptLife)
                facts.outcome = then?.outcome
                facts.answer = then?.answer
                return
            }
            guard id.lane.traits.isDurable else { return }
            facts.wasLost = facts.wasLost || facts.isOnReceiversDisk || facts.outcome != nil
            if then?.isOnReceiversDisk != true || then?.marks != facts.marks {
                facts.lostLife = lives[side]
            }
            facts.effects = then?.effects ?? 0
            facts.notes = then?.notes ?? 0
            facts.refusals = then?.refusals ?? 0
            if !facts.isOnReceiversDisk { facts.deliveredLife = nil }
        }
    }

    private mutating func takeWrite(_ write: ApplicationWrite) {
        switch write {
        case .effect(let id, _, _): records.modify(id) { $0.effects += 1 }
        case .noted(let id, _, _): records.modify(id) { $0.notes += 1 }
        case .refusal(let id, _): records.modify(id) { $0.refusals += 1 }
        case .heard(let id, let life): records.modify(id) { $0.keptLife = life ?? $0.heardLife }
        case .own, .queued: break
        }
    }

    private mutating func nextSequence(_ side: Int, _ lane: Lane) -> Int {
        accepted[side][Int(lane.rawValue)] += 1
        return accepted[side][Int(lane.rawValue)]
    }

    /// Records of newest-per-key lanes may have no acceptance: complications get their names late,
    /// and a counterpart that lost its values gets them again under new names. The first sight of
    /// such a record makes its facts.
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
    /// Whether the peer may make such a record by itself, out of a value it was given.
    var mayBeUnnamed: Bool { lane.traits.order == .newestPerKey }
}
