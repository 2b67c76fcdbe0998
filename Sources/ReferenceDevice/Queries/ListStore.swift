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

    package func planned(_ query: PlannedQuery) throws -> [PlannedRow] {
        var rows: [PlannedRow] = []
        for (index, medication) in medications.enumerated() where medication.isPlanned {
            let times = query.zone.timeline(for: medication.times.zone)
            let date = query.date(times)
            let dosing = medication.times.dosing(medication.id)
            for dose in dosing.doses(on: query.days(times), times) {
                let state = DoseSlotState(of: dose.slot, try ledger.events(of: dose.slot))
                guard var row = query.row(dose, state, Int64(index + 1), on: date) else { continue }
                row.body = medication.body
                rows.append(row)
            }
        }
        return query.page(rows)
    }

    package func doses(of id: MedicationID?, before place: Int64?, limit: Int) throws -> [DoseRow] {
        try ledger.newest(of: id, before: place, limit: limit).map(DoseRow.init)
    }
}
