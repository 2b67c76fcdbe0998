import Locks
import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// The exchange of this device's ledger with that of one other device, in one session.
///
/// The phone compares both ledgers each time when the watch becomes reachable.
package final class LedgerExchange: Sendable {
    struct State {
        /// The session with the other device; nil before it begins and after it ended.
        var link: (any LedgerLink)?
        /// The pairing with the other device.
        var pairing = PairingID(rawValue: 0)
        /// The minute of the newest check; nil if there was none since the journal was opened.
        var checked: WallMinute?
        /// The minute for which the application asked for a comparison, in this period.
        var asked: WallMinute?
        var isReachable = false
        /// Counts the times when the other device became reachable, or stopped being so, and when
        /// the journal was opened again. An answer of an earlier period is passed over.
        var period = 0
        /// Events of the other device that nobody has looked at yet.
        var arrived: [LedgerArrival] = []
        /// The newest question that could not be answered yet.
        var unanswered: (record: InboundRecord, arrival: (wall: WallTime, uptime: Instant))?
        /// The own records of dose events that are not settled.
        var underWay: [RecordID: UInt128] = [:]
        /// New events, which go before the backlog.
        var fresh = IdentityQueue()
        /// The events to be queued as soon as few enough are under way.
        var backlog = IdentityQueue()
        /// The events that the other device rejected in this period.
        var refused: Set<UInt128> = []
        /// The newest events that the other device applied or sent in this connection. It has them.
        /// A question or an answer may tell an earlier state.
        private var held = IdentityQueue()
        /// The number of times that `held` was emptied.
        private(set) var heldRound = 0
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

        /// Whether events wait or are under way.
        var isSending: Bool { !(fresh.isEmpty && backlog.isEmpty && underWay.isEmpty) }

        /// The most events in `held`. An older one may be sent twice, which costs bytes alone.
        private static let heldLimit = 1_024

        /// The other device has applied an event, or has sent it.
        mutating func holds(_ identity: UInt128) {
            // A comparison that began before may have found it missing.
            backlog.remove(identity)
            fresh.remove(identity)
            guard !held.contains(identity) else { return }
            if held.count == Self.heldLimit { held.removeFirst() }
            held.append(CollectionOfOne(identity))
        }

        /// Queues events of this ledger that the other device lacks, except those under way, those
        /// that it rejected, and those that it has.
        mutating func sendMissing(_ identities: [UInt128]) {
            let (sent, held) = (refused.union(underWay.values), held)
            backlog.append(identities.lazy.filter { !sent.contains($0) && !held.contains($0) })
        }

        /// The other device may have lost events.
        mutating func forgetHeld() {
            held = IdentityQueue()
            heldRound += 1
        }

        /// Whether the other device has not rejected all of these events in this period.
        func mayTake(_ identities: [UInt128]) -> Bool {
            identities.contains { !refused.contains($0) }
        }

        /// Forgets the events that wait in memory alone. A comparison finds them again.
        mutating func forgetWaiting() {
            fresh = IdentityQueue()
            backlog = IdentityQueue()
            needsRoom = false
            checked = nil
        }
    }

    let ledger: DeviceLedger
    let state = Mutex(State())

    /// An exchange whose session has not begun.
    package init(_ ledger: DeviceLedger) { self.ledger = ledger }

    var role: DeviceRole { ledger.role }
    var store: any LedgerStore { ledger.store }
    var work: any LedgerWorker { ledger.work }
    var link: (any LedgerLink)? { state.withLock { $0.link } }
    var pairing: PairingID { state.withLock { $0.pairing } }

    /// Whether nothing is under way to the other device, or waits for it, as far as is known.
    package var isSettled: Bool {
        !isSending && work.isIdle
            && state.withLock { state in
                state.comparison == nil && !state.owesComparison && !state.isPausing
            }
    }

    /// Whether events wait for the queue to the other device, are under way to it, or came from it
    /// and are not in the ledger yet.
    var isSending: Bool { state.withLock { $0.isSending || !$0.arrived.isEmpty } }

    // MARK: Sessions

    /// The session with the other device begins.
    package func begin(_ link: any LedgerLink, with pairing: PairingID) {
        state.withLock { state in
            state.link = link
            state.pairing = pairing
            state.forgetWaiting()
        }
        findUnderWay(link)
        ledger.add(self)
        // Perhaps the link opened, and records came, before this call.
        reachable(link.isReachable)
        work.add { [self] in receiveArrived() }
    }

    /// The session with the other device has ended.
    package func end() {
        ledger.remove(self)
        state.withLock { state in
            state.link = nil
            state.arrived = []
            state.forgetWaiting()
            state.underWay = [:]
        }
        beginPeriod(isReachable: false, owesComparison: false)
    }

    /// The session has opened its journal again: records of the failed commit are gone. Called
    /// under the driver's lock.
    package func journalReopened() {
        let isReachable = state.withLock { state in
            state.forgetWaiting()
            return state.isReachable
        }
        work.add { [self] in
            if let link { findUnderWay(link) }
            ledger.settleUncertain()
        }
        // This device's queue has lost events that the other device may lack.
        beginPeriod(isReachable: isReachable, owesComparison: true)
    }

    /// Finds the events that the journal kept in the queue.
    private func findUnderWay(_ link: any LedgerLink) {
        link.withEventsUnderWay { events in
            state.withLock { state in if state.link === link { state.underWay = events } }
        }
    }

    /// A connection begins. Its first question can come before the other device is reachable.
    package func connected() {
        state.withLock { $0.forgetHeld() }
    }

    /// The other device can answer from now on, or no longer.
    package func reachable(_ isReachable: Bool) {
        beginPeriod(isReachable: isReachable, owesComparison: role == .phone)
    }

    /// A new event of the other device has arrived.
    func endRow() { state.withLock { $0.comparisons = 0 } }

    private func beginPeriod(isReachable: Bool, owesComparison: Bool) {
        state.withLock { state in
            state.isReachable = isReachable
            state.period += 1
            state.comparison = nil
            state.question = nil
            state.comparisons = 0
            state.forgetHeld()
            state.refused = []
            state.asked = nil
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
}
