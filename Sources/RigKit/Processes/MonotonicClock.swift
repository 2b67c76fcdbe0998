import CPosix

/// The clock that every process of the host shares.
public enum MonotonicClock {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public static var nowNanoseconds: UInt64 { watchproto_monotonic_nanoseconds() }

    /// Lets the calling thread's sleeps end on time: by default the kernel may add 50 microseconds
    /// (prctl(2), PR_SET_TIMERSLACK).
    public static func sleepExactly() { watchproto_sleep_exactly() }

    /// Sleeps until that moment of CLOCK_MONOTONIC.
    public static func sleep(untilNanoseconds moment: UInt64) { watchproto_sleep_until(moment) }
}
