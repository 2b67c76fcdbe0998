package import WatchProto

/// A day of the proleptic Gregorian calendar, in no time zone.
package struct LocalDate: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01; negative before it.
    package var daysSince1970: Int

    /// Makes the day that lies `daysSince1970` after 1970-01-01.
    package init(daysSince1970: Int) { self.daysSince1970 = daysSince1970 }

    /// Makes the day; nil when the calendar has no such day or the year is outside 1 to 9999.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day)
        else { return nil }
        // Years are counted from March, so that the leap day is the last of its year.
        let shifted = month <= 2 ? year - 1 : year
        let century = shifted / 400
        let yearOfCentury = shifted - century * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfCentury = yearOfCentury * 365 + yearOfCentury / 4 - yearOfCentury / 100 + dayOfYear
        daysSince1970 = century * 146_097 + dayOfCentury - 719_468
    }

    /// The local day at `clock`.
    package init(_ clock: WallClock) {
        // Held within the years the calendar here knows, so that no host's clock overflows it.
        let held = max(-62_135_596_800_000, min(253_402_300_799_000, clock.time.milliseconds))
        let local = held + Int64(clock.zoneOffsetMinutes) * 60_000
        daysSince1970 = Int(local.flooredDivision(by: 86_400_000))
    }

    /// Whether `left` is an earlier day than `right`.
    package static func < (left: LocalDate, right: LocalDate) -> Bool {
        left.daysSince1970 < right.daysSince1970
    }

    /// The day `days` later.
    package func advanced(by days: Int) -> LocalDate {
        LocalDate(daysSince1970: daysSince1970 + days)
    }

    /// The day of the week as a set of one; 1970-01-01 was a Thursday.
    package var weekday: Weekdays {
        let index = ((daysSince1970 + 3) % 7 + 7) % 7
        return Weekdays(rawValue: 1 << UInt8(index))
    }

    /// Year, month (1 to 12) and day (1 to 31).
    package var components: (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let century = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfCentury = shifted - century * 146_097
        let yearOfCentury =
            (dayOfCentury - dayOfCentury / 1460 + dayOfCentury / 36_524 - dayOfCentury / 146_096)
            / 365
        let dayOfYear =
            dayOfCentury - (365 * yearOfCentury + yearOfCentury / 4 - yearOfCentury / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfCentury + century * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// How many days the month has.
    package static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension LocalDate: CustomStringConvertible {
    /// ISO 8601: `2026-02-14`.
    package var description: String {
        let (year, month, day) = components
        return "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
    }

    /// Reads `2026-02-14`, and also `2026-02` or `2026`: the first day of the span, or its last
    /// when `atEnd`. Nil for anything else.
    package init?(_ text: some StringProtocol, atEnd: Bool = false) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let widths = [4, 2, 2]
        guard (1...3).contains(parts.count),
            zip(parts, widths).allSatisfy({ $0.utf8.count == $1 && $0.utf8.allSatisfy(\.isDigit) })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        let month = numbers.count > 1 ? numbers[1] : atEnd ? 12 : 1
        guard (1...12).contains(month) else { return nil }
        let day =
            numbers.count > 2 ? numbers[2] : atEnd ? Self.days(inMonth: month, of: numbers[0]) : 1
        self.init(year: numbers[0], month: month, day: day)
    }
}

extension Int {
    /// The digits with zeros in front up to `width`.
    func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity.
    func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension UInt8 {
    /// Whether this is the code of an ASCII digit.
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
