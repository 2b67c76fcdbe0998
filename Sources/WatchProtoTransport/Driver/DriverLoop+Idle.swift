internal import CPosix
internal import Glibc
internal import WatchProtoCore

/// The work left before the clock moves: for tests that move the clock.
extension DriverLoop {
    /// The work of the driver at this moment; nil for none: the thread sleeps, no
    /// descriptor has anything for it, and the journal owes no answer.
    var work: StaticString? {
        ask { state in
            let plan = state.armed
            if state.phase == .stopping { return "it closes" }
            if !plan.isAsleep { return "its thread runs" }
            if plan.isWakePending { return "its thread is to wake" }
            if plan.deadline <= clock.now { return "a deadline has come" }
            if state.environment.awaitedAnswers != 0 { return "the journal owes an answer" }
            var set: InlineArray<6, pollfd> = [
                pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: plan.carrierReading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: plan.writing, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: plan.sign, events: Int16(POLLIN), revents: 0),
                pollfd(fd: timer.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: plan.pending, events: Int16(POLLIN), revents: 0),
            ]
            var span = set.mutableSpan
            let count = unsafe span.withUnsafeMutableBufferPointer { set in
                unsafe watchproto_poll(set.baseAddress, UInt(set.count), 0)
            }
            return count == 0 ? nil : "a descriptor is ready"
        }
    }
}

extension DriverSession {
    /// The work left before the clock moves; nil for none. For tests that move the clock.
    package var work: StaticString? { driver.loop.work }
}
