public import WatchProtoCore

/// The time of an event by the clocks of its device, for display and audit: no status depends on
/// it.
public struct DoseTime: Hashable, Sendable {
    /// The wall clock.
    public var wall: WallTime
    /// The time zone at that place.
    public var zoneOffset: ZoneOffset
    /// The device, by a number of its own; nil if it is not known.
    public var device: UInt32?
    /// The monotonic clock; nil if it was not read.
    package var uptime: DoseUptime?
    /// The phone's wall clock minus this one, in milliseconds; nil if it was not measured.
    package var phoneOffset: Int32?

    /// Makes the time `wall` of another program's dose. The session's `doses.now` is the time
    /// of a dose that is recorded now.
    public init(_ wall: WallTime, zoneOffset: ZoneOffset = .utc) {
        self.init(wall, zoneOffset: zoneOffset, device: nil)
    }

    /// Makes the time `wall`, with what is known of the device and its clocks.
    package init(
        _ wall: WallTime, zoneOffset: ZoneOffset = .utc, device: UInt32?,
        uptime: DoseUptime? = nil, phoneOffset: Int32? = nil
    ) {
        self.wall = wall
        self.zoneOffset = zoneOffset
        self.device = device
        self.uptime = uptime
        self.phoneOffset = phoneOffset
    }

    /// Whether the clock differed from the phone's by more than 60 s: show the time as uncertain.
    public var isUncertain: Bool { phoneOffset.map { $0.magnitude > 60_000 } ?? false }

    /// The time by the phone's clock if the offset was measured, or else by this one.
    package var onPhone: WallTime {
        let (sum, overflow) = wall.milliseconds.addingReportingOverflow(Int64(phoneOffset ?? 0))
        return overflow ? wall : WallTime(milliseconds: sum)
    }
}

/// A reading of a monotonic clock, which starts anew with each boot.
package struct DoseUptime: Hashable, Sendable {
    /// The boot, by a random number.
    package let boot: UInt32
    /// Milliseconds since the boot, below 2^40 (34 years).
    package let milliseconds: UInt64

    /// Makes the reading; a longer time is clamped.
    package init(boot: UInt32, milliseconds: UInt64) {
        self.boot = boot
        self.milliseconds = min(milliseconds, 1 << 40 - 1)
    }
}
