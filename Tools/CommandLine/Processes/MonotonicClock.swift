import CPosix
package import WatchProtoCore

/// The clock that every process of the host shares.
package enum MonotonicClock {
    /// Nanoseconds of CLOCK_MONOTONIC.
    package static var nowNanoseconds: UInt64 { watchproto_monotonic_nanoseconds() }

    /// Lets the calling thread's sleeps end on time: by default the kernel may add 50 microseconds
    /// (prctl(2), PR_SET_TIMERSLACK).
    package static func sleepExactly() { watchproto_sleep_exactly() }

    /// Sleeps until that moment of CLOCK_MONOTONIC.
    package static func sleep(untilNanoseconds moment: UInt64) { watchproto_sleep_until(moment) }
}

/// The clock that tells the date; it may be set while a run goes on, so nothing is measured by it.
package enum CalendarClock {
    /// The moment of CLOCK_REALTIME.
    package static var now: WallTime { WallTime(milliseconds: watchproto_wall_milliseconds()) }
}
