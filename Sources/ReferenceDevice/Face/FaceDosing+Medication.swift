package import WatchProto

extension FaceDosing {
    /// The dosing of a medication as the phone has it: equal to that of the watch's record.
    package init(_ medication: Medication) {
        self.init(
            medication.id, medication.entries, weekdays: medication.schedule.weekdays,
            zone: medication.schedule.zone, course: medication.schedule.course,
            isActive: medication.isActive, isAsNeeded: medication.isAsNeeded)
    }

    /// The planned dose of today that an event at `clock` is about: the last that is due, else the
    /// first; nil where no times are planned.
    package func planned(at clock: WallClock) -> PlannedDose? {
        let now = WallMinute(clock.time)
        let place = ZoneTimeline(ZoneOffset(clamping: Int(clock.zoneOffsetMinutes)))
        let times = place.timeline(for: zone)
        let doses = doses(on: times.day(at: now))
        return doses.last { times.due($0).minute <= now } ?? doses.first
    }
}

extension MedicationSchedule {
    /// The dates of the schedule as a watch's record has them.
    var course: DoseCourse {
        let base = Int(RecordBase.milliseconds / 86_400_000)
        func day(_ date: LocalDate) -> Int { date.daysSince1970 - base }
        guard everyDays > 1 else {
            return DoseCourse(
                firstDay: start.flatMap { day($0) > 0 ? UInt16(clamping: day($0)) : nil },
                lastDay: end.map { UInt16(clamping: min(day($0), Int(UInt16.max) - 1)) })
        }
        // The first date with doses from 2020 on.
        let anchor = start.map(day) ?? -base
        let first = anchor >= 0 ? anchor : (anchor % everyDays + everyDays) % everyDays
        return DoseCourse(
            firstDay: UInt16(clamping: min(first, Int(UInt16.max) - 1)),
            lastDay: end.map { UInt16(clamping: min(day($0), Int(UInt16.max) - 1)) },
            everyDays: UInt16(clamping: everyDays))
    }
}

extension StoredTimes {
    /// The times of a watch's record.
    package init(_ medication: LightweightMedication) {
        let base = Int(RecordBase.milliseconds / 86_400_000)
        let course = medication.course
        self.init(
            medication.entries, weekdays: medication.schedule.weekdays,
            zone: medication.schedule.zone, firstDay: course.firstDay.map { base + Int($0) },
            lastDay: course.lastDay.map { base + Int($0) }, everyDays: Int(course.everyDays))
    }
}
