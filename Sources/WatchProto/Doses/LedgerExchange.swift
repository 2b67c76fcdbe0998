import Locks
package import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoTransport

/// A device's dose ledger, and its exchange with the ledgers of other devices.
///
/// A new event is durable here first. Then it is queued for the other device. The queue is derived
/// from the ledger: an event that finds no room, or whose record is lost, is found by the next
/// comparison. The phone compares both ledgers each time when the watch becomes reachable.
///
/// All reading and all decisions are pieces of work, one after the other.
package final class LedgerExchange: Sendable {
    struct State {
        /// The session with the other device; nil without one.
        var link: (any LedgerLink)?
        var isReachable = false
        /// Counts the times when the other device became reachable, or stopped being so, and when
        /// the journal was opened again. An answer of an earlier period is passed over.
        var period = 0
        /// Own acts that nobody has looked at yet.
        var acts: [Act] = []
        /// Events whose commit failed: whether they are durable is not known yet.
        var uncertain: Set<UInt128> = []
        /// Events of the other device whose commit failed, by identity.
        var uncertainArrivals: [UInt128: LedgerArrival] = [:]
        /// Events of the other device that nobody has looked at yet.
        var arrived: [LedgerArrival] = []
        /// The newest question that could not be answered yet.
        var unanswered: InboundRecord?
        /// The own records of dose events that are not settled.
        var underWay: [RecordID: UInt128] = [:]
        /// New acts of this device, which go before the backlog.
        var fresh = IdentityQueue()
        /// The events to be queued as soon as few enough are under way.
        var backlog = IdentityQueue()
        /// The events that the other device rejected in this period.
        var refused: Set<UInt128> = []
        /// Whether the queue had no room for an event.
        var needsRoom = false
        /// The comparison under way. On a phone.
        var comparison: LedgerComparison?
        /// The next question, which waits until the backlog is short.
        var question: LedgerRequest?
        /// Whether a comparison is due when nothing is under way; on a watch, the phone's.
        var owesComparison = false
        /// Whether a comparison becomes due after a pause.
        var isPausing = false
        /// Comparisons since an event arrived.
        var comparisons = 0
        var readers: [ElementBuffer<UInt128>] = []
        var isFinished = false

        /// Whether events wait or are under way.
        var isSending: Bool { !(fresh.isEmpty && backlog.isEmpty && underWay.isEmpty) }

        /// Queues events of this ledger that the other device lacks, except those under way and
        /// those that it rejected.
        mutating func sendMissing(_ identities: [UInt128]) {
            let sent = refused.union(underWay.values)
            backlog.append(identities.lazy.filter { !sent.contains($0) })
        }

        mutating func forgetQueue() {
            underWay = [:]
            fresh = IdentityQueue()
            backlog = IdentityQueue()
            needsRoom = false
        }
    }

    let role: DeviceRole
    /// The ledger of this device.
    package let ledger: any LedgerStore
    let state = Mutex(State())
    let work: any LedgerWorker
    private let watching = Mutex<WeakObserver>(WeakObserver())

    private struct WeakObserver: Sendable {
        weak var observer: (any LedgerObserver)?
    }

    /// The exchange of a ledger, without a session.
    package convenience init(_ role: DeviceRole, _ ledger: any LedgerStore) {
        self.init(role, ledger, SerialWork())
    }

    /// An exchange whose work `worker` performs, one piece after the other. For tests.
    package init(_ role: DeviceRole, _ ledger: any LedgerStore, _ worker: any LedgerWorker) {
        self.role = role
        self.ledger = ledger
        work = worker
    }

    /// Reports to `observer`, and to no other.
    package func setObserver(_ observer: any LedgerObserver) {
        watching.withLock { $0.observer = observer }
    }

    var observer: (any LedgerObserver)? { watching.withLock { $0.observer } }

    /// Whether there is nothing to do. For tests that move the clock.
    package var isIdle: Bool { work.isIdle }

    /// Whether nothing is under way to the other device, or waits for it, as far as is known.
    package var isSettled: Bool {
        work.isIdle
            && state.withLock { state in
                state.acts.isEmpty && state.arrived.isEmpty && !state.isSending
                    && state.comparison == nil
                    && !state.owesComparison && !state.isPausing
            }
    }

    // MARK: Sessions

    /// The session with the other device begins.
    package func begin(_ link: any LedgerLink) {
        state.withLock { state in
            state.link = link
            state.forgetQueue()
        }
        // Perhaps the link opened, and records came, before this call.
        reachable(link.isReachable)
        work.add { [self] in receiveArrived() }
    }

    /// The session with the other device has ended.
    package func end() {
        state.withLock { state in
            state.link = nil
            state.arrived = []
            state.forgetQueue()
        }
        beginPeriod(isReachable: false, owesComparison: false)
    }

    /// The session has opened its journal again: records of the failed commit are gone. Called
    /// under the driver's lock.
    package func journalReopened() {
        let isReachable = state.withLock { state in
            state.forgetQueue()
            return state.isReachable
        }
        work.add { [self] in settleUncertain() }
        // This device's queue has lost events that the other device may lack.
        beginPeriod(isReachable: isReachable, owesComparison: true)
    }

    /// The other device can answer from now on, or no longer.
    package func reachable(_ isReachable: Bool) {
        beginPeriod(isReachable: isReachable, owesComparison: role == .phone)
    }

    private func beginPeriod(isReachable: Bool, owesComparison: Bool) {
        state.withLock { state in
            state.isReachable = isReachable
            state.period += 1
            state.comparison = nil
            state.question = nil
            state.comparisons = 0
            state.refused = []
            state.isPausing = false
            state.owesComparison = owesComparison
            if !isReachable { state.unanswered = nil }
        }
        guard isReachable else { return }
        work.add { [self] in
            answerQuestion()
            proceed()
        }
    }

    // MARK: Readers

    /// The identities of events that are new in the ledger from now on.
    func changes() -> ElementBuffer<UInt128> {
        let reader = ElementBuffer<UInt128>()
        let isFinished = state.withLock { state in
            state.readers.removeAll { $0.isFinished }
            if !state.isFinished { state.readers.append(reader) }
            return state.isFinished
        }
        if isFinished { reader.finish() }
        return reader
    }

    func publish(_ events: [DoseEvent]) {
        let readers = state.withLock { $0.readers }
        for reader in readers { for event in events { reader.add(event.id.rawValue) } }
    }

    /// Ends all readers.
    package func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            return state.readers
        }
        for reader in readers { reader.finish() }
    }
}
