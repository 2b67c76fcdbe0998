internal import CPosix
internal import Glibc
internal import WatchProtoCore

/// Shows whether any work is left before the clock moves, for tests that move it.
extension DriverLoop {
    /// Whether the thread sleeps, no descriptor is ready, and the journal owes no answer.
    var isIdle: Bool {
        ask { state in
            let plan = state.armed
            guard state.phase != .stopping, plan.isAsleep, !plan.isWakePending,
                plan.deadline > clock.now, state.host.awaitedAnswers == 0
            else { return false }
            var set: InlineArray<6, pollfd> = [
                pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: plan.carrierReading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: plan.writing, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: plan.sign, events: Int16(POLLIN), revents: 0),
                pollfd(fd: timer.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: plan.pending, events: Int16(POLLIN), revents: 0),
            ]
            var span = set.mutableSpan
            return unsafe span.withUnsafeMutableBufferPointer { set in
                unsafe watchproto_poll(set.baseAddress, UInt(set.count), 0) == 0
            }
        }
    }
}

extension PeerDriver {
    /// Whether nothing is left to do before the clock moves. For tests that move it.
    package var isIdle: Bool { loop.isIdle }
}

extension DriverSession {
    /// Whether nothing is left to do before the clock moves. For tests that move it.
    package var isIdle: Bool { driver.isIdle }
}
