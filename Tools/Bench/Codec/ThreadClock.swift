import CPosix
import Glibc

/// CPU time of the calling thread (`CLOCK_THREAD_CPUTIME_ID`): what the thread computed, without
/// the time in which others had its CPU.
enum ThreadClock {
    /// Nanoseconds of CPU time since the thread began.
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        let result = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        precondition(result == 0, "every Linux kernel has a thread clock")
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
