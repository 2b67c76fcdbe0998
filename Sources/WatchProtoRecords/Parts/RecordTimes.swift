public import WatchProtoCore

/// A time of the wall clock to the minute: whole minutes since 2020-01-01T00:00Z.
///
/// Doses are planned with this precision. A time with seconds is rounded down, as on a clock face.
public struct WallMinute: Comparable, Hashable, Sendable {
    /// Minutes since 2020-01-01T00:00Z; negative before that (about 4,083 years either way).
    public var minutes: Int32

    /// Makes the time `minutes` after 2020-01-01T00:00Z.
    @inlinable
    public init(minutes: Int32) { self.minutes = minutes }

    /// The minute that contains `time`, clamped to the range.
    public init(_ time: WallTime) {
        let sinceBase = time.milliseconds.subtractingReportingOverflow(RecordBase.milliseconds)
        guard !sinceBase.overflow else {
            minutes = time.milliseconds < 0 ? .min : .max
            return
        }
        let (quotient, remainder) = sinceBase.partialValue.quotientAndRemainder(dividingBy: 60_000)
        minutes = Int32(clamping: remainder < 0 ? quotient - 1 : quotient)
    }

    /// The first millisecond of the minute.
    public var wallTime: WallTime {
        WallTime(milliseconds: RecordBase.milliseconds + Int64(minutes) * 60_000)
    }

    /// Whether `left` is the earlier minute.
    @inlinable
    public static func < (left: WallMinute, right: WallMinute) -> Bool {
        left.minutes < right.minutes
    }
}

/// The start of records' times: 2020-01-01T00:00Z.
package enum RecordBase {
    /// Milliseconds from 1970-01-01T00:00Z to 2020-01-01T00:00Z.
    package static let milliseconds: Int64 = 1_577_836_800_000
}

/// The offset of local time from UTC, in minutes, −1,080 to 1,080 (18 hours either way).
public struct ZoneOffset: Comparable, Hashable, Sendable {
    /// Local time minus UTC, in minutes.
    public let minutes: Int16

    /// Makes an offset of `minutes`; nil if it is out of range.
    public init?(minutes: Int) {
        guard (-1080...1080).contains(minutes) else { return nil }
        self.minutes = Int16(minutes)
    }

    /// Makes an offset of `minutes`, clamped to the range.
    package init(clamping minutes: Int) {
        self.minutes = Int16(max(-1080, min(1080, minutes)))
    }

    /// Makes an offset of a decoded value that was already found to be in range.
    @inlinable
    init(checked minutes: Int16) { self.minutes = minutes }

    /// Local time is UTC.
    public static let utc = ZoneOffset(clamping: 0)

    /// Whether local time at `left` is behind that at `right`.
    public static func < (left: ZoneOffset, right: ZoneOffset) -> Bool {
        left.minutes < right.minutes
    }
}
