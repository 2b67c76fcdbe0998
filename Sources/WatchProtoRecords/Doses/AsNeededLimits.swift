package import WatchProtoCore

/// Limits of the doses of a medication. They warn, and never block a record of the truth.
package struct AsNeededLimits: Hashable, Sendable {
    /// Minutes from one dose to the next, at least.
    package var minimumInterval: Int?
    /// Doses in any 24 hours, at most.
    package var maximumPerDay: Int?

    /// The intervals that a record can have.
    package static let intervals: ClosedRange<Int64> = 1...0xFFFF
    /// The maxima that a record can have.
    package static let maxima: ClosedRange<Int64> = 1...0xFF

    /// Makes the limits.
    package init(minimumInterval: Int? = nil, maximumPerDay: Int? = nil) {
        self.minimumInterval = minimumInterval
        self.maximumPerDay = maximumPerDay
    }

    /// Makes the limits of a number as ``packed`` is.
    package init(packed: UInt32) {
        let (interval, maximum) = (Int(packed & 0xFFFF), Int(packed >> 16 & 0xFF))
        self.init(
            minimumInterval: interval == 0 ? nil : interval,
            maximumPerDay: maximum == 0 ? nil : maximum)
    }

    /// Both limits as 24 bits: the interval in the low 16, then the maximum. 0 is no limit, and a
    /// limit outside its range is clamped.
    package var packed: UInt32 {
        let interval = min(max(minimumInterval ?? 0, 0), 0xFFFF)
        let maximum = min(max(maximumPerDay ?? 0, 0), 0xFF)
        return UInt32(interval) | UInt32(maximum) << 16
    }

    /// Milliseconds before and after a dose within which another one matters to these limits.
    package var reach: Int64 { max(Self.day, interval ?? 0) }

    /// The interval in milliseconds, clamped: a longer one than any two moments have is no other
    /// limit.
    private var interval: Int64? {
        minimumInterval.map { Int64(max(0, min($0, 1 << 40))) * 60_000 }
    }

    /// The warnings about a dose at `moment` beside `others`, the moments of all doses that count.
    package func warnings(at moment: WallTime, _ others: [WallTime]) -> DoseWarnings {
        let time = moment.bounded
        let times = others.map(\.bounded)
        var warnings = DoseWarnings()
        if let interval {
            warnings.isTooSoon = times.contains { abs($0 - time) < interval }
            let end = (times.max().map { max($0, time) } ?? time) + interval
            warnings.next = WallMinute(WallTime(milliseconds: end + 59_999))
        }
        if let maximumPerDay {
            // Every 24 hours that contain the dose begin at it or at an earlier one.
            let near = (times.filter { abs($0 - time) < Self.day } + [time]).sorted()
            var end = 0
            for (start, first) in near.enumerated() where first <= time {
                while end < near.count, near[end] - first < Self.day { end += 1 }
                warnings.dosesInDay = max(warnings.dosesInDay, end - start)
            }
            warnings.isOverMaximum = warnings.dosesInDay > maximumPerDay
        }
        return warnings
    }

    private static let day: Int64 = 86_400_000
}

extension WallTime {
    /// Milliseconds, clamped so that differences do not overflow.
    fileprivate var bounded: Int64 { min(max(milliseconds, -1 << 60), 1 << 60) }
}

/// Warnings for a person about a dose. They never block a record of the truth.
public struct DoseWarnings: Hashable, Sendable {
    /// Whether another dose is nearer than the minimum interval.
    package var isTooSoon = false
    /// The first minute at which a further dose keeps the minimum interval to all of these; nil
    /// without an interval.
    package var next: WallMinute?
    /// The most doses in 24 hours that contain this one; 0 if there is no maximum.
    package var dosesInDay = 0
    /// Whether the medication has more doses within 24 hours than its maximum, with this one.
    public package(set) var isOverMaximum = false
    /// Whether this dose as needed may be another entry of the same dose: a different device has
    /// one within ten minutes, or another event corrects the same one.
    public package(set) var mayBeDouble = false

    /// No warnings.
    package init() {}

    /// The first minute that keeps the minimum interval, if this dose is too near to another one;
    /// nil if it is not.
    public var tooSoonUntil: WallMinute? { isTooSoon ? next : nil }
}

extension LightweightMedication {
    /// The tag of the extension field with the limits: ``AsNeededLimits/packed`` in three bytes,
    /// the lowest first.
    static let limitsTag: UInt8 = 4

    /// The limits of its doses. They take no room if there are none.
    package var limits: AsNeededLimits {
        get {
            guard let field = extensions[Self.limitsTag], field.count == 3 else {
                return AsNeededLimits()
            }
            return AsNeededLimits(
                packed: UInt32(field[0]) | UInt32(field[1]) << 8 | UInt32(field[2]) << 16)
        }
        set {
            let packed = newValue.packed
            extensions[Self.limitsTag] =
                packed == 0
                ? nil : [UInt8(packed & 0xFF), UInt8(packed >> 8 & 0xFF), UInt8(packed >> 16)]
        }
    }
}

extension LightweightMedication {
    /// Minutes from one dose to the next, at least: 1 to 65,535; nil for no limit. A number outside
    /// the range is clamped. Limits warn, and block nothing.
    public var minimumIntervalMinutes: Int? {
        get { limits.minimumInterval }
        set { limits.minimumInterval = newValue.map { max(1, $0) } }
    }

    /// Doses within any 24 hours, at most: 1 to 255; nil for no limit. A number outside the range
    /// is clamped.
    public var maximumDosesPerDay: Int? {
        get { limits.maximumPerDay }
        set { limits.maximumPerDay = newValue.map { max(1, $0) } }
    }
}
