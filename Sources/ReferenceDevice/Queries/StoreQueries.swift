package import WatchProto

/// The queries of a device's store, in a file or in memory: both give the same answers.
///
/// Places count the rows in the order they came. A page goes on after the place its predecessor
/// ended with.
package protocol StoreQueries {
    /// Medications in the store, and dose events.
    ///
    /// - Throws: `JournalError` or `StoreFailure`, as all of these.
    func counts() throws -> (medications: Int, doses: Int)

    /// One medication; nil when it is not there. Throws as ``counts()``.
    func fetch(_ id: MedicationID) throws -> StoredRow?

    /// Medications in the order they came, after a place. Throws as ``counts()``.
    func list(after place: Int64, limit: Int) throws -> [StoredRow]

    /// Medications that have a next dose, the earliest first; the first is the one due next.
    /// Throws as ``counts()``.
    func byNextDose(limit: Int) throws -> [StoredRow]

    /// Planned doses, the earliest first. Throws as ``counts()``.
    func planned(_ query: PlannedQuery) throws -> [PlannedRow]

    /// Dose events, the newest first, of one medication or of all, before a place. Throws as
    /// ``counts()``.
    func doses(of id: MedicationID?, before place: Int64?, limit: Int) throws -> [DoseRow]
}

/// A medication found.
package struct StoredRow: Hashable, Sendable {
    /// Where it stands in the order they came.
    package var place: Int64
    /// When it is due next; nil when never.
    package var nextDose: WallMinute?
    /// The device's record.
    package var body: [UInt8]
    /// The summary of its doses, where the device counts them.
    package var history: DoseHistory?
}

/// Where a page of planned doses ended.
package struct PlannedCursor: Hashable, Comparable, Sendable {
    /// When the last dose of the page was due.
    package var due: WallMinute
    /// The place of its medication.
    package var place: Int64

    /// Makes the cursor.
    package init(due: WallMinute, place: Int64) {
        self.due = due
        self.place = place
    }

    /// Whether `left` stands before `right`.
    package static func < (left: PlannedCursor, right: PlannedCursor) -> Bool {
        (left.due, left.place) < (right.due, right.place)
    }
}

/// A planned dose found.
package struct PlannedRow: Hashable, Sendable {
    /// The state of a planned dose.
    package enum State: String, Hashable, Sendable {
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

        /// The state of a slot.
        init(_ state: DoseSlotState) {
            if state.isConflicting {
                self = .conflicting
            } else if let status = state.status {
                self = status.isTaken ? .taken : status.isSkipped ? .skipped : .snoozed
            } else {
                self = .open
            }
        }
    }

    /// When it is due, and the place of its medication.
    package var cursor: PlannedCursor
    /// Which dose it is.
    package var planned: PlannedDose
    /// The state of the dose.
    package var state: State
    /// How it is shown at the minute of the query.
    package var display: DoseDisplay
    /// The device's record of the medication.
    package var body: [UInt8] = []
}

/// A dose event found.
package struct DoseRow: Hashable, Sendable {
    /// Where it stands in the order they came.
    package var place: Int64
    /// The event, in its canonical encoding.
    package var body: [UInt8]

    init(_ row: (place: Int64, encoding: [UInt8])) {
        place = row.place
        body = row.encoding
    }
}
