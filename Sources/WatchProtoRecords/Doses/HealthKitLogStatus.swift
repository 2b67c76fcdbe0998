/// The log status of a dose in HealthKit: the names and raw values of
/// `HKMedicationDoseEvent.LogStatus` (iOS 26, watchOS 26).
package enum HealthKitLogStatus: Int, CaseIterable, Hashable, Sendable {
    /// Nothing was logged for a scheduled dose. HealthKit makes this status itself.
    case notInteracted = 1
    /// A notification could not be delivered. HealthKit makes this status itself.
    case notificationNotSent
    /// The person snoozed the notification.
    case snoozed
    /// The person logged the dose as taken.
    case taken
    /// The person logged the dose as skipped.
    case skipped
    /// The person undid the log. It is no missed dose.
    case notLogged

    /// The source of a status in this library.
    package enum Origin: Hashable, Sendable {
        /// Events say so.
        case stored
        /// It follows from the schedule and the clock, and is in no event.
        case derived
        /// This library never has it.
        case never
    }

    /// The source of the status.
    package var origin: Origin {
        switch self {
        case .snoozed, .taken, .skipped, .notLogged: .stored
        case .notInteracted: .derived
        case .notificationNotSent: .never
        }
    }

    /// The action of an event with this status, and the status of the event; nil where it must not
    /// become an event.
    package var event: (action: DoseAction, status: DoseStatus?)? {
        switch self {
        case .taken: (.record, .taken)
        case .skipped: (.record, .skipped)
        case .notLogged: (.withdraw, nil)
        // HealthKit does not say until when.
        case .snoozed, .notInteracted, .notificationNotSent: nil
        }
    }

    /// The status of a slot; nil where HealthKit has no dose event, because the dose is not due.
    ///
    /// HealthKit has no conflict: a slot in conflict has a dose taken, and counts as taken.
    package init?(_ state: DoseSlotState, _ phase: DoseDisplay.Phase) {
        if state.isConflicting || state.status?.isTaken == true {
            self = .taken
        } else if let status = state.status {
            self = status.isSkipped ? .skipped : .snoozed
        } else if state.isWithdrawn {
            self = .notLogged
        } else {
            switch phase {
            case .due, .overdue, .notLogged: self = .notInteracted
            default: return nil
            }
        }
    }
}
