internal import CPosix
internal import Locks
package import WatchProtoCore

/// The one place that reads the host's clocks.
package enum SystemClock {
    /// The monotonic clock in nanoseconds since boot, the same for every process of the host
    /// (`CLOCK_MONOTONIC`).
    package static var now: Instant {
        Instant(nanoseconds: watchproto_monotonic_nanoseconds())
    }

    /// Nanoseconds since boot, also those in which the host slept (`CLOCK_BOOTTIME`).
    package static var sinceBoot: Instant {
        Instant(nanoseconds: watchproto_boot_nanoseconds())
    }

    /// The nanoseconds that the calling thread has computed, without the time in which others had
    /// its processor (`CLOCK_THREAD_CPUTIME_ID`).
    package static var threadNanoseconds: UInt64 { watchproto_thread_nanoseconds() }

    /// A number of this boot, from which ``now`` counts; nil where the host does not say.
    package static let boot: UInt32? = {
        let number = watchproto_boot_number()
        return number == 0 ? nil : number
    }()

    /// The wall clock, and the offset of local time from UTC (`CLOCK_REALTIME`, `localtime_r`).
    package static var wall: WallClock {
        let milliseconds =
            watchproto_wall_milliseconds() &+ shift.load(ordering: .relaxed)
        return WallClock(
            time: WallTime(milliseconds: milliseconds),
            zoneOffsetMinutes: zoneOffset(at: WallTime(milliseconds: milliseconds)))
    }

    /// The offset of local time from UTC at a moment, in minutes.
    package static func zoneOffset(at time: WallTime) -> Int16 {
        let set = zone.load(ordering: .relaxed)
        return Int16(
            clamping: set == noZone
                ? Int64(watchproto_zone_offset_minutes(time.milliseconds)) : set)
    }

    // MARK: A clock that somebody sets

    /// Milliseconds between the wall clock of this process and that of the host.
    private static let shift = Atomic<Int64>(0)
    private static let zone = Atomic<Int64>(noZone)
    private static let noZone = Int64.min

    /// Sets the wall clock of this process alone, as a wearer sets a wrong one. For tests.
    ///
    /// - Parameters:
    ///   - time: the present time from now on; nil for that of the host.
    ///   - offset: the offset of local time at every moment, in minutes; nil for that of the host.
    package static func set(_ time: WallTime?, zoneOffsetMinutes offset: Int16?) {
        let host = watchproto_wall_milliseconds()
        shift.store(time.map { $0.milliseconds &- host } ?? 0, ordering: .relaxed)
        zone.store(offset.map { Int64($0) } ?? noZone, ordering: .relaxed)
    }
}
