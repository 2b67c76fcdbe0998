import WatchProtoCore

/// The dates around a timeline under one zone rule, and the doses on them.
struct FaceCalendar {
    /// The zone rule.
    let rule: ZoneRule
    private let zone: ZoneTimeline
    /// The local date at the begin of the timeline.
    private let today: Int
    /// The minutes of the timeline at which the local date may change.
    let dateChanges: [WallMinute]
    /// Whether the changes of the date are among the minutes of the timeline.
    var isCollected = false
    /// The local date at each entry.
    private(set) var dates: [Int] = []

    /// Dates before the present one whose doses a face counts.
    static let counted = 2
    /// Dates before today that an entry may count: travel can repeat dates.
    private var before: Int { zone.changes.isEmpty ? Self.counted : Self.counted + 2 }
    /// Dates after today: those of a timeline, and those that travel can skip.
    private let after: Int

    init(_ rule: ZoneRule, _ zone: ZoneTimeline, at now: WallMinute, until end: WallMinute) {
        self.rule = rule
        self.zone = zone
        after = zone.changes.isEmpty ? 3 : 5
        today = zone.day(at: now)
        dateChanges = Self.dateChanges(zone, from: now, until: end)
    }

    /// The minutes after `now` at which the local date may change: each midnight under each offset,
    /// as a clock that is put back shows one twice, and each change of the offset.
    private static func dateChanges(
        _ zone: ZoneTimeline, from now: WallMinute, until end: WallMinute
    ) -> [WallMinute] {
        var minutes: [WallMinute] = []
        var start = now
        for border in zone.changes.map({ $0.at }) + [end] where border > start && border <= end {
            let local = Int(start.minutes) + Int(zone.offset(at: start).minutes)
            let passed = (local % 1440 + 1440) % 1440
            var midnight = start.advanced(by: 1440 - passed)
            while midnight < border {
                minutes.append(midnight)
                midnight = midnight.advanced(by: 1440)
            }
            if border < end { minutes.append(border) }
            start = border
        }
        return minutes
    }

    /// Sets the dates of the entries.
    mutating func setDates(of entries: [FaceEntry]) {
        dates = entries.map { zone.day(at: $0.minute) }
    }

    /// The doses of the window, ascending.
    func doses(of dosing: FaceDosing) -> [FaceDosing.Dose] {
        dosing.doses(on: (today - before)...(today + after), zone)
    }

    /// The first open dose after the window.
    ///
    /// - Parameters:
    ///   - dosing: the medication.
    ///   - end: the end of the timeline. A snooze that ends before changes nothing.
    ///   - state: the state of a slot.
    func laterDose(
        of dosing: FaceDosing, after end: WallMinute, _ state: (DoseSlot) -> DoseSlotState
    ) -> FaceDose? {
        var first: FaceDose?
        let step = max(7, Int(dosing.course.everyDays))
        var day = max(today + after + 1, Int(dosing.course.firstDay ?? 0))
        var last = day + step
        while day <= last {
            for dose in dosing.doses(on: day) {
                let slot = DoseSlot(
                    medication: dosing.medication, entry: dose.entry, day: dose.day)
                let due = zone.due(dose)
                let state = state(slot)
                last = day + step
                if state.isClosed { continue }
                let snooze = DoseTiming(due: due.minute).snoozeEnd(of: state).flatMap {
                    $0 >= end ? $0 : nil
                }
                let shown = FaceDose(
                    slot: slot, due: due.minute, phase: snooze.map { .snoozed($0) } ?? .upcoming,
                    isDateSkipped: due.isDateSkipped)
                if first.map({ shown.goes(before: $0) }) ?? true { first = shown }
                if snooze == nil { return first }
            }
            day += 1
        }
        return first
    }
}
