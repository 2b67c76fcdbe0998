package import WatchProto

/// A row of the phone's store that holds no medication; the file is at fault.
package struct UnreadableMedication: Error, Hashable, Sendable, CustomStringConvertible {
    /// The row; nil if it is not known.
    package var place: Int64?
    /// The fault found, without names.
    package var detail: String

    /// Makes the error.
    package init(place: Int64? = nil, detail: String) {
        self.place = place
        self.detail = detail
    }

    /// All of it, as one line.
    package var description: String {
        "\(place.map { "medication \($0)" } ?? "a medication") of the store: \(detail)"
    }
}

extension Medication {
    /// When it is due next after `clock`; nil when it is not active, taken as needed, or never due.
    package func nextDose(after clock: WallClock) -> WallMinute? {
        isActive && !isAsNeeded ? schedule.nextDose(after: clock) : nil
    }

    /// The medication as the phone's store keeps it, its next dose counted from `clock`.
    package func stored(at clock: WallClock) -> StoredMedication {
        StoredMedication(
            id: id, body: MedicationCoding.bytes(self), isPlanned: isActive && !isAsNeeded,
            nextDose: nextDose(after: clock),
            times: StoredTimes(
                entries, weekdays: schedule.weekdays, zone: schedule.zone,
                firstDay: schedule.start?.daysSince1970, lastDay: schedule.end?.daysSince1970,
                everyDays: schedule.everyDays),
            history: history)
    }

    /// The medication that a row of the phone's store holds.
    ///
    /// - Throws: ``UnreadableMedication``.
    package init(stored row: StoredRow) throws(UnreadableMedication) {
        do throws(WireError) {
            try self.init(storedBody: row.body)
        } catch {
            throw UnreadableMedication(place: row.place, detail: "\(error)")
        }
        history = row.history ?? DoseHistory()
    }

    /// The columns that a row of the phone's store ought to hold beside its record.
    ///
    /// For times in a zone of their own, the record determines when the next dose is due; the
    /// others are counted in the local time of the wearer, so the row's next dose is taken over.
    ///
    /// - Throws: ``UnreadableMedication``.
    package static func expected(
        of row: StoredRow
    ) throws(UnreadableMedication) -> StoredMedication {
        let medication = try Medication(stored: row)
        let minuteBefore = WallMinute(minutes: (row.nextDose?.minutes ?? 0) &- 1)
        var stored = medication.stored(at: WallClock(time: minuteBefore.wallTime))
        if row.nextDose == nil || stored.nextDose != nil && medication.schedule.zone == .floating {
            stored.nextDose = row.nextDose
        }
        return stored
    }

    /// The medication as the body of a row, without what became of its doses.
    package func storedBody() -> [UInt8] { MedicationCoding.bytes(self) }

    /// The medication of a row's body, without what became of its doses. Throws for any other
    /// bytes; the file is at fault.
    package init(storedBody body: [UInt8]) throws(WireError) {
        self = try MedicationCoding.medication(body)
    }
}
