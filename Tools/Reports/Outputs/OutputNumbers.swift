import WatchProtoCore

/// Numbers and moments as the files of a run write them, exact.
enum OutputNumbers {
    /// Seconds with as many decimals as it takes: `0.0000015`, `10.24`, `3`.
    static func seconds(ofNanoseconds nanoseconds: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard rest > 0 else { return "\(whole)" }
        var digits = String(rest + 1_000_000_000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    /// Seconds, or milliseconds of nanoseconds: a thousandth of `value`, with three decimals.
    static func thousandths(_ value: UInt64) -> String {
        "\(value / 1000).\(String(value % 1000 + 1000).dropFirst())"
    }

    /// ISO 8601 in UTC, with milliseconds: `2026-02-14T08:00:00.000Z`.
    static func utc(_ time: WallTime) -> String {
        let (day, rest) = time.milliseconds.flooredDivision(by: 86_400_000)
        // Years that begin in March end with the day that not all of them have. Hinnant's
        // "chrono-compatible low-level date algorithms" explain the numbers.
        let (era, dayOfEra) = (day + 719_468).flooredDivision(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let date = "\(year)-\(two(month))-\(two(dayOfMonth))"
        let clock = "\(two(rest / 3_600_000)):\(two(rest / 60_000 % 60))"
        return
            "\(date)T\(clock):\(two(rest / 1000 % 60)).\(String(rest % 1000 + 1000).dropFirst())Z"
    }

    private static func two(_ number: Int64) -> Substring { String(number + 100).dropFirst() }
}

extension Int64 {
    /// Quotient and remainder, which is never negative.
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
