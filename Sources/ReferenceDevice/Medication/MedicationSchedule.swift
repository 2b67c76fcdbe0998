package import WatchProto

/// When a medication is due.
///
/// Daylight saving is not known here: local time is what the given `WallClock` says it is, and a
/// host asks again when the zone's offset changes.
package struct MedicationSchedule: Hashable, Sendable {
    /// Times of the day with their numbers, and when each was added; nil for when the medication
    /// was.
    package var entries: ScheduleEntries
    /// The days of the week on which they hold.
    package var weekdays: Weekdays
    /// The rule by which the times are counted in a zone.
    package var zone: ZoneRule
    /// The first day, where there is one.
    package var start: LocalDate?
    /// The last day, where there is one.
    package var end: LocalDate?
    /// Days from one day with doses to the next, counted from ``start``; 1 for every day.
    package var everyDays: Int
    /// Whether the times are ours, because the order says how often but not when.
    package var isAssumed: Bool

    /// Makes a schedule.
    package init(
        minutes: [Int] = [], weekdays: Weekdays = .all, zone: ZoneRule = .floating,
        start: LocalDate? = nil, end: LocalDate? = nil, everyDays: Int = 1, isAssumed: Bool = false
    ) {
        entries = ScheduleEntries(minutes: minutes)
        self.weekdays = weekdays
        self.zone = zone
        self.start = start
        self.end = end
        self.everyDays = max(1, min(everyDays, Self.largestInterval))
        self.isAssumed = isAssumed
    }

    /// Times of the day in minutes, ascending, each below 1,440. To set them makes a new schedule's
    /// entries.
    package var minutes: [Int] {
        get { entries.minutes }
        set { entries = ScheduleEntries(minutes: newValue) }
    }

    /// The largest ``everyDays``: a leap year.
    package static let largestInterval = 366

    /// Whether doses fall on `date`.
    package func holds(on date: LocalDate) -> Bool {
        if let start, date < start { return false }
        if let end, date > end { return false }
        guard everyDays > 1 else { return weekdays.contains(date.weekday) }
        let anchor = start?.daysSince1970 ?? 0
        return (date.daysSince1970 - anchor) % everyDays == 0
    }

    /// The first dose planned for a minute after the one `clock` shows; nil when none ever is.
    package func nextDose(after clock: WallClock) -> WallMinute? {
        guard !entries.list.isEmpty else { return nil }
        let now = WallMinute(clock.time)
        let offset = offsetMinutes(clock)
        var date = date(clock)
        if let start, start > date { date = start }
        // A day that holds comes within a week or within the interval, and today may be over.
        for _ in 0...max(7, everyDays) {
            if let end, date > end { return nil }
            if holds(on: date) {
                for entry in entries.list {
                    guard let dose = Self.wallMinute(date, entry.minute, offset) else { return nil }
                    if dose > now { return dose }
                }
            }
            date = date.advanced(by: 1)
        }
        return nil
    }

    /// Whether doses fall on the local day at `clock`.
    func holds(on clock: WallClock) -> Bool { holds(on: date(clock)) }

    private func date(_ clock: WallClock) -> LocalDate {
        LocalDate(WallClock(time: clock.time, zoneOffsetMinutes: Int16(offsetMinutes(clock))))
    }

    /// The doses planned for the local day at `clock`, ascending, with the moments they are due.
    package func doses(on clock: WallClock) -> [(planned: PlannedDose, due: WallMinute)] {
        let offset = offsetMinutes(clock)
        let date = date(clock)
        guard holds(on: date), let day = UInt16(exactly: date.daysSince1970 - Self.baseDay) else {
            return []
        }
        return entries.list.compactMap { entry in
            let planned = PlannedDose(day: day, minute: entry.minute, entry: entry.number)
            guard let planned, let due = Self.wallMinute(date, entry.minute, offset) else {
                return nil
            }
            return (planned, due)
        }
    }

    /// Local time minus UTC, for these times, in minutes.
    private func offsetMinutes(_ clock: WallClock) -> Int {
        switch zone {
        case .floating: Int(clock.zoneOffsetMinutes)
        case .fixed(let offset): Int(offset.minutes)
        case .absolute: 0
        }
    }

    /// 2020-01-01, from which records count, in days since 1970.
    private static let baseDay = Int(RecordBase.milliseconds / 86_400_000)

    private static func wallMinute(
        _ date: LocalDate, _ minute: Int, _ offset: Int
    ) -> WallMinute? {
        Int32(exactly: (date.daysSince1970 - baseDay) * 1440 + minute - offset)
            .map(WallMinute.init(minutes:))
    }
}
