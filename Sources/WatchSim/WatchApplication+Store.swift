import ControlProtocol
import Locks
import ReferenceDevice
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoTransport

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
        restored.restore(complication, revision: revision, doseCount: try file.counts().doses)
        if try file.note(.owesDoses) != nil { owesDoses.store(true, ordering: .relaxed) }
        store.withLock { $0 = restored }
        kept.withLock { $0 = file }
        isKept.store(true, ordering: .relaxed)
    }

    /// A watch asks its phone nothing that it would wait for.
    func sessionEnds() {}

    func forget() -> [SQLWrite] {
        store.withLock { $0 = WatchStore() }
        return [StoreChange.eraseAll]
    }

    func eraseBrought(keepsOwn: Bool) -> [SQLWrite] {
        [keepsOwn ? StoreChange.eraseBrought : StoreChange.eraseAll]
    }

    func dropBrought(keepsOwn: Bool) {
        store.withLock { $0 = keepsOwn ? $0.ownAlone : WatchStore() }
    }

    /// A dose that the phone does not know would be open there, and taken again.
    func inheritance(of record: OutboundRecord) -> HandedBack? {
        guard record.kind == .doseEvent, let dose = try? DoseEvent(decoding: record.payload) else {
            return nil
        }
        return HandedBack(
            channel: record.id.channel, key: dose.id.recordKey, kind: record.kind,
            payload: record.payload)
    }

    /// Doses that the phone is offered again at most: the newest.
    private static let offeredDoses = 1024

    /// The phone knows a dose by its identity, and counts it once however often it comes.
    func counterpartForgot() -> [any StoreWrite] {
        owesDoses.store(true, ordering: .sequentiallyConsistent)
        return writes(StoreChange.note(.owesDoses, []))
    }

    var owesRecorded: Bool { owesDoses.load(ordering: .relaxed) }

    func takeOwed(
        _ underWay: [OutboundRecord]
    ) throws -> (values: [HandedBack], writes: [any StoreWrite]) {
        // Before the doses are read: what is heard from here on is of another loss.
        owesDoses.store(false, ordering: .sequentiallyConsistent)
        let queued = Set(
            underWay.filter { $0.kind == .doseEvent }
                .compactMap { try? DoseEvent(decoding: $0.payload).id })
        let values: [HandedBack] = try newestDoses().compactMap { dose, payload in
            guard !queued.contains(dose.id) else { return nil }
            return HandedBack(
                channel: .background, key: dose.id.recordKey, kind: .doseEvent, payload: payload)
        }
        return (values, writes(StoreChange.eraseNote(.owesDoses)))
    }

    /// The newest doses recorded here, the oldest of them first.
    private func newestDoses() throws -> [(DoseEvent, payload: [UInt8])] {
        guard let file = kept.withLock({ $0 }) else {
            return try store.withLock { try $0.doses.map { ($0, try $0.encoded()) } }
        }
        var found: [(DoseEvent, payload: [UInt8])] = []
        var before: Int64?
        while found.count < Self.offeredDoses {
            let limit = min(Self.page, Self.offeredDoses - found.count)
            let rows = try file.doses(of: nil, before: before, limit: limit)
            found += try rows.map { (try DoseEvent(decoding: $0.body), $0.body) }
            guard rows.count == limit, let last = rows.last else { break }
            before = last.place
        }
        return found.reversed()
    }

    func takeUp(_ value: HandedBack, in simulator: Simulator) throws(ControlError) {
        var draft = RecordDraft(
            channel: value.channel, kind: value.kind, payload: value.payload,
            waitsForCommit: true)
        draft.idempotencyKey = value.key.rawValue
        do throws(SendRefusal) {
            try simulator.send(
                draft, SendOrigin(value.kind, payload: value.payload),
                writes: isKept.load(ordering: .relaxed) ? [StoreChange.takenUp(value)] : [])
        } catch {
            throw error.controlError
        }
    }

    /// What the complication shows, after how many it has shown.
    static func note(_ state: [UInt8], shown: UInt64) -> SQLWrite {
        var writer = WireWriter()
        writer.uint64(shown)
        writer.append(state)
        return StoreChange.note(.complication, writer.bytes)
    }

    private static func complication(
        _ note: [UInt8]?
    ) throws -> (ComplicationState?, revision: UInt64) {
        guard let note else { return (nil, 0) }
        var reader = WireReader(note.span)
        let revision = try reader.uint64("complications shown")
        return (try ComplicationState(decoding: Array(note.dropFirst(8))), revision)
    }

    /// Which medication a dose is of: its place, or that of the one with a key.
    func place(_ request: ControlRequest) throws(ControlError) -> Int {
        let expected = "up to 32 hexadecimal digits"
        guard let text = try request.optionalString("key", expected: expected) else {
            return Int(try request.integer("index", in: 0...Int64(Int32.max)))
        }
        guard let key = UInt128(text, radix: 16), text.utf8.count <= 32 else {
            throw .badField("key", expected: expected, found: "another text")
        }
        let place = store.withLock { store in
            store.medications.values.firstIndex { $0.recordKey.rawValue == key }
        }
        guard let place else {
            throw ControlError("no_medication", ["expected": "a medication of the store"])
        }
        return place
    }

    func queries(in simulator: Simulator) -> any StoreQueries {
        if let file = kept.withLock({ $0 }) { return file }
        let (medications, doses) = store.withLock { ($0.stored, $0.doses) }
        return ListStore(medications, doses)
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
            nextDose: isActive ? nextDose : nil, knownSince: WallMinute(minutes: .min),
            times: StoredTimes(
                minutes: schedule.slots.minutes, weekdays: schedule.weekdays,
                zone: schedule.zone))
    }
}

extension DoseEvent {
    /// The event as a record. An event that is under way already stands for itself.
    func draft(_ payload: [UInt8]) -> RecordDraft {
        var draft = RecordDraft(
            channel: .background, kind: .doseEvent, payload: payload, waitsForCommit: true)
        draft.idempotencyKey = id.rawValue
        return draft
    }
}

extension LightweightMedication {
    /// The planned dose of today that an event at `clock` is about: the last that is due, else the
    /// first; nil where no times are planned.
    func planned(at clock: WallClock) -> PlannedDose? {
        let local = WallMinute(clock.time).minutes + Int32(clock.zoneOffsetMinutes)
        let day = local / 1440
        let minute = Int(local % 1440)
        let due = schedule.slots.minutes.last { $0 <= minute } ?? schedule.slots.minutes.first
        return due.flatMap { PlannedDose(day: UInt16(clamping: day), minute: $0) }
    }
}
