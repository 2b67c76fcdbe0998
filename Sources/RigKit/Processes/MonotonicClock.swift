import CPosix

/// The clock that every process of the host shares.
public enum MonotonicClock {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public static var nowNanoseconds: UInt64 { watchproto_monotonic_nanoseconds() }
}
