package import WatchProto

/// An edit of the list, its doses and the face.
extension MedicationStore {
    /// The medication, with the entries of its schedule as an edit leaves them. If the edit makes
    /// today a day with doses, all entries are added by it.
    func entries(
        of edited: Medication, editedFrom former: Medication, at clock: WallClock
    ) -> Medication {
        var next = edited
        let now = WallMinute(clock.time)
        let minutes = edited.schedule.minutes
        next.schedule.entries = former.schedule.entries.edited(to: minutes, at: now) { number in
            doseLog.hasEvents(of: former.id, entry: number)
        }
        if next.isPlanned(on: clock), !former.isPlanned(on: clock) {
            next.schedule.entries = next.schedule.entries.added(at: now)
        }
        return next
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
    /// Whether doses are planned for the local day at `clock`.
    fileprivate func isPlanned(on clock: WallClock) -> Bool {
        isActive && !isAsNeeded && schedule.holds(on: clock)
    }
}
