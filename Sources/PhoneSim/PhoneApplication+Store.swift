import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoJournal
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
        // Before the list is read.
        let reopenCount = store.file.reopenCount
        var medications = PhoneList()
        let reader = Self.reader(of: store)
        var place: Int64 = 0
        while true {
            let rows = try store.list(after: place, limit: Self.page)
            for row in rows {
                let medication = try Medication(stored: row)
                medications.append(medication, KeptMedication(row, medication))
                if medications.isTooLarge { medications.release(reader) }
            }
            guard rows.count == Self.page, let last = rows.last else { break }
            place = last.place
        }
        let hasList = try store.note(.hasList) != nil
        let made = medications
        // After a failure the zones in memory are newer than those of the file.
        let isAgain = isKept.load(ordering: .relaxed)
        let zones = try isAgain ? nil : store.note(.zones).map { try ZoneLog($0) }
        library.withLock { library in
            library.restore(made, hasList: hasList)
            if let zones { library.zones = zones }
            if isAgain { library.zones.forgetWritten() }
        }
        kept.withLock { $0 = (store, reopenCount) }
        isKept.store(true, ordering: .relaxed)
    }

    /// Lets go of what the list holds in memory beyond its budget, once the file has it. Called
    /// while no act is under way. If the disk failed, it stays in memory.
    func releaseList(in simulator: Simulator) {
        guard library.withLock({ $0.store.medications.isTooLarge }),
            let store = kept.withLock({ $0?.store })
        else { return }
        do {
            try simulator.keep()
            guard try !readAnew() else { return }
        } catch {
            return
        }
        library.withLock { $0.release(Self.reader(of: store)) }
    }

    /// Reads the list again if its file was opened again since: edits of a failed commit are in
    /// memory alone. Called while no act is under way.
    ///
    /// - Returns: whether it did.
    /// - Throws: the error of a read; the file is at fault.
    @discardableResult
    func readAnew() throws -> Bool {
        guard let (store, reopenCount) = kept.withLock({ $0 }),
            store.file.reopenCount != reopenCount
        else { return false }
        try open(store)
        return true
    }

    private static func reader(of store: FileStore) -> MedicationReader {
        { id throws(UnreadableMedication) in
            let row: StoredRow?
            do {
                row = try store.fetch(id)
            } catch {
                throw UnreadableMedication(detail: "\(error)")
            }
            guard let row else { throw UnreadableMedication(detail: "it is not in the file") }
            return try Medication(stored: row)
        }
    }

    func queries(in simulator: Simulator) throws -> any StoreQueries {
        let clock = SystemClock.wall
        guard let store = kept.withLock({ $0?.store }) else {
            let medications = try library.withLock { try $0.store.medications.all() }
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
