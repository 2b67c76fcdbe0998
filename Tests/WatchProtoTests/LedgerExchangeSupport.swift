import Locks
import WatchProtoCore
import WatchProtoTransport

@testable import WatchProto
@testable import WatchProtoJournal

/// Performs the pieces of work when the test says so.
final class ManualWorker: LedgerWorker {
    private struct State {
        var pieces: [@Sendable () -> Void] = []
        var paused: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    func add(_ piece: @escaping @Sendable () -> Void) {
        state.withLock { $0.pieces.append(piece) }
    }

    func add(_ piece: @escaping @Sendable () -> Void, after pause: Duration) {
        state.withLock { $0.paused.append(piece) }
    }

    var isIdle: Bool { state.withLock { $0.pieces.isEmpty } }

    /// Performs pieces until there are none.
    func run() {
        while !isIdle {
            for piece in state.withLock({ state in
                defer { state.pieces = [] }
                return state.pieces
            }) { piece() }
        }
    }

    /// All pauses are over. Returns their number.
    @discardableResult
    func pass() -> Int {
        let paused = state.withLock { state in
            defer { state.paused = [] }
            return state.paused
        }
        for piece in paused { add(piece) }
        run()
        return paused.count
    }
}

/// A session that keeps what it is given.
final class KeepingLink: LedgerLink {
    struct Contents {
        var sent: [(id: RecordID, draft: RecordDraft)] = []
        var questions: [(bytes: [UInt8], answered: @Sendable ([UInt8]?) -> Void)] = []
        var replies: [[UInt8]] = []
        var applied: [RecordID] = []
        var rejected: [UInt16] = []
        var writes = 0
        /// Writes that go with a record that is sent.
        var writesBeside = 0
        /// Whether the session takes answers of the application.
        var isOpen = true
        /// The most records that it takes.
        var room = Int.max
        /// Whether it takes records now.
        var isReachable = true
        var replyRefusal: SendRefusal?
        var roundTripTime: Duration?
        /// The events that the journal kept in the queue.
        var kept: [RecordID: UInt128] = [:]
    }

    let contents = Mutex(Contents())
    var isReachable: Bool { contents.withLock { $0.isReachable } }
    var roundTripTime: Duration? { contents.withLock { $0.roundTripTime } }

    func withEventsUnderWay(_ body: ([RecordID: UInt128]) -> Void) {
        body(contents.withLock { $0.kept })
    }

    func transfer(
        _ draft: RecordDraft, writes: [any StoreWrite], accepted: (RecordID, Instant) -> Void
    ) throws(SendRefusal) -> RecordID {
        guard isReachable else { throw .notReachable }
        let id = contents.withLock { contents -> RecordID? in
            guard contents.sent.count < contents.room else { return nil }
            let id = Self.record(contents.sent.count + 1)
            contents.sent.append((id, draft))
            contents.writesBeside += writes.count
            return id
        }
        guard let id else { throw .queueFull(records: 0) }
        accepted(id, .zero)
        return id
    }

    func applied(_ id: RecordID, writes: [any StoreWrite]) -> Bool {
        contents.withLock { contents in
            if contents.isOpen { contents.applied.append(id) }
            return contents.isOpen
        }
    }

    func rejected(_ id: RecordID, code: UInt16, writes: [any StoreWrite]) -> Bool {
        contents.withLock { contents in
            contents.rejected.append(code)
            return contents.isOpen
        }
    }

    func write(_ writes: [any StoreWrite]) -> Bool {
        contents.withLock { $0.writes += 1 }
        return true
    }

    func ask(_ question: [UInt8], answered: @escaping @Sendable ([UInt8]?) -> Void) {
        contents.withLock { $0.questions.append((question, answered)) }
    }

    func reply(
        to message: InboundRecord, with payload: [UInt8]
    ) throws(SendRefusal) -> RecordID {
        let refusal = contents.withLock { contents in
            if contents.replyRefusal == nil { contents.replies.append(payload) }
            return contents.replyRefusal
        }
        if let refusal { throw refusal }
        return Self.record(1)
    }

    /// The identities of the events that were sent.
    func identities() -> [UInt128] {
        contents.withLock { $0.sent }.compactMap {
            (try? DoseEvent(decoding: $0.draft.payload))?.id.rawValue
        }
    }

    /// The questions since the last call.
    func questions() -> [LedgerRequest] {
        contents.withLock { $0.questions }.compactMap { try? LedgerRequest($0.bytes) }
    }

    /// Answers the newest question; nil for an answer that is lost.
    func answer(_ reply: LedgerReply?) {
        contents.withLock { $0.questions.last }?.answered(reply?.bytes)
    }

    /// Answers the newest question as a device with these events does.
    func answer(having events: [DoseEvent]) throws {
        let other = try MemoryLedger(of: events)
        let question = try LedgerRequest(contents.withLock { $0.questions.last?.bytes ?? [] })
        var missing: [UInt128] = []
        answer(try question.answer(other, missing: &missing))
    }

