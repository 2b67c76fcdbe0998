import Locks
import WatchProto
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords

/// The durable state of a simulated device: its ledger, its queues for the other devices, and its
/// answers to their records.
struct DoseDiskContents {
    /// A record in the queue for another device.
    struct Queued {
        var id: RecordID
        var payload: [UInt8]
    }

    /// The events in the order of their places.
    var events: [(event: DoseEvent, encoding: [UInt8])] = []
    /// The queue for each other device.
    var queues: [Int: [Queued]] = [:]
    /// The answers to each other device's records.
    var answers: [Int: [RecordID: Outcome]] = [:]
}

/// The ledger of a simulated device in its simulated journal. Writes wait for a commit, which may
/// fail.
final class DoseDisk: LedgerStore {
    /// A change that waits for the next commit.
    enum Change {
        case event(DoseEvent, [UInt8])
        case queued(Int, DoseDiskContents.Queued)
        case answered(Int, RecordID, Outcome)
    }

    /// The next commit fails, and is durable all the same or not.
    enum Failure { case lost, durable }

    struct State {
        var contents = DoseDiskContents()
        var ledger = MemoryLedger()
        /// Insertions that nobody has accepted yet.
        var offered: [Change] = []
        var waiting: [Change] = []
        var nextFailure: Failure?
        var isFailed = false
        var failsReads = false
        /// The most records in a queue.
        var room = Int.max
        var nextRecord: UInt64 = 1
        /// The digests that a mutant keeps too long.
        var staleDigests: [LedgerDigest]?
        /// The copy of which a mutant makes use.
        var older: DoseDiskContents?
    }

    let state = Mutex(State())
    let mutant: DoseMutant?
    private static let failure = JournalError(.system, path: "the simulation", "planned")

    init(_ mutant: DoseMutant?) { self.mutant = mutant }

    // MARK: The world's side

    /// Accepts the insertions that were made last, with `changes`.
    func accept(_ changes: [Change]) {
        state.withLock { state in
            state.waiting += state.offered + changes
            state.offered = []
        }
    }

    func discardOffered() { state.withLock { $0.offered = [] } }

    /// Makes the waiting changes durable; false if that fails.
    @discardableResult
    func commit() -> Bool {
        state.withLock { state in
            if state.isFailed { return false }
            if state.waiting.isEmpty { return true }
            let changes = state.waiting
            state.waiting = []
            if let failure = state.nextFailure {
                state.isFailed = true
                state.nextFailure = nil
                if failure == .lost { return false }
            }
            for change in changes { state.apply(change) }
            return !state.isFailed
        }
    }

    /// Replaces everything, as a crash, a wipe or a restore does.
    func begin(with contents: DoseDiskContents?) {
        state.withLock { state in
            state.offered = []
            state.waiting = []
            state.nextFailure = nil
            state.isFailed = false
            state.failsReads = false
            if let contents { state.replace(contents) }
        }
    }

    /// The journal is open again after a failure.
    func openAgain() {
        state.withLock { state in
            state.isFailed = false
            if mutant == .olderState, let older = state.older { state.replace(older) }
        }
    }

    // MARK: The ledger

    private func reading() throws -> MemoryLedger {
        try state.withLock { state in
            if state.failsReads { throw Self.failure }
            return state.ledger
        }
    }

    func event(_ identity: UInt128) throws -> [UInt8]? { try reading().event(identity) }

    func digests() throws -> [LedgerDigest] {
        let digests = try reading().digests()
        guard mutant == .staleDigest else { return digests }
        return state.withLock { state in
            if state.staleDigests == nil { state.staleDigests = digests }
            return state.staleDigests ?? digests
        }
    }

    func identities(in range: ClosedRange<UInt128>) throws -> [UInt128] {
        let identities = try reading().identities(in: range)
        return mutant == .missesIdentity ? identities.dropLast() : identities
    }

    func events(of slot: DoseSlot) throws -> [DoseEvent] { try reading().events(of: slot) }

    func events(on days: ClosedRange<UInt16>) throws -> [DoseEvent] {
        try reading().events(on: days)
    }

    func asNeededEvents(of medication: MedicationID) throws -> [DoseEvent] {
        try reading().asNeededEvents(of: medication)
    }

    func newest(
        of medication: MedicationID?, before place: Int64?, limit: Int
    ) throws -> [(place: Int64, encoding: [UInt8])] {
        let found = try reading().newest(of: medication, before: place, limit: limit)
        return mutant == .countsTwice ? found + found.prefix(1) : found
    }

    func insertion(_ event: DoseEvent, _ encoding: [UInt8]) -> [SQLWrite] {
        state.withLock { $0.offered.append(.event(event, encoding)) }
        return [SQLWrite { _ in }]
    }

    func inserted(_ event: DoseEvent, _ encoding: [UInt8]) {
        // A ledger that counts an event before it is durable.
        guard mutant == .countsBeforeCommit else { return }
        state.withLock { $0.ledger.inserted(event, encoding) }
    }

    func removeAll() -> [SQLWrite] { [] }

    func write(_ writes: [SQLWrite]) throws(JournalError) {
        accept([])
        if mutant == .confirmsEarly { return }
        if !commit() { throw Self.failure }
    }

    func reopen() throws(JournalError) { openAgain() }

    func flush() throws(JournalError) {
        if mutant == .confirmsEarly { return }
        if !commit() { throw Self.failure }
    }
}

extension DoseDisk.State {
    mutating func replace(_ contents: DoseDiskContents) {
        self.contents = contents
        ledger = MemoryLedger()
        for (event, encoding) in contents.events { ledger.inserted(event, encoding) }
    }

    fileprivate mutating func apply(_ change: DoseDisk.Change) {
        switch change {
        case .event(let event, let encoding):
            let isNew = !contents.events.contains { $0.event.id == event.id }
            ledger.inserted(event, encoding)
            if isNew { contents.events.append((event, encoding)) }
        case .queued(let other, let record):
            contents.queues[other, default: []].append(record)
        case .answered(let other, let id, let outcome):
            contents.answers[other, default: [:]][id] = outcome
        }
    }
}
