package import WatchProto

extension MedicationStore {
    /// Reads the dose events of the days around `clock` from the ledger, unless they are here.
    ///
    /// - Throws: the error of `read`.
    package mutating func holdDoses(
        around clock: WallClock, _ read: (ClosedRange<UInt16>) throws -> [DoseEvent]
    ) rethrows {
        try doseLog.hold(around: clock, read)
    }

    /// Adds a new dose event of the ledger.
    package mutating func record(_ event: DoseEvent) { doseLog.insert(event) }

    /// Forgets all dose events.
    package mutating func forgetDoses() { doseLog = DoseLog() }

    /// The state of the dose `planned` of `id`, which is of today.
    package func state(of planned: PlannedDose, _ id: MedicationID) -> PlannedRow.State {
        doseLog.state(of: DoseSlot(medication: id, entry: planned.entry, day: planned.day))
    }

    /// How many of today's doses of `medication` were due more than `graceMinutes` ago and are
    /// still open. Doses due before their entry was added do not count.
    func overdueDoses(
        of medication: Medication, at clock: WallClock, graceMinutes: Int32 = 30
    ) -> Int {
        guard medication.isActive, !medication.isAsNeeded else { return 0 }
        let now = WallMinute(clock.time)
        let entries = medication.entries
        return medication.schedule.doses(on: clock).count { dose in
            let timing = DoseTiming(due: dose.due, added: entries.added(dose.planned.entry))
            return Int64(dose.due.minutes) + Int64(graceMinutes) < Int64(now.minutes)
                && timing.isDue(at: now)
                && state(of: dose.planned, medication.id) == .open
        }
    }
}
