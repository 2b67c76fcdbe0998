import CommandLine
import Locks
import WatchProtoTransport

/// Lets a child process run for a share of the time only, by SIGSTOP and SIGCONT.
///
/// A child on one processor then has that share of it. Other than a control group, it needs no
/// privilege.
final class ProcessorQuota: Sendable {
    private let pid: Int32
    private let share: Double
    private let isEnding = Atomic<Bool>(false)
    private let thread = Mutex<SystemThread?>(nil)

    /// How long the child runs and stands still together, in nanoseconds.
    private static let period = 10_000_000.0

    /// Holds the child `pid` to `share` from now on; a share of 1 needs nothing.
    ///
    /// - Throws: exit code 70 where the system refuses a thread.
    init(pid: Int32, share: Double) throws(RigFailure) {
        self.pid = pid
        self.share = share
        guard share < 1 else { return }
        do throws(SystemErrorNumber) {
            let made = try SystemThread { [self] in hold() }
            thread.withLock { $0 = made }
        } catch {
            throw RigFailure(.software, "Cannot hold a quota: no thread (errno \(error.rawValue)).")
        }
    }

    /// Lets the child run freely again.
    func stop() {
        isEnding.store(true, ordering: .relaxed)
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    /// A thread may wake late: if a turn ran too long, the next ones stand still for longer.
    private func hold() {
        MonotonicClock.sleepExactly()
        var owed = 0.0
        while !isEnding.load(ordering: .relaxed) {
            let begin = MonotonicClock.nowNanoseconds
            ChildProcess.setStopped(true, pid: pid)
            let pause = max(0, Self.period * (1 - share) + owed)
            MonotonicClock.sleep(untilNanoseconds: begin + UInt64(pause))
            ChildProcess.setStopped(false, pid: pid)
            let resumed = MonotonicClock.nowNanoseconds
            MonotonicClock.sleep(untilNanoseconds: resumed + UInt64(Self.period * share))
            let ran = Double(MonotonicClock.nowNanoseconds - resumed)
            owed += ran * (1 / share - 1) - Double(resumed - begin)
        }
    }
}
