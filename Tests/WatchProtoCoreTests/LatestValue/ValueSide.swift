@testable import WatchProtoCore

/// Kinds of the tests: bytes with a delta that gives the last bytes only, and a removal.
enum TestKinds {
    static let text = ContentKind(rawValue: 1)
    static let removal = ContentKind(rawValue: 2)

    static let table = RecordKinds([
        RecordKind(
            text, byteLimit: 1 << 16,
            makeDelta: { base, next in
                var same = 0
                while same < min(base.count, next.count), base[same] == next[same] { same += 1 }
                guard same < 256, next.count - same + 1 < next.count else { return nil }
                return [UInt8(same)] + (same..<next.count).map { next[$0] }
            },
            applyDelta: { delta, base in
                guard delta.count > 0, Int(delta[0]) <= base.count else { return nil }
                return (0..<Int(delta[0])).map { base[$0] }
                    + (1..<delta.count).map { delta[$0] }
            }),
        RecordKind(removal, byteLimit: 64, isRemoval: true),
    ])
}

/// A stand-in for the room Identity: the epochs of both sides as one side knows them.
struct TestEpochs: KnownEpochs {
    /// Own openings with the ends of their reservations, oldest first.
    var own: [(id: EpochID, end: UInt64)] = []
    /// Of these: what the counterpart has written down.
    var confirmed: [EpochID] = []
    /// The highest version that each own opening gave out.
    var last: [EpochID: UInt64] = [:]
    var known: [EpochID] = []
    var entries: [JournalEntry] = []

    func isKnown(_ epoch: EpochID) -> Bool { known.contains(epoch) }

    mutating func markKnown(_ epoch: EpochID) {
        guard !isKnown(epoch) else { return }
        known.append(epoch)
        entries.append(.epoch(epoch, .known))
    }

    mutating func confirm(_ epoch: EpochID) {
        guard own.contains(where: { $0.id == epoch }), !confirmed.contains(epoch) else { return }
        confirmed.append(epoch)
        entries.append(.epoch(epoch, .confirmed))
    }

    mutating func apply(_ entry: JournalEntry) {
        switch entry {
        case .opened(let id, let end):
            if let place = own.firstIndex(where: { $0.id == id }) {
                own[place].end = end
            } else {
                own.append((id, end))
            }
        case .epoch(let id, .known): if !known.contains(id) { known.append(id) }
        case .epoch(let id, .confirmed): if !confirmed.contains(id) { confirmed.append(id) }
        case .queued(let record), .value(let record, _, _):
            last[record.id.epoch] = max(last[record.id.epoch] ?? 0, record.id.number.rawValue)
        case .numbered(let id, .context, let version): last[id] = max(last[id] ?? 0, version)
        default: break
        }
    }

    /// The epochs of a process once these entries are in its journal.
    static func restored(_ journal: [JournalEntry]) -> TestEpochs {
        var epochs = TestEpochs()
        for entry in journal { epochs.apply(entry) }
        return epochs
    }

    var unconfirmed: [(id: EpochID, end: UInt64)] {
        own.filter { !confirmed.contains($0.id) }
    }

    var newestConfirmed: (id: EpochID, end: UInt64)? {
        own.last { confirmed.contains($0.id) && last[$0.id] != nil }
    }
}

/// The journal of one side: batches under way, and those that are durable.
struct TestJournal {
    var durable: [[JournalEntry]] = []
    var underWay: [(number: UInt64, entries: [JournalEntry])] = []
    var formed: UInt64 = 0

    var entries: [JournalEntry] { durable.flatMap { $0 } }

    /// Forms a batch; nil where there is nothing to write.
    mutating func form(_ entries: [JournalEntry]) -> UInt64? {
        guard !entries.isEmpty else { return nil }
        formed += 1
        underWay.append((formed, entries))
        return formed
    }

    /// The batches under way become durable.
    mutating func commit() -> UInt64? {
        for batch in underWay { durable.append(batch.entries) }
        defer { underWay = [] }
        return underWay.last?.number
    }

    /// A crash: what is under way is forgotten.
    mutating func crash() { underWay = [] }
}
