/// A moment on the wall clock: milliseconds since 1970-01-01T00:00Z, leap seconds not counted.
///
/// Only expiry and what a person reads use it; order and time-outs use ``Instant``.
public struct WallTime: Comparable, Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00Z; negative before it.
    public var milliseconds: Int64

    /// Makes the moment `milliseconds` after 1970-01-01T00:00Z.

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whether the left moment is the earlier one.

    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

/// A reading of the wall clock, with the offset of local time from UTC.
package struct WallClock: Hashable, Sendable {
    /// The moment the clock shows.
    package var time: WallTime
    /// Local time minus UTC, in minutes, −1,080 to 1,080.
    package var zoneOffsetMinutes: Int16

    /// Makes a reading of the wall clock.
    package init(time: WallTime, zoneOffsetMinutes: Int16 = 0) {
        self.time = time
        self.zoneOffsetMinutes = zoneOffsetMinutes
    }
}
