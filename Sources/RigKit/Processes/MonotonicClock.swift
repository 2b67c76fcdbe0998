import CPosix
public import WatchProto

/// The clock that every process of the host shares.
public enum MonotonicClock {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public static var nowNanoseconds: UInt64 { watchproto_monotonic_nanoseconds() }
}

/// The clock that tells the date; it may be set while a run goes on, so nothing is measured by it.
public enum CalendarClock {
    /// The moment of CLOCK_REALTIME.
    public static var now: WallTime { WallTime(milliseconds: watchproto_wall_milliseconds()) }
}
