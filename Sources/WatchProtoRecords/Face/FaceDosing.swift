import WatchProtoCore

/// The dosing of one medication: the part of it that decides when a face changes. It has no text.
package struct FaceDosing: Hashable, Sendable {
    /// The medication.
    package var medication: MedicationID
    /// The times of the day with their numbers, and when each was added.
    package var entries: ScheduleEntries
    /// The days of the week with these times.
    package var weekdays: Weekdays
    /// The time zone rule for the times.
    package var zone: ZoneRule
    /// The dates with doses.
    package var course: DoseCourse
    /// Whether it is being taken.
    package var isActive: Bool
    /// Whether it is taken as needed, not by the clock.
    package var isAsNeeded: Bool

    /// Makes the dosing.
    package init(
        _ medication: MedicationID, _ entries: ScheduleEntries, weekdays: Weekdays = .all,
        zone: ZoneRule = .floating, course: DoseCourse = DoseCourse(),
        isActive: Bool = true, isAsNeeded: Bool = false
    ) {
        self.medication = medication
        self.entries = entries
        self.weekdays = weekdays
        self.zone = zone
        self.course = course
        self.isActive = isActive
        self.isAsNeeded = isAsNeeded
    }

    /// The dosing of a medication as a watch has it.
    package init(_ medication: LightweightMedication) {
        self.init(
            medication.id, medication.entries, weekdays: medication.schedule.weekdays,
            zone: medication.schedule.zone, course: medication.course,
            isActive: medication.flags.contains(.isActive),
            isAsNeeded: medication.flags.contains(.asNeeded))
    }

    /// The dosing of a medication that is read in place. No text is copied.
    package init(_ view: borrowing MedicationView) {
        let extensions = view.extensions
        self.init(
            view.id, ScheduleEntries(view.schedule.slots, extensions),
            weekdays: view.schedule.weekdays, zone: view.schedule.zone,
            course: DoseCourse(extensions),
            isActive: view.flags.contains(.isActive),
            isAsNeeded: view.flags.contains(.asNeeded))
    }

    /// Whether it has doses by the clock.
    package var isPlanned: Bool { isActive && !isAsNeeded && !entries.list.isEmpty }

    /// The planned doses of a date, in days since 2020-01-01, ascending by minute.
    package func doses(on day: Int) -> [PlannedDose] {
        guard let date = UInt16(exactly: day), course.holds(on: day, weekdays) else { return [] }
        return entries.doses(on: date)
    }
}
