import Glibc
import Locks

/// The children that are running, by pid, so that whichever way this process ends, it can end them
/// first. A pid is removed before it is reaped: one that the system may give to somebody else is
/// never signalled.
enum ChildRegistry {
    private static let running = Mutex<[pid_t]>([])

    /// Those that were not reaped yet.
    static var pids: [pid_t] { running.withLock(\.self) }

    /// Starts a child and registers it, before anybody can look at the children or end them.
    static func add(_ start: () throws(SystemError) -> pid_t) throws(SystemError) -> pid_t {
        try running.withLock { pids throws(SystemError) in
            let pid = try start()
            pids.append(pid)
            return pid
        }
    }

    /// Reaps `pid` if it has ended.
    ///
    /// - Returns: the status of `waitpid`; nil while it runs.
    static func reap(_ pid: pid_t) -> Int32? {
        running.withLock { pids -> Int32? in
            var status: Int32 = 0
            let found = unsafe waitpid(pid, &status, WNOHANG)
            guard found != 0 else { return nil }
            pids.removeAll { $0 == pid }
            return found == pid ? status : 0
        }
    }

    /// Sends `signal` to `pid` unless it has been reaped.
    static func signal(_ pid: pid_t, _ signal: Int32) {
        running.withLock { pids in
            if pids.contains(pid) { kill(pid, signal) }
        }
    }

    /// Ends every child at once, and then this process with `end`. No child starts meanwhile.
    static func killAll(then end: () -> Never) -> Never {
        running.withLock { pids in
            for pid in pids { kill(pid, SIGKILL) }
            end()
        }
    }
}
