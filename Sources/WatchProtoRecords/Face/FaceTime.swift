import WatchProtoCore

/// A moment as a face shows it: the minute of the local clock, and the date if it is not today's.
struct FaceTime {
    /// The day of the week or the date, as `Fri` or `3 Dec`; empty for today.
    let day: String
    /// The time of the day, as `08:05`.
    let clock: String

    private static let weekdays = ["Wed", "Thu", "Fri", "Sat", "Sun", "Mon", "Tue"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The local time of `minute`.
    ///
    /// - Parameters:
    ///   - minute: the moment.
    ///   - now: the present minute.
    ///   - zone: the offsets of local time.
    init(_ minute: WallMinute, now: WallMinute, _ zone: ZoneTimeline) {
        let local = Int(minute.minutes) + Int(zone.offset(at: minute).minutes)
        let date = zone.day(at: minute)
        let ofDay = local - date * DoseSlots.minutesPerDay
        clock = Self.twoDigits(ofDay / 60) + ":" + Self.twoDigits(ofDay % 60)
        let distance = date - zone.day(at: now)
        if distance == 0 {
            day = ""
        } else if abs(distance) < 7 {
            day = Self.weekdays[((date % 7) + 7) % 7]
        } else {
            day = Self.date(date)
        }
    }

    /// The date and the time on one line.
    var text: String { day.isEmpty ? clock : day + " " + clock }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// The day of the month and the month of a date, in days since 2020-01-01. Years of the 22nd
    /// century and later are counted as if each fourth one were a leap year.
    private static func date(_ day: Int) -> String {
        // 2020 is the first of four years, and has the leap day.
        var rest = ((day % 1461) + 1461) % 1461
        let isLeap = rest < 366
        if !isLeap { rest = (rest - 366) % 365 }
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var month = 0
        while rest >= lengths[month] {
            rest -= lengths[month]
            month += 1
        }
        return "\(rest + 1) \(months[month])"
    }
}
