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
    /// The summary of its doses; nil where the device does not count them.
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

/// The summary of a medication's doses: how many were taken and skipped.
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
    /// The rule by which they are counted in a zone.
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
}

extension ZoneRule {
    /// The code of times that are counted wherever the wearer is; others are their offset.
    private static let floatingCode = 10_000

    /// The code of the rule in the tables.
    var storeCode: Int {
        switch self {
        case .floating: Self.floatingCode
        case .fixed(let offset): Int(offset.minutes)
        case .absolute: 0
        }
    }

    /// The rule of a code of the tables.
    init(storeCode code: Int) {
        self = code == Self.floatingCode ? .floating : .fixed(ZoneOffset(clamping: code))
    }
}
