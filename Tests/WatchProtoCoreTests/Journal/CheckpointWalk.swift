@testable import WatchProtoCore

/// A random walk of two peers whose applications do all that leaves a trace in a journal.
struct CheckpointWalk {
    let pair: PeerPair
    private var random: SeededGenerator
    private var sent: [(side: DeviceRole, id: RecordID)] = []
    private var next: UInt8 = 0
    private var backup: (role: DeviceRole, image: JournalImage)?

    init(seed: UInt64) {
        var conditions = PeerPair.Conditions()
        if seed % 2 == 0 { conditions = .datagrams(loss: 0.1) }
        conditions.seed = seed
        pair = PeerPair(conditions)
        random = SeededGenerator(seed: seed)
        pair.activate()
    }

    /// The images of both sides' journals.
    var images: [JournalImage] { [pair.phone.image, pair.watch.image] }

    mutating func step() {
        let side = random.chance(0.5) ? pair.phone : pair.watch
        side.disposition = [.applied, .applied, .pending, .rejected(code: 9)].randomElement(
            using: &random)!
        switch random.next() % 14 {
        case 0...4: send(side)
        case 5, 6: write(side)
        case 7: if let (role, id) = sent.randomElement(using: &random) { cancel(role, id) }
        case 8, 9: decide(side)
        case 10: pair.cutLink()
        case 11 where random.chance(0.3): pair.crash(side)
        case 12:
            if let (role, image) = backup, random.chance(0.2) {
                pair.restore(role == .phone ? pair.phone : pair.watch, image)
            } else if backup == nil {
                backup = (side.role, side.image)
            }
        default: break
        }
        pair.run(for: .milliseconds(Int64(random.next() % 100)))
    }

    private mutating func send(_ side: PeerPair.Side) {
        next &+= 1
        let channel: Channel = random.chance(0.8) ? .background : .bulk
        var draft = RecordDraft(channel: channel, kind: .opaque, payload: [next])
        if random.chance(0.4) { draft.idempotencyKey = UInt128(random.next() % 5) }
        if random.chance(0.1) { draft.expiresAt = WallTime(milliseconds: 1_700_000_000_500) }
        if let id = try? pair.send(side, draft) { sent.append((side.role, id)) }
    }

    private mutating func write(_ side: PeerPair.Side) {
        next &+= 1
        let isRemoval = random.chance(0.3)
        let channel: Channel = random.chance(0.7) ? .context : .complication
        let draft = RecordDraft(
            channel: channel, kind: isRemoval ? ContentKind(rawValue: 3) : .opaque,
            key: RecordKey(rawValue: UInt128(random.next() % 4)),
            payload: isRemoval ? [] : [next])
        if let id = try? pair.send(side, draft) { sent.append((side.role, id)) }
    }

    private func cancel(_ role: DeviceRole, _ id: RecordID) {
        pair.input(role == .phone ? pair.phone : pair.watch) { $0.cancel(id, at: $1) }
    }

    private mutating func decide(_ side: PeerPair.Side) {
        guard let record = side.delivered.randomElement(using: &random) else { return }
        let word: Disposition = random.chance(0.5) ? .applied : .rejected(code: 3)
        pair.input(side) { $0.decide(record.id, word, at: $1) }
    }
}

extension JournalImage {
    /// The parts in which two images differ. The order of tables that is of no effect is left out.
    func differences(from other: JournalImage) -> [String] {
        var found: [String] = []
        func compare(_ part: String, _ isEqual: Bool) { if !isEqual { found.append(part) } }
        compare("tickets", tickets == other.tickets)
        compare("own epochs", ownEpochs == other.ownEpochs)
        compare("counterpart's epochs", counterpartEpochs == other.counterpartEpochs)
        compare("senders", senders == other.senders)
        for (own, its) in zip(receivers, other.receivers) {
            compare("numbers", own.numbers == its.numbers)
            compare("keys", own.keys == its.keys)
            compare("pending records", own.pending == its.pending)
            compare("followers", own.followers.sorted == its.followers.sorted)
        }
        let (own, its) = (values.values, other.values.values)
        compare("values", own.table == its.table && own.bytes == its.bytes)
        compare("versions", own.highest == its.highest && own.watermark == its.watermark)
        compare(
            "counts",
            own.forgettable == its.forgettable && own.unsettled == its.unsettled
                && own.queued == its.queued)
        compare(
            "outcomes of values",
            values.outcomes.entries.elementsEqual(other.values.outcomes.entries) {
                $0.id == $1.id && $0.value == $1.value
            })
        let (held, theirs) = (heldValues.values, other.heldValues.values)
        compare("held values", held.table == theirs.table && held.bytes == theirs.bytes)
        compare("top and watermark", held.top == theirs.top && held.watermark == theirs.watermark)
        compare("candidates", Set(held.candidates.keys) == Set(theirs.candidates.keys))
        compare("path", path == other.path)
        return found
    }
}

extension OrderedTable where Key == RecordID, Value == [RecordID] {
    fileprivate var sorted: [RecordID: [RecordID]] {
        Dictionary(uniqueKeysWithValues: zip(keys, values))
    }
}
