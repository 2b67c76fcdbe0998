import WatchProtoCore
package import WatchProtoRecords

extension MedicationStore {
    /// What became of one dose.
    package enum DoseState: Hashable, Sendable {
        /// Nothing was said of it.
        case open
        /// It was taken.
        case taken
        /// It was left out on purpose.
        case skipped
        /// It comes back later.
        case snoozed
        /// Two events that both count disagree: someone has to look.
        case conflicting
    }

    /// Takes in a dose event; says whether it was new. The history of its medication is brought up
    /// to date, which is no edit: the revision stays.
    @discardableResult
    package mutating func record(_ event: DoseEvent) -> Bool {
        guard doseLog.insert(event) else { return false }
        guard let medication = self[event.medication] else { return true }
        var history = medication.history
        switch event.action {
        case .taken:
            history.taken += 1
            history.lastTakenAt = max(history.lastTakenAt ?? event.at, event.at)
        case .skipped: history.skipped += 1
        default: break
        }
        if let earlier = event.corrects,
            let replaced = doseLog.events.first(where: { $0.id == earlier })
        {
            if replaced.action == .taken { history.taken = max(0, history.taken - 1) }
            if replaced.action == .skipped { history.skipped = max(0, history.skipped - 1) }
        }
        updateHistory(of: event.medication, history)
        return true
    }

    /// Every dose event, in the order they came.
    package var doseEvents: [DoseEvent] { doseLog.events }

    /// What became of the dose `planned` of `id`.
    package func state(of planned: PlannedDose, _ id: MedicationID) -> DoseState {
        let events = doseLog.standing(DoseKey(medication: id, slot: .planned(planned)))
        let actions = events.map(\.action).filter { $0 == .taken || $0 == .skipped }
        if actions.contains(.taken), actions.contains(.skipped) { return .conflicting }
        if actions.contains(.taken) { return .taken }
        if actions.contains(.skipped) { return .skipped }
        return events.contains { $0.action == .snoozed } ? .snoozed : .open
    }

    /// How many of today's doses of `medication` were due more than `graceMinutes` ago and are
    /// still open. Doses due before the medication was known do not count.
    func overdueDoses(
        of medication: Medication, at clock: WallClock, graceMinutes: Int32 = 30
    ) -> Int {
        guard medication.isActive, !medication.isAsNeeded else { return 0 }
        let now = WallMinute(clock.time)
        let known = WallMinute(medication.createdAt)
        return medication.schedule.doses(on: clock).count { dose in
            Int64(dose.due.minutes) + Int64(graceMinutes) < Int64(now.minutes) && dose.due >= known
                && state(of: dose.planned, medication.id) == .open
        }
    }
}
