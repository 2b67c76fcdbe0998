@testable import WatchProtoCore

/// A journal of one side in a test: entries that are durable, and batches under way.
struct OrderedJournal {
    private(set) var durable: [JournalEntry] = []
    private(set) var underWay: [(batch: UInt64, entries: [JournalEntry])] = []
    private var nextBatch: UInt64 = 1

    mutating func form(_ entries: [JournalEntry]) -> UInt64 {
        defer { nextBatch += 1 }
        underWay.append((nextBatch, entries))
        return nextBatch
    }

    /// The oldest batch becomes durable.
    mutating func commit() -> (batch: UInt64, entries: [JournalEntry])? {
        guard !underWay.isEmpty else { return nil }
        let first = underWay.removeFirst()
        durable += first.entries
        return first
    }

    /// A crash: the batches under way are gone, but perhaps the first ones, whose receipts got
    /// lost.
    mutating func crash(keeping count: Int) -> [JournalEntry] {
        var kept: [JournalEntry] = []
        for batch in underWay.prefix(count) { kept += batch.entries }
        durable += kept
        underWay = []
        nextBatch = 1
        return kept
    }

    mutating func restore(to count: Int) {
        durable.removeLast(durable.count - count)
        underWay = []
        nextBatch = 1
    }
}

/// The fates of records as the entries of a receiver's journal alone tell them; and the promises of
/// order and of exactly once.
struct ReceiverTruth {
    enum State: Hashable { case applied, pending, notApplied }

    private(set) var states: [RecordID: State] = [:]
    private(set) var closed: [EpochID] = []
    private var lastSerial: UInt64 = 0
    /// Order is promised within one history of the sender; a restore begins another.
    var checksOrder = true
    private var acts: [UInt64: State] = [:]
    private var actOf: [RecordID: UInt64] = [:]
    private var faults: [String] = []

    /// The broken promises since the last call.
    mutating func takeFaults() -> [String] {
        defer { faults = [] }
        return faults
    }

    static func state(_ word: Disposition) -> State {
        switch word {
        case .applied: .applied
        case .pending: .pending
        case .rejected: .notApplied
        }
    }

    mutating func apply(_ entry: JournalEntry) {
        switch entry {
        case .received(let record, let word, _):
            if states[record.id] != nil { faults.append("\(record.id) is delivered twice") }
            states[record.id] = Self.state(word)
            guard record.kind == Payload.kind else { return }
            let (serial, act) = Payload.read(record.payload)
            if checksOrder, serial <= lastSerial {
                faults.append("serial \(serial) after \(lastSerial)")
            }
            lastSerial = serial
            if let former = acts[act], former != .notApplied {
                faults.append("act \(act) is delivered twice")
            }
            acts[act] = Self.state(word)
            actOf[record.id] = act
        case .decided(let id, let word):
            states[id] = Self.state(word)
            if let act = actOf[id] { acts[act] = Self.state(word) }
        case .passed(let epoch, let channel, let number, _, _):
            let id = RecordID(epoch: epoch, channel: channel, number: RecordNumber(number))
            if states[id] != nil { faults.append("\(id) ends after its delivery") }
            states[id] = .notApplied
        case .repeated(let id, _, let word): states[id] = Self.state(word)
        case .epoch(let id, .closed): closed.append(id)
        default: break
        }
    }
}

/// The payload of test records: a serial number in the order of acceptance, and the act.
enum Payload {
    /// Records of this kind have such a payload.
    static let kind = ContentKind(rawValue: 77)

    static func make(serial: UInt64, act: UInt64, bytes: Int = 0) -> [UInt8] {
        var writer = WireWriter()
        writer.uint64(serial)
        writer.uint64(act)
        return writer.bytes + [UInt8](repeating: 7, count: bytes)
    }

    static func read(_ bytes: [UInt8]) -> (serial: UInt64, act: UInt64) {
        var reader = WireReader(bytes.span)
        let serial = (try? reader.uint64("serial")) ?? 0
        return (serial, (try? reader.uint64("act")) ?? 0)
    }
}
