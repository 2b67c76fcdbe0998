package import WatchProto

extension FaceDosing {
    /// The dosing of a medication as the phone has it: equal to that of the watch's record.
    package init(_ medication: Medication) {
        self.init(
            medication.id, medication.entries, weekdays: medication.schedule.weekdays,
            zone: medication.schedule.zone, course: medication.schedule.course,
            isActive: medication.isActive, isAsNeeded: medication.isAsNeeded)
    }
}

extension MedicationSchedule {
    /// The dates of the schedule as a watch's record has them.
    var course: DoseCourse {
        DoseCourse(
            from: start?.daysSince1970, through: end?.daysSince1970, everyDays: everyDays)
    }
}

extension DoseCourse {
    /// The course between two dates in days since 1970, both included.
    fileprivate init(from start: Int?, through end: Int?, everyDays: Int) {
        let base = Int(RecordBase.milliseconds / 86_400_000)
        let last = end.map { UInt16(clamping: min($0 - base, Int(UInt16.max) - 1)) }
        guard everyDays > 1 else {
            let first = start.flatMap { $0 > base ? UInt16(clamping: $0 - base) : nil }
            self.init(firstDay: first, lastDay: last)
            return
        }
        // The first date with doses from 2020 on.
        let anchor = (start ?? 0) - base
        let first = anchor >= 0 ? anchor : (anchor % everyDays + everyDays) % everyDays
        self.init(
            firstDay: UInt16(clamping: min(first, Int(UInt16.max) - 1)), lastDay: last,
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

    /// The dosing of a medication that has these times.
    package func dosing(_ medication: MedicationID) -> FaceDosing {
        FaceDosing(
            medication, entries, weekdays: weekdays, zone: zone,
            course: DoseCourse(from: firstDay, through: lastDay, everyDays: everyDays))
    }
}
