package import WatchProto

/// The store of a run without a journal: everything in memory, looked through anew for every query.
package struct ListStore: StoreQueries {
    private let medications: [StoredMedication]
    private let ledger: any LedgerStore

    /// Makes a store of medications in the order they came, and of a ledger.
    package init(_ medications: [StoredMedication], _ ledger: any LedgerStore) {
        self.medications = medications
        self.ledger = ledger
    }

    package func counts() throws -> (medications: Int, doses: Int) {
        (medications.count, Int(try ledger.digest().count))
    }

    private func row(_ index: Int) -> StoredRow {
        StoredRow(
            place: Int64(index + 1), nextDose: medications[index].nextDose,
            body: medications[index].body, history: medications[index].history)
    }

    package func fetch(_ id: MedicationID) -> StoredRow? {
        medications.firstIndex { $0.id == id }.map(row)
    }

    package func list(after place: Int64, limit: Int) -> [StoredRow] {
        medications.indices.dropFirst(Int(clamping: max(0, place))).prefix(limit).map(row)
    }

    package func byNextDose(limit: Int) -> [StoredRow] {
        let due = medications.indices.filter { medications[$0].nextDose != nil }.map(row)
        return Array(
            due.sorted {
                ($0.nextDose?.minutes ?? 0, $0.place) < ($1.nextDose?.minutes ?? 0, $1.place)
            }
            .prefix(limit))
    }

    package func today(
        _ clock: WallClock, after cursor: PlannedCursor?, limit: Int
    ) throws -> [PlannedRow] {
        let rows = try planned(clock).map(\.row)
        return Array(rows.filter { row in cursor.map { $0 < row.cursor } ?? true }.prefix(limit))
    }

    package func dueNow(_ clock: WallClock, limit: Int) throws -> [PlannedRow] {
        let now = WallMinute(clock.time)
        let rows = try planned(clock).filter { one in
            let timing = DoseTiming(due: one.row.cursor.due, added: one.known)
            return timing.due <= now && timing.isDue(at: now)
                && [.open, .snoozed].contains(one.row.state)
        }
        return Array(rows.map(\.row).prefix(limit))
    }

    private func planned(_ clock: WallClock) throws -> [(row: PlannedRow, known: WallMinute?)] {
        var rows: [(row: PlannedRow, known: WallMinute?)] = []
        for (index, medication) in medications.enumerated() where medication.isPlanned {
            let day = StoreDay(clock, zone: StoreDay.code(medication.times.zone))
            guard medication.times.holds(on: day.number) else { continue }
            for entry in medication.times.entries.list {
                guard let dose = day.dose(at: entry.minute, entry: entry.number) else { continue }
                let slot = DoseSlot(
                    medication: medication.id, entry: dose.planned.entry,
                    day: dose.planned.day)
                rows.append(
                    (
                        PlannedRow(
                            cursor: PlannedCursor(due: dose.due, place: Int64(index + 1)),
                            planned: dose.planned,
                            state: PlannedRow.State(try ledger.events(of: slot)),
                            body: medication.body), entry.added
                    ))
            }
        }
        return rows.sorted { $0.row.cursor < $1.row.cursor }
    }

    package func doses(of id: MedicationID?, before place: Int64?, limit: Int) throws -> [DoseRow] {
        try ledger.newest(of: id, before: place, limit: limit).map(DoseRow.init)
    }
}
