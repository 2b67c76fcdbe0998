package import WatchProto

/// An edit of the list, its doses and the face.
extension MedicationStore {
    /// The medication, with the entries of its schedule as an edit leaves them. If the edit makes
    /// today a day with doses, it adds the entries whose hour has passed.
    func entries(
        of edited: Medication, editedFrom former: Medication, at clock: WallClock
    ) -> Medication {
        var next = edited
        let now = WallMinute(clock.time)
        let minutes = edited.schedule.minutes
        next.schedule.entries = former.schedule.entries.edited(to: minutes, at: now) {
            doseLog.hasEvents(of: former.id, entry: $0, otherThan: $1)
        }
        if next.isPlanned(on: clock), !former.isPlanned(on: clock) { next.addPassed(at: clock) }
        return next
    }

    /// The medication, with the entries of a new schedule if its record has no room for numbers.
    /// The hours that have passed are not due again then.
    func fitted(_ medication: Medication, at clock: WallClock) -> Medication {
        let usual = ScheduleEntries(minutes: medication.schedule.minutes)
        let first = WallMinute(minutes: 0)
        guard medication.schedule.entries.list.map(\.number) != usual.list.map(\.number),
            (try? MedicationProjection.project(medication, nextDose: first)) == nil
        else { return medication }
        var fitted = medication
        fitted.schedule.entries = usual
        fitted.addPassed(at: clock)
        return fitted
    }

    /// A medication that comes into the list. If the dose log has doses of other entries of it, it
    /// was in the list before: the hours that have passed are not due again.
    func newcomer(_ medication: Medication, at clock: WallClock) -> Medication {
        var medication = medication
        if doseLog.hasEvents(of: medication.id, otherThan: medication.schedule.entries) {
            medication.addPassed(at: clock)
        }
        return medication
    }

    /// Tells the cause that the edits since the last call are for a face; nil without edits. A
    /// strength, a dose or a schedule that changed is urgent.
    package mutating func takeEdits() -> UpdateCause? {
        defer { edits = nil }
        return edits
    }

    /// Notes an edit of a medication; nil for one that is not in the list.
    mutating func noteEdit(from former: Medication?, to next: Medication?) {
        let isSame =
            former?.strength == next?.strength && former?.dose == next?.dose
            && former.map { FaceDosing($0) } == next.map { FaceDosing($0) }
        if edits != .urgentChange { edits = isSame ? .change : .urgentChange }
    }
}

extension Medication {
    /// The entries whose hour of the local day has passed are added at `clock`.
    fileprivate mutating func addPassed(at clock: WallClock) {
        let now = WallMinute(clock.time)
        let passed = schedule.doses(on: clock).filter { $0.due <= now }.map(\.planned.entry)
        schedule.entries = schedule.entries.added(Set(passed), at: now)
    }

    /// Whether doses are planned for the local day at `clock`.
    fileprivate func isPlanned(on clock: WallClock) -> Bool {
        isActive && !isAsNeeded && schedule.holds(on: clock)
    }
}
