import Locks
import WatchProto
import WatchProtoCore
import WatchProtoTransport

/// Performs pieces of work when the fuzzer says so.
final class FuzzWork: LedgerWorker {
    private let pieces = Mutex<[@Sendable () -> Void]>([])

    func add(_ piece: @escaping @Sendable () -> Void) { pieces.withLock { $0.append(piece) } }

    /// A pause is over at once.
    func add(_ piece: @escaping @Sendable () -> Void, after pause: Duration) { add(piece) }

    var isIdle: Bool { pieces.withLock { $0.isEmpty } }

    /// Forgets the pieces, as the end of a process does.
    func drop() { pieces.withLock { $0 = [] } }

    /// Performs pieces until there are none.
    ///
    /// - Returns: false if they do not end.
    func run() -> Bool {
        for _ in 0..<1_000 {
            let due = pieces.withLock { pieces in
                defer { pieces = [] }
                return pieces
            }
            if due.isEmpty { return true }
            for piece in due { piece() }
        }
        return false
    }
}

/// A session that keeps what it is given until the fuzzer takes it.
final class FuzzFileLink: FileLink {
    struct Contents {
        /// The messages since the last look. A message that is not taken leaves no trace at the
        /// other device.
        var sent: [(id: RecordID, payload: [UInt8], isTaken: Bool)] = []
        var rejected: [(id: RecordID, code: UInt16)] = []
        /// The own offers that are not settled.
        var own: [OutboundRecord] = []
        /// The messages that were ever sent.
        var count: UInt64 = 0
        var isReachable = true
        /// Whether the queue has room.
        var hasRoom = true
        /// Whether the session takes writes and answers.
        var isOpen = true
    }

    let contents = Mutex(Contents())
    var isReachable: Bool { contents.withLock { $0.isReachable } }
    var roundTripTime: Duration? { nil }

    func withEventsUnderWay(_ body: ([RecordID: UInt128]) -> Void) { body([:]) }

    func withRecordsUnderWay(_ kind: ContentKind, _ body: ([OutboundRecord]) -> Void) {
        body(contents.withLock { $0.own })
    }

    /// No file sends a record alone.
    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID { throw .notReachable }

    func transfer(
        _ drafts: [RecordDraft], accepted: (Int, RecordID) -> Void
    ) -> SendRefusal? {
        for (place, draft) in drafts.enumerated() {
            let (id, isTaken) = contents.withLock { contents in
                contents.count += 1
                let id = RecordID(
                    epoch: EpochID(rawValue: 1), channel: draft.channel,
                    number: RecordNumber(contents.count))
                let isTaken = contents.isReachable && contents.hasRoom
                contents.sent.append((id, draft.payload, isTaken))
                return (id, isTaken)
            }
            guard isTaken else { return isReachable ? .queueFull(records: 0) : .notReachable }
            accepted(place, id)
        }
        return isReachable ? nil : .notReachable
    }

    func applied(_ id: RecordID, writes: [any StoreWrite]) -> Bool {
        contents.withLock { $0.isOpen }
    }

    func rejected(_ id: RecordID, code: UInt16, writes: [any StoreWrite]) -> Bool {
        contents.withLock { contents in
            if contents.isOpen { contents.rejected.append((id, code)) }
            return contents.isOpen
        }
    }

    func write(_ writes: [any StoreWrite]) -> Bool { contents.withLock { $0.isOpen } }

    func ask(_ question: [UInt8], answered: @escaping @Sendable ([UInt8]?) -> Void) {
        answered(nil)
    }

    func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID { throw .notReachable }
}

/// A directory that is gone with everything in it at the end. It is in memory if that has room.
final class FuzzFolder {
    let path: String

    /// Room for the files of a run beside the bytes that a receiver leaves free.
    private static let leastBytes: UInt64 = 1 << 28
    private static let base = ["/dev/shm", "/tmp"].first { hasRoom($0) } ?? "."

    private static func name(in base: String) -> String {
        "\(base)/fuzz-files-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    }

    private static func hasRoom(_ base: String) -> Bool {
        let path = name(in: base)
        defer { Directories.remove(path) }
        do throws(SystemErrorNumber) {
            return try OpenFile(writing: path).freeBytes() >= leastBytes
        } catch {
            return false
        }
    }

    /// Makes it.
    ///
    /// - Throws: the error number; the disk is at fault.
    init() throws(SystemErrorNumber) {
        path = Self.name(in: Self.base)
        try Directories.make(path)
    }

    /// Removes a file, or a directory with everything in it.
    private static func clear(_ path: String) {
        if Directories.isDirectory(path, followsLink: false) {
            for name in Directories.names(in: path) { clear("\(path)/\(name)") }
        }
        Directories.remove(path)
    }

    deinit { Self.clear(path) }
}
