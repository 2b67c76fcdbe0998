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

    /// Whether a dose of `medication` is overdue.
    func isOverdue(
        _ medication: Medication, at now: WallMinute, _ zone: ZoneTimeline
    ) -> Bool {
        FaceDosing(medication).doses(around: now, zone).contains { dose in
            let state = doseLog.states[dose.slot] ?? DoseSlotState(open: dose.slot)
            return DoseDisplay(state, dose.timing, now: now, checked: nil).phase == .overdue
        }
    }
}
