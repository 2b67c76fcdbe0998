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
    /// The last check with each other device.
    var checks: [Int: Check] = [:]

    /// A check: the other ledger was equal.
    struct Check {
        var minute: WallMinute
        /// The comparison behind it.
        var comparison: DoseComparison
        /// Whether the device was asked for its last check when this one was in the future.
        var isForgotten = false
    }
}

/// The part of a comparison that the other device can answer for.
struct DoseComparison {
    /// The events that the other device had for certain.
    var events: Set<UInt128> = []
    /// The latest minute of a check that follows from the comparison (D-23).
    var minute = WallMinute(minutes: .min)
}

/// The ledger of a simulated device in its simulated journal. Writes wait for a commit, which may
/// fail.
final class DoseDisk: LedgerStore {
    /// A change that waits for the next commit.
    enum Change {
        case event(DoseEvent, [UInt8])
        case queued(Int, DoseDiskContents.Queued)
        case answered(Int, RecordID, Outcome)
        case checked(Int, DoseDiskContents.Check?)
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
        /// The other devices whose sessions had changes that failed, and whose journal was not
        /// opened again since then.
        var stopped: Set<Int> = []
        var failsReads = false
        /// The most records in a queue.
        var room = Int.max
        var nextRecord: UInt64 = 1
        /// The digests that a mutant keeps too long.
        var staleDigests: [LedgerDigest]?
        /// The copy of which a mutant makes use.
        var older: DoseDiskContents?
        /// The events that were new when they came from another device, since the two compared
        /// their ledgers, or anything failed.
        var learnt: [Int: Set<UInt128>] = [:]
        /// The last comparison with each other device, whose answer may be that the ledgers are
        /// equal.
        var compared: [Int: DoseComparison] = [:]
        /// Whether nobody has looked at the newest checks.
        var hasNewChecks = false
        /// Other bytes of an event that the device got last.
        var forged: (identity: UInt128, encoding: [UInt8])?
        /// The records with such bytes, and the answers to them since the last check.
        var forgeries: Set<RecordID> = []
        var answeredForgeries: [Outcome] = []
        /// An event that went back to the device it came from.
        var echo: UInt128?
    }

    let state = Mutex(State())
    let mutant: DoseMutant?
    let clock: DoseClock
    private static let failure = JournalError(.system, path: "the simulation", "planned")

    init(_ mutant: DoseMutant?, _ clock: DoseClock) {
        self.mutant = mutant
        self.clock = clock
    }

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
            guard let failure = state.nextFailure else {
                for change in state.takeWaiting() { state.apply(change) }
                return true
            }
            let changes = state.fail()
            if failure == .durable { for change in changes { state.apply(change) } }
            return false
        }
    }

    /// An event leaves for another device. Returns whether a mutant drops it.
    func drops(_ identity: UInt128, to other: Int) -> Bool {
        state.withLock { state in
            if state.learnt[other]?.contains(identity) == true { state.echo = identity }
            return mutant == .holdsArrivals
                && state.learnt.contains { $0.key != other && $0.value.contains(identity) }
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
            state.stopped = []
            state.learnt = [:]
            state.compared = [:]
            guard let contents else { return }
            let checks = state.contents.checks
            state.replace(contents)
            if mutant == .keepsChecks { state.contents.checks = checks }
            state.hasNewChecks = true
        }
    }

    /// A session opens the journal, again if it failed. Without a session, the ledger does so.
    func openAgain(for other: Int? = nil) {
        state.withLock { state in
            if let other { state.stopped.remove(other) }
            guard state.isFailed else { return }
            state.isFailed = false
            if mutant == .olderState, let older = state.older { state.replace(older) }
        }
    }

    // MARK: The ledger

    /// The identities of the durable events.
    var identities: Set<UInt128> {
        state.withLock { Set($0.contents.events.map(\.event.id.rawValue)) }
    }

    func reading() throws -> MemoryLedger {
        try state.withLock { state in
            if state.failsReads { throw Self.failure }
            return state.ledger
        }
    }

    func event(_ identity: UInt128) throws -> [UInt8]? {
        let known = try reading().event(identity)
        guard mutant == .comparesIdentities, known != nil else { return known }
        let forged = state.withLock { $0.forged }
        return forged?.identity == identity ? forged?.encoding : known
    }

    func digests() throws -> [LedgerDigest] {
        let digests = try reading().digests()
        guard mutant == .staleDigest else { return digests }
        return state.withLock { state in
            if state.staleDigests == nil { state.staleDigests = digests }
            return state.staleDigests ?? digests
        }
    }

    func marks(in buckets: ClosedRange<Int>) throws -> [LedgerMark] {
        let marks = try reading().marks(in: buckets)
        return mutant == .missesMark ? marks.dropLast() : marks
    }

    func events(of slot: DoseSlot) throws -> [DoseEvent] { try reading().events(of: slot) }

    func events(on days: ClosedRange<UInt16>) throws -> [DoseEvent] {
        try reading().events(on: days)
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
        if state.withLock({ $0.isFailed }) {
            discardOffered()
            throw Self.failure
        }
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
