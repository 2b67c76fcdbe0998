import WatchProto
import WatchProtoRecords

/// Makes batches of journal entries as a peer would give them, from a seed.
struct BatchSource {
    /// What every payload and name begins with, so that it can be looked for in a file.
    struct Secret {
        var word: [UInt8]
        var name: UInt128

        /// Bytes that stand in a file which holds any of it in clear; of a name, all but the last.
        var traces: [[UInt8]] {
            let bytes = (1...15).reversed().map { UInt8(truncatingIfNeeded: name >> (8 * $0)) }
            return [word, bytes, bytes.reversed()]
        }
    }

    private let family: CrashFamily
    private let secret: Secret?
    private var generator: SeededGenerator
    private var epochs = 0
    private var epoch = EpochID(rawValue: 1)
    private var next = [UInt64](repeating: 1, count: Lane.allCases.count)
    private var open: [RecordID] = []
    private var counterpart = EpochID(rawValue: 2)
    private var counterpartRank: UInt64 = 0
    private var theirNext = [UInt64](repeating: 1, count: Lane.allCases.count)
    private var undecided: [RecordID] = []

    init(family: CrashFamily, seed: UInt64, secret: Secret? = nil) {
        self.family = family
        self.secret = secret
        generator = SeededGenerator(seed: seed)
    }

    /// The next batch: never empty, and legal after all before it.
    mutating func batch() -> [JournalEntry] {
        var entries: [JournalEntry] = []
        if epochs == 0 || generator.chance(0.02) { openEpoch(&entries) }
        for _ in 0..<(1 + below(generator.chance(0.1) ? 40 : 4)) { add(&entries) }
        return entries
    }

    private mutating func add(_ entries: inout [JournalEntry]) {
        let receives: Double =
            switch family {
            case .accept: 0
            case .settle: 0
            case .receive: 1
            default: 0.5
            }
        if generator.chance(receives) {
            receive(&entries)
        } else if family != .accept, !open.isEmpty, generator.chance(0.6) {
            settle(&entries)
        } else {
            accept(&entries)
        }
    }

    // MARK: This side

    private mutating func openEpoch(_ entries: inout [JournalEntry]) {
        let parent = epochs == 0 ? nil : epoch
        let highest = next.map { RecordNumber($0 - 1) }
        epochs += 1
        epoch = EpochID(rawValue: UInt64(epochs) << 8 | 1)
        entries.append(.epochOpened(epoch, parent: parent, parentHighest: highest))
        next = Array(repeating: 1, count: next.count)
        counterpartRank += 1
        let former = counterpartRank > 1 ? counterpart : nil
        counterpart = EpochID(rawValue: UInt64(epochs) << 8 | 2)
        theirNext = Array(repeating: 1, count: theirNext.count)
        entries.append(.counterpartEpoch(counterpart, rank: counterpartRank, parent: former))
    }

    private mutating func accept(_ entries: inout [JournalEntry]) {
        let lane: Lane = generator.chance(0.5) ? .background : .context
        let index = Int(lane.rawValue)
        let id = RecordID(epoch: epoch, lane: lane, number: RecordNumber(next[index]))
        next[index] += 1
        let key = lane == .context ? key() : nil
        let draft = RecordDraft(
            lane: lane, kind: lane == .context ? .medication : .doseEvent, key: key,
            payload: payload())
        entries.append(.queued(OutboundRecord(id: id, draft: draft)))
        open.append(id)
    }

    private mutating func settle(_ entries: inout [JournalEntry]) {
        let place = below(min(open.count, 4))
        let id = open[place]
        if generator.chance(0.4) {
            entries.append(.reached(id, generator.chance(0.5) ? .received : .committed))
            return
        }
        open.remove(at: place)
        let outcome: Outcome =
            switch below(6) {
            case 0: .superseded
            case 1: .cancelled
            case 2: .rejected(code: UInt16(below(1000)))
            default: .applied
            }
        entries.append(.settled(id, outcome))
        if id.epoch != epoch, !open.contains(where: { $0.epoch == id.epoch }) {
            entries.append(.epochRetired(id.epoch))
        }
    }

    // MARK: The counterpart

    private mutating func receive(_ entries: inout [JournalEntry]) {
        if !undecided.isEmpty, generator.chance(0.3) {
            let id = undecided.removeFirst()
            entries.append(.disposed(id, generator.chance(0.9) ? .applied : .rejected(code: 7)))
            return
        }
        let lane: Lane = generator.chance(0.5) ? .background : .context
        let index = Int(lane.rawValue)
        let id = RecordID(epoch: counterpart, lane: lane, number: RecordNumber(theirNext[index]))
        theirNext[index] += 1
        if generator.chance(0.05) {
            entries.append(.withdrawn(id, .cancelled))
        } else if lane == .background, generator.chance(0.05), theirNext[index] > 4 {
            entries.append(.counterpartFloor(counterpart, lane, floor: id.number))
            theirNext[index] -= 1
        } else {
            let key = lane == .context ? key() : nil
            let isPending = lane == .background && generator.chance(0.2)
            if isPending { undecided.append(id) }
            entries.append(
                .received(
                    InboundRecord(
                        id: id, kind: lane == .context ? .medication : .doseEvent, key: key,
                        payload: payload()), isPending ? .pending : .applied))
        }
    }

    private mutating func key() -> RecordKey {
        RecordKey(rawValue: UInt128(below(20) + 1) | (secret?.name ?? 0))
    }

    private mutating func payload() -> [UInt8] {
        let count = generator.chance(0.05) ? below(9_000) : 20 + below(200)
        let seed = UInt8(truncatingIfNeeded: generator.next())
        return (secret?.word ?? []) + (0..<count).map { seed &+ UInt8(truncatingIfNeeded: $0 &* 7) }
    }

    private mutating func below(_ count: Int) -> Int {
        count <= 1 ? 0 : Int(generator.uniform(in: 0...UInt64(count - 1)))
    }
}
