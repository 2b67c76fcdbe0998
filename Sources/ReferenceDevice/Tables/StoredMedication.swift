package import WatchProto

/// A medication as a store keeps it: the device's own record as bytes, and beside it what queries
/// look for. Nothing here but ``body`` and ``id`` names it.
package struct StoredMedication: Hashable, Sendable {
    /// Which one it is.
    package var id: MedicationID
    /// The device's record, in the device's own encoding.
    package var body: [UInt8]
    /// Whether it is being taken, and by the clock.
    package var isPlanned: Bool
    /// When it is due next; nil when never.
    package var nextDose: WallMinute?
    /// When its doses are due.
    package var times: StoredTimes
    /// What became of its doses, in short; nil where the device does not count them.
    package var history: DoseHistory?

    /// Makes the medication.
    package init(
        id: MedicationID, body: [UInt8], isPlanned: Bool, nextDose: WallMinute?,
        times: StoredTimes, history: DoseHistory? = nil
    ) {
        self.id = id
        self.body = body
        self.isPlanned = isPlanned
        self.nextDose = nextDose
        self.times = times
        self.history = history
    }
}

/// What became of a medication's doses, in short.
package struct DoseHistory: Hashable, Sendable {
    /// Doses taken in all.
    package var taken: Int
    /// Doses left out on purpose in all.
    package var skipped: Int
    /// When one was last taken.
    package var lastTakenAt: WallTime?

    /// Makes the summary.
    package init(taken: Int = 0, skipped: Int = 0, lastTakenAt: WallTime? = nil) {
        self.taken = taken
        self.skipped = skipped
        self.lastTakenAt = lastTakenAt
    }
}

/// When the doses of a medication are due, in the form that a query can look through.
package struct StoredTimes: Hashable, Sendable {
    /// Times of the day. A dose that was due before its entry was added does not count as left
    /// out.
    package var entries: ScheduleEntries
    /// The days of the week on which they hold, where ``everyDays`` is 1.
    package var weekdays: Weekdays
    /// What they are counted in.
    package var zone: ZoneRule
    /// The first day on which they hold, in days since 1970.
    package var firstDay: Int?
    /// The last day on which they hold, in days since 1970.
    package var lastDay: Int?
    /// Days from one day with doses to the next, counted from the first; 1 for every day.
    package var everyDays: Int

    /// Makes the times.
    package init(
        _ entries: ScheduleEntries, weekdays: Weekdays, zone: ZoneRule, firstDay: Int? = nil,
        lastDay: Int? = nil, everyDays: Int = 1
    ) {
        self.entries = entries
        self.weekdays = weekdays
        self.zone = zone
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.everyDays = everyDays
    }

    /// Whether doses fall on a day.
    func holds(on day: Int) -> Bool {
        if let firstDay, day < firstDay { return false }
        if let lastDay, day > lastDay { return false }
        guard everyDays > 1 else { return weekdays.contains(StoreDay.weekday(day)) }
        return (day - (firstDay ?? 0)) % everyDays == 0
    }
}

/// A local day of one zone rule.
struct StoreDay {
    /// Days since 1970.
    var number: Int
    /// Local time minus UTC, in minutes.
    var offset: Int

    /// The day at `clock` for times counted in the zone `code` of the tables.
    init(_ clock: WallClock, zone code: Int) {
        offset = code == Self.floating ? Int(clock.zoneOffsetMinutes) : code
        let local = clock.time.milliseconds + Int64(offset) * 60_000
        let (quotient, remainder) = local.quotientAndRemainder(dividingBy: 86_400_000)
        number = Int(remainder < 0 ? quotient - 1 : quotient)
    }

    /// The code of times that are counted wherever the wearer is; others are their offset.
    static let floating = 10_000

    static func code(_ zone: ZoneRule) -> Int {
        switch zone {
        case .floating: floating
        case .fixed(let offset): Int(offset.minutes)
        case .absolute: 0
        }
    }

    static func weekday(_ day: Int) -> Weekdays {
        Weekdays(rawValue: 1 << UInt8(((day + 3) % 7 + 7) % 7))
    }

    /// 2020-01-01, from which planned doses count.
    private static let base = Int(RecordBase.milliseconds / 86_400_000)

    /// The minute, since 2020 in UTC, at which the day's minute 0 is.
    var begin: Int { (number - Self.base) * 1440 - offset }

    /// When the dose of an entry is due; nil outside of what a record can say.
    func dose(at minute: Int, entry: UInt16) -> (planned: PlannedDose, due: WallMinute)? {
        guard let day = UInt16(exactly: number - Self.base),
            let planned = PlannedDose(day: day, minute: minute, entry: entry),
            let due = Int32(exactly: begin + minute)
        else { return nil }
        return (planned, WallMinute(minutes: due))
    }
}
