import WatchProtoCore

extension FaceDosing {
    /// A planned dose with its times.
    package struct Dose: Hashable, Sendable {
        /// The dose.
        package let planned: PlannedDose
        /// Its slot.
        package let slot: DoseSlot
        /// Its times.
        package let timing: DoseTiming
        /// The date to which it counts: its own, or if a journey skips that, the date of the jump.
        let date: Int
        /// Whether its minute does not occur, so that it is due at another one.
        package let isMoved: Bool
        /// Whether its local date does not occur.
        let isDateSkipped: Bool
    }

    /// A planned dose before the one after it is known.
    private struct TimedDose {
        var dose: PlannedDose
        var added: WallMinute?
        var due: DueTime
    }

    /// The doses of some dates, ascending.
    ///
    /// - Parameters:
    ///   - days: the dates, in days since 2020-01-01.
    ///   - times: the offsets that hold for the medication's times.
    package func doses(on days: ClosedRange<Int>, _ times: ZoneTimeline) -> [Dose] {
        // Two dates more, for the dose after the last one: a journey can move a whole date.
        var planned: [TimedDose] = []
        planned.reserveCapacity((days.count + 2) * entries.list.count)
        for day in days.lowerBound...(days.upperBound + 2) {
            guard let date = UInt16(exactly: day), course.holds(on: day, weekdays) else { continue }
            for entry in entries.list {
                guard let dose = PlannedDose(day: date, minute: entry.minute, entry: entry.number)
                else { continue }
                planned.append(TimedDose(dose: dose, added: entry.added, due: times.due(dose)))
            }
        }
        var doses: [Dose] = []
        doses.reserveCapacity(planned.count)
        for place in planned.indices {
            let (dose, due) = (planned[place].dose, planned[place].due)
            guard Int(dose.day) <= days.upperBound else { break }
            var next = place + 1
            while next < planned.count, planned[next].due.minute <= due.minute { next += 1 }
            doses.append(
                Dose(
                    planned: dose,
                    slot: DoseSlot(medication: medication, entry: dose.entry, day: dose.day),
                    timing: DoseTiming(
                        due: due.minute,
                        next: next < planned.count ? planned[next].due.minute : nil,
                        added: planned[place].added),
                    date: due.isDateSkipped ? times.day(at: due.minute) : Int(dose.day),
                    isMoved: due.isMoved, isDateSkipped: due.isDateSkipped))
        }
        return doses
    }

    /// The doses of the dates around a minute, ascending: all that are due, and those of the next
    /// days.
    ///
    /// - Parameters:
    ///   - minute: the minute.
    ///   - zone: the offsets of the wearer's local time.
    package func doses(around minute: WallMinute, _ zone: ZoneTimeline) -> [Dose] {
        guard isPlanned else { return [] }
        let times = zone.timeline(for: self.zone)
        // A journey can skip a date or repeat one.
        let today = times.day(at: minute)
        return doses(on: (today - 3)...(today + 2), times)
    }

    /// The planned dose that an event of the minute `now` is about if nobody names one (S-19): the
    /// newest that is due and has not ended, or else the next one, at most 12 hours ahead; nil if
    /// there is none.
    ///
    /// - Parameters:
    ///   - now: the minute of the event.
    ///   - zone: the offsets of the wearer's local time.
    package func planned(at now: WallMinute, _ zone: ZoneTimeline) -> PlannedDose? {
        let doses = doses(around: now, zone)
        if let newest = doses.last(where: { $0.timing.due <= now }), now < newest.timing.end {
            return newest.planned
        }
        let latest = now.advanced(by: DoseTiming.longest)
        return doses.first { now < $0.timing.due && $0.timing.due <= latest }?.planned
    }
}