    static func record(_ number: Int, _ channel: Channel = .background) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: 1), channel: channel,
            number: RecordNumber(UInt64(number)))
    }
}

extension LedgerRequest {
    /// The digest of a comparison.
    var digest: LedgerDigest? {
        if case .compare(let digest, _, _) = self { digest } else { nil }
    }

    /// A question about all nodes of one digit, in which the asker has no event.
    static let naming = LedgerRequest.nodes(
        LedgerSalt(byte: 7), LedgerNode.root.children.map { Part(node: $0, names: []) })

    /// Whether the question is about nodes.
    var isAboutNodes: Bool { if case .nodes = self { true } else { false } }
}

extension MemoryLedger {
    /// A ledger with these events.
    convenience init(of events: some Sequence<DoseEvent>) throws {
        self.init()
        for event in events { inserted(event, try event.encoded()) }
    }
}

/// A ledger in memory whose disk fails on purpose.
final class FaultyLedger: LedgerStore {
    struct Faults {
        var reading = false
        var writing = false
        /// The bits of fingerprints that are not zero.
        var mask = UInt64.max
        /// Whether events of a failed commit are durable all the same.
        var keepsFailed = false
        var reopenings = 0
        var slotReads = 0
        var failed: [(DoseEvent, [UInt8])] = []
        var given: [(DoseEvent, [UInt8])] = []
    }

    let ledger = MemoryLedger()
    let faults = Mutex(Faults())
    static let failure = JournalError(.system, path: "a file", "the disk is broken")

    private func read() throws { if faults.withLock({ $0.reading }) { throw Self.failure } }

    func event(_ identity: UInt128) throws -> [UInt8]? {
        try read()
        return ledger.event(identity)
    }
    func digests() throws -> [LedgerDigest] {
        try read()
        guard faults.withLock({ $0.mask }) != .max else { return ledger.digests() }
        var digests = [LedgerDigest](repeating: LedgerDigest(), count: LedgerDigest.bucketCount)
        for mark in try marks(in: 0...255) {
            digests[LedgerDigest.bucket(of: mark.fingerprint)].insert(mark.fingerprint)
        }
        return digests
    }
    func marks(in buckets: ClosedRange<Int>) throws -> [LedgerMark] {
        try read()
        let mask = faults.withLock { $0.mask }
        guard mask != .max else { return ledger.marks(in: buckets) }
        return ledger.marks(in: 0...255)
            .map { LedgerMark(identity: $0.identity, fingerprint: $0.fingerprint & mask) }
            .filter { buckets.contains(LedgerDigest.bucket(of: $0.fingerprint)) }
    }
    func events(of slot: DoseSlot) throws -> [DoseEvent] {
        try read()
        faults.withLock { $0.slotReads += 1 }
        return ledger.events(of: slot)
    }
    func events(on days: ClosedRange<UInt16>) throws -> [DoseEvent] {
        try read()
        return ledger.events(on: days)
    }
    func events(
        of medication: MedicationID, at moments: ClosedRange<WallTime>
    ) throws -> [DoseEvent] {
        try read()
        return ledger.events(of: medication, at: moments)
    }
    func events(replacing identity: UInt128) throws -> [DoseEvent] {
        try read()
        return ledger.events(replacing: identity)
    }
    func newest(
        of medication: MedicationID?, before place: Int64?, limit: Int
    ) throws -> [(place: Int64, encoding: [UInt8])] {
        try read()
        return ledger.newest(of: medication, before: place, limit: limit)
    }
    func insertion(_ event: DoseEvent, _ encoding: [UInt8]) -> [SQLWrite] {
        faults.withLock { $0.given.append((event, encoding)) }
        return [SQLWrite { _ in }]
    }
    func inserted(_ event: DoseEvent, _ encoding: [UInt8]) {}
    func checks() throws -> [PairingID: WallMinute] {
        try read()
        return ledger.checks()
    }
    func checked(_ pairing: PairingID, at minute: WallMinute?) -> [SQLWrite] {
        ledger.checked(pairing, at: minute)
    }
    func removeAll() -> [SQLWrite] { ledger.removeAll() }

    func write(_ writes: [SQLWrite]) throws(JournalError) {
        guard !writes.isEmpty else { return }
        let isFailing = faults.withLock { $0.writing }
        try commit(isFailing)
    }
    func reopen() throws(JournalError) { faults.withLock { $0.reopenings += 1 } }
    func flush() throws(JournalError) { try commit(faults.withLock { $0.writing }) }

    private func commit(_ isFailing: Bool) throws(JournalError) {
        let durable = faults.withLock { faults in
            defer { faults.given = [] }
            if isFailing, !faults.keepsFailed { return [(DoseEvent, [UInt8])]() }
            return faults.given
        }
        for (event, encoding) in durable { ledger.inserted(event, encoding) }
        if isFailing { throw Self.failure }
    }
}
