internal import CPosix
package import WatchProtoCore

/// The one place that reads the host's clocks.
package enum SystemClock {
    /// The monotonic clock in nanoseconds since boot, the same for every process of the host
    /// (`CLOCK_MONOTONIC`).
    package static var now: Instant {
        Instant(nanoseconds: watchproto_monotonic_nanoseconds())
    }

    /// A number of this boot, from which ``now`` counts; nil where the host does not say.
    package static let boot: UInt32? = {
        let number = watchproto_boot_number()
        return number == 0 ? nil : number
    }()

    /// The wall clock, and the offset of local time from UTC (`CLOCK_REALTIME`, `localtime_r`).
    package static var wall: WallClock {
        let milliseconds = watchproto_wall_milliseconds()
        return WallClock(
            time: WallTime(milliseconds: milliseconds),
            zoneOffsetMinutes: Int16(clamping: watchproto_zone_offset_minutes(milliseconds)))
    }
}
