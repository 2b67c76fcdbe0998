import WatchProtoCore

/// The dates between which a schedule holds, and the days from one date with doses to the next.
package struct DoseCourse: Hashable, Sendable {
    /// The first date, in days since 2020-01-01; nil for no limit.
    package var firstDay: UInt16?
    /// The last date, in days since 2020-01-01; nil for no limit.
    package var lastDay: UInt16?
    /// Days from one date with doses to the next, counted from the first date, from 1 on. If it is
    /// above 1, the days of the week have no part in it.
    package var everyDays: UInt16

    /// Makes the course; without limits, of every day.
    package init(firstDay: UInt16? = nil, lastDay: UInt16? = nil, everyDays: UInt16 = 1) {
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.everyDays = max(1, everyDays)
    }

    /// Whether doses fall on `day`, in days since 2020-01-01, in a schedule of `weekdays`.
    package func holds(on day: Int, _ weekdays: Weekdays) -> Bool {
        if let firstDay, day < Int(firstDay) { return false }
        if let lastDay, day > Int(lastDay) { return false }
        if everyDays > 1 { return (day - Int(firstDay ?? 0)) % Int(everyDays) == 0 }
        return weekdays.contains(Weekdays(of: day))
    }
}

extension Weekdays {
    /// The day of the week of a date, in days since 2020-01-01, which was a Wednesday.
    package init(of day: Int) {
        let index = ((day + 2) % 7 + 7) % 7
        self.init(rawValue: 1 << UInt8(index))
    }
}

extension LightweightMedication {
    /// The tag of the extension field with the course: the first date, the last one and the days
    /// between doses, in two bytes each, the lowest first. 0xFFFF is no limit.
    static let courseTag: UInt8 = 2

    /// The dates of the schedule. They take no room if there are no limits, and doses every day.
    package var course: DoseCourse {
        get { DoseCourse(extensions) }
        set {
            let numbers = [newValue.firstDay ?? .max, newValue.lastDay ?? .max, newValue.everyDays]
            extensions[Self.courseTag] =
                newValue == DoseCourse()
                ? nil : numbers.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
    }
}

extension DoseCourse {
    /// The course that is in the fields of a record.
    init(_ extensions: ExtensionFields) {
        self.init()
        guard let field = extensions[LightweightMedication.courseTag], field.count == 6 else {
            return
        }
        func number(_ place: Int) -> UInt16 {
            UInt16(field[place]) | UInt16(field[place + 1]) << 8
        }
        self.init(
            firstDay: number(0) == .max ? nil : number(0),
            lastDay: number(2) == .max ? nil : number(2), everyDays: number(4))
    }
}
