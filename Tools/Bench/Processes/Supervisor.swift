import CPosix
package import CommandLine
import Glibc
import WatchProtoCore

/// Watches over the simulators of a run: reads what they say, notices when one ends or the user
/// interrupts. One thread, one `poll`.
package final class Supervisor {
    private var simulators: [SimulatorProcess] = []
    /// Whether Ctrl-C no longer ends waits: once the run is being wound up.
    package var ignoresInterrupts = false

    /// Makes a supervisor without simulators.
    package init() {}

    func add(_ simulator: SimulatorProcess) { simulators.append(simulator) }

    func remove(_ simulator: SimulatorProcess) { simulators.removeAll { $0 === simulator } }

    /// Waits for `time`, taking in what the simulators say.
    ///
    /// - Throws: exit code 130 when the user interrupts; 70 when a simulator has ended.
    package func rest(_ time: Duration) throws(RigFailure) {
        let deadline = MonotonicClock.nowNanoseconds + UInt64(max(0, time.nanosecondsClamped))
        repeat { try pump(until: deadline) } while MonotonicClock.nowNanoseconds < deadline
    }

    /// Waits until a simulator says something, a line is typed or `time` has passed, and takes in
    /// all that came.
    ///
    /// - Throws: exit code 130 when the user interrupts; 70 when a simulator has ended.
    package func listen(
        to typed: TypedLines? = nil, atMost time: Duration
    ) throws(RigFailure) {
        let nanoseconds = UInt64(max(0, time.nanosecondsClamped))
        try pump(until: MonotonicClock.nowNanoseconds + nanoseconds, typed)
    }

    /// Waits until a simulator says something or the deadline passes, and takes in what was said,
    /// and what was typed.
    ///
    /// - Throws: exit code 130 when the user interrupts; 70 when a simulator that should run has
    ///   ended.
    func pump(
        until deadlineNanoseconds: UInt64, _ typed: TypedLines? = nil
    ) throws(RigFailure) {
        if !ignoresInterrupts, Interrupts.isRequested { throw Interrupts.failure }
        var polled: [pollfd] = []
        var readers: [(SimulatorProcess, isError: Bool)] = []
        for simulator in simulators {
            for (number, isError) in simulator.openStreams {
                polled.append(pollfd(fd: number, events: Int16(POLLIN), revents: 0))
                readers.append((simulator, isError))
            }
        }
        let interrupt = Interrupts.waitDescriptor
        if !ignoresInterrupts, interrupt >= 0 {
            polled.append(pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0))
        }
        if let typed, !typed.hasEnded {
            polled.append(pollfd(fd: typed.number, events: Int16(POLLIN), revents: 0))
        }
        let now = MonotonicClock.nowNanoseconds
        let left = deadlineNanoseconds > now ? deadlineNanoseconds - now : 0
        let milliseconds = Int32(clamping: (left + 999_999) / 1_000_000)
        let count = unsafe Glibc.poll(&polled, nfds_t(polled.count), milliseconds)
        guard count > 0 else { return }
        for (entry, reader) in zip(polled, readers) where entry.revents != 0 {
            reader.0.read(isError: reader.isError)
        }
        if let typed, let last = polled.last, last.fd == typed.number, last.revents != 0 {
            typed.read()
        }
        if !ignoresInterrupts, Interrupts.isRequested { throw Interrupts.failure }
        for simulator in simulators { try simulator.checkAlive() }
    }
}
