import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The phone's file: taken up at the start, asked afterwards.
extension PhoneApplication {
    /// The clock that the file's next doses were last counted from.
    struct Refreshed: Sendable {
        var minute: WallMinute
        var zoneOffsetMinutes: Int16
    }

    private static let page = 500

    func expected(of row: StoredRow) throws -> StoredMedication { try Medication.expected(of: row) }

    func open(_ store: FileStore) throws {
        var medications = MedicationList()
        var place: Int64 = 0
        while true {
            let rows = try store.list(after: place, limit: Self.page)
            for row in rows {
                medications.append(try KeptMedication(Medication(stored: row)))
            }
            guard rows.count == Self.page, let last = rows.last else { break }
            place = last.place
        }
        let hasList = try store.note(.hasList) != nil
        let made = medications
        let zones = try store.note(.zones).map { try ZoneLog($0) }
        library.withLock { library in
            library.restore(made, hasList: hasList)
            if let zones { library.zones = zones }
        }
        kept.withLock { $0 = store }
        isKept.store(true, ordering: .relaxed)
    }

    func queries(in simulator: Simulator) throws -> any StoreQueries {
        let clock = SystemClock.wall
        guard let store = kept.withLock({ $0 }) else {
            let medications = library.withLock { $0.store.medications }
            return ListStore(medications.map { $0.stored(at: clock) }, simulator.ledger.store)
        }
        try acts.withLock { refreshed in
            try refresh(store, clock, &refreshed, in: simulator)
        }
        return store
    }

    /// Counts next doses anew that are over; all of them when the clock or the zone was changed.
    private func refresh(
        _ store: FileStore, _ clock: WallClock, _ refreshed: inout Refreshed?,
        in simulator: Simulator
    ) throws {
        let now = WallMinute(clock.time)
        let isSteady = refreshed.map {
            $0.minute <= now && $0.zoneOffsetMinutes == clock.zoneOffsetMinutes
        }
        var place: Int64 = 0
        while true {
            let rows =
                isSteady == true
                ? try store.overtaken(at: now, limit: Self.page)
                : try store.list(after: place, limit: Self.page)
            let writes: [any StoreWrite] = try rows.compactMap { row in
                let next = try Medication(stored: row).nextDose(after: clock)
                return next == row.nextDose ? nil : StoreChange.nextDose(at: row.place, next)
            }
            if !writes.isEmpty {
                simulator.write(writes)
                try simulator.keep()
            }
            guard rows.count == Self.page, let last = rows.last else { break }
            place = last.place
        }
        refreshed = Refreshed(minute: now, zoneOffsetMinutes: clock.zoneOffsetMinutes)
    }

    func describe(_ body: [UInt8]) -> JSONObject? {
        guard let medication = try? Medication(storedBody: body) else { return nil }
        var object = JSONObject()
        object["key"] = .string(medication.id.recordKey.hex)
        object["name"] = .string(medication.name)
        object["strength"] = .string(medication.strength)
        object["revision"] = .whole(medication.revision)
        return object
    }
}
