import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoJournal

/// The watch's file: taken up at the start, asked afterwards.
extension WatchApplication {
    private static let page = 500

    func expected(of row: StoredRow) throws -> StoredMedication {
        try LightweightMedication(decoding: row.body).stored(row.body)
    }

    func open(_ file: FileStore) throws {
        var restored = WatchStore()
        var place: Int64 = 0
        while true {
            let rows = try file.list(after: place, limit: Self.page)
            for row in rows {
                restored.put(try LightweightMedication(decoding: row.body), row.body)
            }
            guard rows.count == Self.page, let last = rows.last else { break }
            place = last.place
        }
        let (complication, revision) = try Self.complication(try file.note(.complication))
        restored.restore(complication, revision: revision)
        timeline.setPrivate(try file.note(.isLocked) == [1])
        if isKept.load(ordering: .relaxed) {
            // After a failure the zones in memory are newer than those of the file.
            timeline.forgetKept()
        } else if let zones = try file.note(.zones) {
            timeline.restore(try ZoneLog(zones))
        }
        let made = restored
        store.withLock { $0.adopt(made) }
        kept.withLock { $0 = file }
        isKept.store(true, ordering: .relaxed)
    }

    /// A watch asks its phone nothing that it would wait for.
    func sessionEnds() {}

    func forget() -> [SQLWrite] {
        pictures.forget()
        store.withLock { $0.adopt() }
        timeline.forgetKept()
        _ = timeline.mark(.other)
        return [StoreChange.eraseAll]
    }

    func eraseBrought() -> [SQLWrite] { [StoreChange.eraseAll] }

    func dropBrought() {
        pictures.forget()
        store.withLock { $0.adopt() }
        timeline.forgetKept()
        _ = timeline.mark(.other)
    }

    /// The note of the complication: the number of states it has shown, then its present state.
    static func note(_ state: [UInt8], shown: UInt64) -> SQLWrite {
        var writer = WireWriter()
        writer.uint64(shown)
        writer.append(state)
        return StoreChange.note(.complication, writer.bytes)
    }

    static func complication(
        _ note: [UInt8]?
    ) throws -> (ComplicationState?, revision: UInt64) {
        guard let note else { return (nil, 0) }
        var reader = WireReader(note.span)
        let revision = try reader.uint64("complications shown")
        return (try ComplicationState(decoding: Array(note.dropFirst(8))), revision)
    }

    func queries(in simulator: Simulator) -> any StoreQueries {
        if let file = kept.withLock({ $0 }) { return file }
        return ListStore(store.withLock { $0.stored }, simulator.ledger.store)
    }

    func describe(_ body: [UInt8]) -> JSONObject? {
        guard let medication = try? LightweightMedication(decoding: body) else { return nil }
        var object = JSONObject()
        object["key"] = .string(medication.recordKey.hex)
        object["name"] = .string(medication.name)
        object["dosage"] = .string(medication.dosage.text)
        object["revision"] = .whole(medication.revision)
        return object
    }
}

extension LightweightMedication {
    /// The medication as the watch's store keeps it: its next dose is the phone's word.
    func stored(_ encoding: [UInt8]) -> StoredMedication {
        let isActive = flags.contains(.isActive)
        return StoredMedication(
            id: id, body: encoding, isPlanned: isActive && !flags.contains(.asNeeded),
            nextDose: isActive ? nextDose : nil, times: StoredTimes(self))
    }
}
