/// When doses are due: times of the day, days of the week, and the time zone.
public struct DoseSchedule: Hashable, Sendable {
    /// The times of the day.
    public var slots: DoseSlots
    /// The days with the slots.
    public var weekdays: Weekdays
    /// The time zone rule for the times of the day.
    public var zone: ZoneRule

    /// Makes a schedule. Without `weekdays`, it has every day, or none if there are no slots.
    public init(
        slots: DoseSlots = DoseSlots(), weekdays: Weekdays? = nil, zone: ZoneRule = .floating
    ) {
        self.slots = slots
        self.weekdays = weekdays ?? Self.usualWeekdays(slots.count)
        self.zone = zone
    }

    /// Makes a schedule of decoded values that were already checked.
    @inlinable
    init(slots: DoseSlots, checkedWeekdays mask: UInt8, zone: ZoneRule) {
        self.slots = slots
        weekdays = Weekdays(rawValue: mask)
        self.zone = zone
    }

    /// The weekdays that cost no byte: every day with slots, none without.
    @inlinable
    static func usualWeekdays(_ slotCount: Int) -> Weekdays { slotCount > 0 ? .all : [] }
}

/// Days of the week as bits, Monday the lowest.
public struct Weekdays: OptionSet, Hashable, Sendable {
    /// The days as bits; the eighth is zero.
    public let rawValue: UInt8
    /// Makes the set of the low seven bits of `rawValue`. The eighth has no day and is dropped.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x7F }

    /// Monday.
    public static let monday = Weekdays(rawValue: 1)
    /// Tuesday.
    public static let tuesday = Weekdays(rawValue: 2)
    /// Wednesday.
    public static let wednesday = Weekdays(rawValue: 4)
    /// Thursday.
    public static let thursday = Weekdays(rawValue: 8)
    /// Friday.
    public static let friday = Weekdays(rawValue: 16)
    /// Saturday.
    public static let saturday = Weekdays(rawValue: 32)
    /// Sunday.
    public static let sunday = Weekdays(rawValue: 64)
    /// Every day of the week.
    public static let all = Weekdays(rawValue: 127)
}

/// The time zone rule for a schedule's times of the day.
public enum ZoneRule: Hashable, Sendable {
    /// The wearer's time zone: 08:00 stays 08:00 after a flight.
    case floating
    /// A fixed offset from UTC, at any place.
    case fixed(ZoneOffset)
    /// UTC: fixed times, as for a dose every few hours.
    case absolute
}

/// Up to eight times of the day, ascending and distinct, packed into integers of 11 bits each.
public struct DoseSlots: Hashable, Sendable {
    /// Slots 0 to 4 and the low nine bits of slot 5: bits 0 to 63 of the packed form.
    @usableFromInline let low: UInt64
    /// Bits 64 to 87 of the packed form.
    @usableFromInline let high: UInt32
    @usableFromInline let storedCount: UInt8

    /// The most times a day can have.
    package static let largestCount = 8
    /// Minutes in a day; every slot is below it.
    package static let minutesPerDay = 1440

    /// Makes the set with no times.
    @inlinable
    public init() {
        low = 0
        high = 0
        storedCount = 0
    }

    /// Makes the set of `minutes` of the day, in any order; nil if one is outside 0 ..< 1440 or
    /// more than eight are distinct.
    public init?(minutes: some Sequence<Int>) {
        var packed: UInt128 = 0
        var count = 0
        var last: Int?
        for minute in minutes.sorted() where minute != last {
            guard (0..<Self.minutesPerDay).contains(minute), count < Self.largestCount else {
                return nil
            }
            packed |= UInt128(minute) << UInt128(11 * count)
            count += 1
            last = minute
        }
        self.init(
            checkedLow: UInt64(truncatingIfNeeded: packed),
            high: UInt32(truncatingIfNeeded: packed >> 64), count: count)
    }

    /// Makes slots of decoded values that were already found to be ascending and in range.
    @inlinable
    init(checkedLow low: UInt64, high: UInt32, count: Int) {
        self.low = low
        self.high = high
        storedCount = UInt8(truncatingIfNeeded: count)
    }

    /// The number of times.
    @inlinable
    package var count: Int { Int(storedCount) }

    /// Whether there are none.
    package var isEmpty: Bool { storedCount == 0 }

    /// The time at `position`, in minutes of the day.
    @inlinable
    package subscript(position: Int) -> Int {
        precondition(position >= 0 && position < count, "no such dose slot")
        return Int(truncatingIfNeeded: packed >> UInt128(11 * position)) & 0x7FF
    }

    /// The times, in minutes of the day, ascending.
    public var minutes: [Int] { (0..<count).map { self[$0] } }

    /// Slot n at bits 11n to 11n + 10, all others zero.
    @inlinable
    var packed: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// The bytes `count` packed slots take.
    @inlinable
    static func packedBytes(_ count: Int) -> Int { (11 * count + 7) >> 3 }
}
