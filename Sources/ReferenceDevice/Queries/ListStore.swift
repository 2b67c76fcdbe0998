package import WatchProtoCore
package import WatchProtoRecords

/// The store of a run without a journal: everything in memory, looked through anew for every query.
package struct ListStore: StoreQueries {
    private let medications: [StoredMedication]
    private let events: [DoseEvent]

    /// Makes a store of medications and dose events in the order they came.
    package init(_ medications: [StoredMedication], _ events: [DoseEvent]) {
        self.medications = medications
        self.events = events
    }

    package func counts() -> (medications: Int, doses: Int) { (medications.count, events.count) }

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
    ) -> [PlannedRow] {
        let rows = planned(clock).map(\.row)
        return Array(rows.filter { row in cursor.map { $0 < row.cursor } ?? true }.prefix(limit))
    }

    package func dueNow(_ clock: WallClock, limit: Int) -> [PlannedRow] {
        let now = WallMinute(clock.time)
        let rows = planned(clock).filter { one in
            one.row.cursor.due <= now && one.row.cursor.due >= one.known
                && [.open, .snoozed].contains(one.row.state)
        }
        return Array(rows.map(\.row).prefix(limit))
    }

    private func planned(_ clock: WallClock) -> [(row: PlannedRow, known: WallMinute)] {
        let replaced = Set(events.flatMap(\.replaces))
        var found: [DoseSlot: [DoseStatus]] = [:]
        for event in events where !replaced.contains(event.id) {
            guard let slot = event.slot, let status = event.status else { continue }
            found[slot, default: []].append(status)
        }
        var rows: [(row: PlannedRow, known: WallMinute)] = []
        for (index, medication) in medications.enumerated() where medication.isPlanned {
            let day = StoreDay(clock, zone: StoreDay.code(medication.times.zone))
            guard medication.times.holds(on: day.number) else { continue }
            for minute in medication.times.minutes {
                guard let dose = day.dose(at: minute) else { continue }
                let slot = DoseSlot(
                    medication: medication.id, entry: dose.planned.entry,
                    day: dose.planned.day)
                rows.append(
                    (
                        PlannedRow(
                            cursor: PlannedCursor(due: dose.due, place: Int64(index + 1)),
                            planned: dose.planned, state: PlannedRow.State(found[slot] ?? []),
                            body: medication.body), medication.knownSince
                    ))
            }
        }
        return rows.sorted { $0.row.cursor < $1.row.cursor }
    }

    package func doses(of id: MedicationID?, before place: Int64?, limit: Int) -> [DoseRow] {
        let end = place.map { max(0, Int(clamping: $0) - 1) } ?? events.count
        let found = events.indices.prefix(end).reversed().lazy
            .filter { id == nil || events[$0].medication == id }.prefix(limit)
        return found.compactMap { index in
            // What was read or made once encodes.
            (try? events[index].encoded()).map { DoseRow(place: Int64(index + 1), body: $0) }
        }
    }
}
