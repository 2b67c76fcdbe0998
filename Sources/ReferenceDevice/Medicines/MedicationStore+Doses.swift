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
        if event.status?.isTaken == true {
            history.taken += 1
            let moment = event.time.wall
            history.lastTakenAt = max(history.lastTakenAt ?? moment, moment)
        } else if event.status?.isSkipped == true {
            history.skipped += 1
        }
        for earlier in event.replaces {
            guard let replaced = doseLog.events.first(where: { $0.id == earlier }) else { continue }
            if replaced.status?.isTaken == true { history.taken = max(0, history.taken - 1) }
            if replaced.status?.isSkipped == true { history.skipped = max(0, history.skipped - 1) }
        }
        updateHistory(of: event.medication, history)
        return true
    }

    /// Every dose event, in the order they came.
    package var doseEvents: [DoseEvent] { doseLog.events }

    /// What became of the dose `planned` of `id`.
    package func state(of planned: PlannedDose, _ id: MedicationID) -> DoseState {
        let slot = DoseSlot(medication: id, entry: planned.entry, day: planned.day)
        let found = doseLog.standing(slot).compactMap(\.status)
        let isTaken = found.contains { $0.isTaken }
        let isSkipped = found.contains { $0.isSkipped }
        if isTaken, isSkipped { return .conflicting }
        if isTaken { return .taken }
        if isSkipped { return .skipped }
        return found.isEmpty ? .open : .snoozed
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
