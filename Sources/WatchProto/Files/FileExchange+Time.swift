import Locks
package import WatchProtoCore
import WatchProtoTransport

/// The moments at which the receiver asks for bytes again.
extension FileExchange {
    /// The other device can answer from now on, or no longer. Called under the driver's lock.
    package func reachable(_ isReachable: Bool) {
        state.withLock { state in
            state.isReachable = isReachable
            if !isReachable { state.wanted = nil }
        }
        goOn()
    }

    /// A connection begins. A device can start again before this one counts it as unreachable, and
    /// it knows nothing then of a request of before. Called under the driver's lock.
    package func connected() {
        state.withLock { state in
            for place in state.arrivals.indices {
                state.arrivals[place].isPaused = false
                (state.arrivals[place].retryAt, state.arrivals[place].signal) = (nil, nil)
            }
        }
        goOn()
    }

    private func goOn() {
        guard state.withLock({ $0.isReachable }) else { return }
        center.work.add { [self] in
            give()
            startNext()
            ask(isAnew: true)
            sendSignals()
        }
    }

    /// The moment at which ``wake(at:)`` is due. Called under the driver's lock.
    package var nextDeadline: Instant? {
        state.withLock { state in
            let late = state.isReachable ? state.fetch?.heardAt.advanced(by: Self.pause) : nil
            let again = state.isReachable ? state.signalsDueAt : nil
            let first = Instant.earlier(Instant.earlier(late, again), state.reportsDueAt)
            return state.arrivals.reduce(first) {
                Instant.earlier($0, $1.retryAt)
            }
        }
    }

    /// Asks again if no block has come for a while, as a request may have been passed over, tries a
    /// file again after a failure of a disk, and tells the reports that waited. Called under the
    /// driver's lock.
    package func wake(at now: Instant) {
        let (isLate, isRetry, areSignalsDue, areReportsDue) = state.withLock { state in
            let isLate = state.fetch.map { $0.heardAt.advanced(by: Self.pause) <= now } ?? false
            if isLate { state.fetch?.heardAt = now }
            var isRetry = false
            for place in state.arrivals.indices
            where state.arrivals[place].retryAt.map({ $0 <= now }) ?? false {
                state.arrivals[place].retryAt = nil
                isRetry = true
            }
            let areSignalsDue = state.signalsDueAt.map { $0 <= now } ?? false
            if areSignalsDue { state.signalsDueAt = nil }
            let areReportsDue = state.reportsDueAt.map { $0 <= now } ?? false
            if areReportsDue { state.reportsDueAt = nil }
            return (isLate, isRetry, areSignalsDue, areReportsDue)
        }
        if areReportsDue { center.work.add { [self] in tellReports() } }
        if isRetry { center.work.add { [self] in startNext() } }
        if areSignalsDue { center.work.add { [self] in sendSignals() } }
        if isLate { center.work.add { [self] in ask(isAnew: true) } }
    }
}

extension Instant {
    /// The earlier one of two deadlines of which each may be missing.
    package static func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}
