package import WatchProto

extension WallTime {
    /// Reads an ISO 8601 moment as ``ZonedTime`` does.
    package init?(iso8601 text: String) {
        guard let moment = ZonedTime(iso8601: text) else { return nil }
        self = moment.time
    }

    /// ISO 8601 in UTC: `2026-02-14T08:00:00Z`, with milliseconds only where there are some.
    package var iso8601: String {
        let days = milliseconds.flooredDivision(by: 86_400_000)
        let rest = Int(milliseconds - days * 86_400_000)
        let date = LocalDate(daysSince1970: Int(days))
        let time =
            "\((rest / 3_600_000).padded(2)):\((rest / 60_000 % 60).padded(2))"
            + ":\((rest / 1000 % 60).padded(2))"
        let fraction = rest % 1000 == 0 ? "" : ".\((rest % 1000).padded(3))"
        return "\(date)T\(time)\(fraction)Z"
    }
}

/// A moment as FHIR R4 writes it.
struct ZonedTime: Hashable {
    var time: WallTime
    /// Local time minus UTC; nil for a date alone.
    var zone: ZoneOffset?
}

extension ZonedTime {
    /// Reads a date alone (its first moment in UTC), or date and time with seconds, an optional
    /// fraction, and `Z` or an offset. Nil for anything else.
    init?(iso8601 text: String) {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard let first = halves.first, let date = LocalDate(first) else { return nil }
        let midnight = Int64(date.daysSince1970) * 86_400_000
        guard halves.count == 2 else {
            guard halves.count == 1 else { return nil }
            time = WallTime(milliseconds: midnight)
            return
        }
        guard first.utf8.count == 10, let clock = TimeOfDayText(halves[1]) else { return nil }
        time = WallTime(
            milliseconds: midnight + clock.milliseconds - Int64(clock.offsetMinutes) * 60_000)
        zone = ZoneOffset(clamping: clock.offsetMinutes)
    }

    /// The moment with its offset; nil where FHIR has no form of the year or the offset.
    static func iso8601(_ time: WallTime, _ zone: ZoneOffset) -> String? {
        let minutes = Int(zone.minutes)
        let (local, overflow) = time.milliseconds.addingReportingOverflow(Int64(minutes) * 60_000)
        guard !overflow, minutes.magnitude <= 840,
            (-62_135_596_800_000..<253_402_300_800_000).contains(local)
        else { return nil }
        let text = WallTime(milliseconds: local).iso8601
        guard minutes != 0 else { return text }
        return text.dropLast() + (minutes < 0 ? "-" : "+")
            + MinuteOfDay.text(Int(minutes.magnitude))
    }
}

/// The part of an ISO 8601 moment after the `T`.
private struct TimeOfDayText {
    var milliseconds: Int64
    var offsetMinutes: Int

    init?(_ text: Substring) {
        var clock = text
        offsetMinutes = 0
        if text.hasSuffix("Z") {
            clock = text.dropLast()
        } else if let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            let zone = text[sign...].dropFirst()
            guard zone.utf8.count == 5, let minutes = MinuteOfDay.parse(String(zone)) else {
                return nil
            }
            offsetMinutes = text[sign] == "-" ? -minutes : minutes
            clock = text[..<sign]
        } else {
            return nil
        }
        let parts = clock.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, whole.utf8.count == 8, parts.count <= 2,
            let minutes = MinuteOfDay.parse(String(whole.prefix(5))),
            whole.dropFirst(5).first == ":", let seconds = Int(whole.suffix(2)),
            (0...60).contains(seconds)
        else { return nil }
        milliseconds = Int64(minutes) * 60_000 + Int64(seconds) * 1000
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy(\.isDigit) else { return nil }
            milliseconds += Int64((parts[1] + "00").prefix(3)) ?? 0
        }
    }
}

/// Times of the day as people write them, in minutes.
package enum MinuteOfDay {
    /// Reads `08:00` or `08:00:00`; nil for anything else. Seconds are dropped.
    package static func parse(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count),
            parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(\.isDigit) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// Writes `08:00`.
    package static func text(_ minute: Int) -> String {
        "\((minute / 60).padded(2)):\((minute % 60).padded(2))"
    }
}
