import ControlProtocol
import Locks
import ReferenceDevice
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoTransport

/// The watch: keeps medications, shows the face, records doses.
final class WatchApplication: SimulatorApplication {
    let store = Mutex(WatchStore())
    /// The file that the store is kept in, if there is one.
    let kept = Mutex<FileStore?>(nil)
    /// Whether there is one.
    let isKept = Atomic<Bool>(false)
    /// Whether the phone has lost doses that it had confirmed.
    let owesDoses = Atomic<Bool>(false)

    let role = DeviceRole.watch
    let commands = ["face", "store", "dose.record"]
    let commandsAlone = ["face", "store"]
    let loadKinds = ["dose", "message"]

    // MARK: What arrives

    func take(_ record: InboundRecord) -> Arrival {
        switch record.kind {
        case .medication: takeMedication(record)
        case .medicationRemoval: takeRemoval(record)
        case .complication: takeComplication(record)
        default: .other(record)
        }
    }

    private func takeMedication(_ record: InboundRecord) -> Arrival {
        guard let medication = try? LightweightMedication(decoding: record.payload),
            medication.recordKey == record.key
        else { return .unreadable }
        let payload = record.payload
        store.withLock { $0.put(medication, payload) }
        return Arrival(
            .applied, revision: medication.revision, event: "medication.visible",
            writes: writes(StoreChange.put { medication.stored(payload) })
        ) {
            [
                "key": .string(medication.recordKey.hex),
                "revision": .whole(medication.revision),
            ]
        }
    }

    private func takeRemoval(_ record: InboundRecord) -> Arrival {
        guard let key = record.key, record.payload.isEmpty else { return .unreadable }
        store.withLock { $0.remove(key) }
        return Arrival(
            .applied, event: "medication.visible",
            writes: writes(StoreChange.remove(MedicationID(rawValue: key.rawValue)))
        ) {
            ["key": .string(key.hex), "removed": true]
        }
    }

    private func takeComplication(_ record: InboundRecord) -> Arrival {
        guard let state = try? ComplicationState(decoding: record.payload) else {
            return .unreadable
        }
        let shown = store.withLock { store in
            store.show(state)
            return store.face.revision
        }
        let revision = LoadComplication.revision(of: state)
        return Arrival(
            .applied, revision: revision, event: "complication.shown",
            writes: writes(Self.note(record.payload, shown: shown))
        ) {
            ["text": .string(state.name)]
        }
    }

    /// A change of the file, where there is one.
    func writes(_ change: @autoclosure () -> SQLWrite) -> [any StoreWrite] {
        isKept.load(ordering: .relaxed) ? [change()] : []
    }

    // MARK: Commands

    func perform(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject? {
        switch request.command {
        case "face": return store.withLock { $0.face.controlMembers }
        case "store":
            return store.withLock { store in
                var object = JSONObject()
                object["count"] = .whole(store.medications.count)
                object["digest"] = .string(Hex.text(UInt128(store.digest.rawValue), digits: 16))
                object["doses"] = .whole(store.doseCount)
                return object
            }
        default: return try recordDoses(request, in: simulator)
        }
    }

    private func recordDoses(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject {
        let index = try place(request)
        // The reply of more would be longer than a line may be.
        let count = Int(try request.optionalInteger("count", in: 1...5000) ?? 1)
        let first = try doseIdentity(request)
        let status = try doseStatus(request)
        let waiting = simulator.session.outstandingTransfers.count { $0.channel == .background }
        // All of them, or none.
        guard waiting + count <= simulator.options.queueLimit else {
            throw SendRefusal.queueFull(records: waiting).controlError
        }
        var records: [JSONValue] = []
        for number in 0..<count {
            let dose = first.map { DoseEventID(rawValue: $0 &+ UInt128(number)) } ?? newIdentity
            let id: RecordID?
            do throws(SendRefusal) {
                id = try sendDose(index + number, dose, status, in: simulator)
            } catch {
                throw error.controlError
            }
            guard let id else {
                throw ControlError("no_medication", ["expected": "a store with medications in it"])
            }
            var record = id.controlMembers
            record["dose"] = .string(dose.recordKey.hex)
            records.append(.object(record))
        }
        try simulator.keep()
        var object = JSONObject()
        object["recorded"] = .whole(records.count)
        object["records"] = .array(records)
        return object
    }

    /// What whoever asks wants the first dose to be called; the others count on from it.
    private func doseIdentity(_ request: ControlRequest) throws(ControlError) -> UInt128? {
        let expected = "32 hexadecimal digits"
        guard let text = try request.optionalString("dose", expected: expected) else { return nil }
        guard text.utf8.count == 32, let value = UInt128(text, radix: 16) else {
            throw .badField("dose", expected: expected, found: "another text")
        }
        return value
    }

    /// What was done about it; taken where nothing is said.
    private func doseStatus(_ request: ControlRequest) throws(ControlError) -> DoseStatus {
        let expected = "taken or skipped"
        switch try request.optionalString("action", expected: expected) {
        case nil, "taken": return .taken
        case "skipped": return .skipped
        default: throw .badField("action", expected: expected, found: "another word")
        }
    }

    /// Two random halves: an event's identity never comes back, not after a restart either.
    private var newIdentity: DoseEventID {
        DoseEventID(
            rawValue: UInt128(SystemRandomness.epoch().rawValue) << 64
                | UInt128(SystemRandomness.epoch().rawValue))
    }

    // MARK: Loads

    func prepareLoad(_ plan: LoadPlan) throws(ControlError) {
        let needsStore = plan.streams.contains { $0.kind == "dose" }
        guard !needsStore || store.withLock({ !$0.medications.isEmpty }) else {
            throw ControlError("no_medication", ["expected": "a store with medications in it"])
        }
    }

    func fire(_ shot: LoadShot, in simulator: Simulator) throws(SendRefusal) {
        _ = try sendDose(Int(shot.sequence % 1_000_000), newIdentity, .taken, shot, in: simulator)
    }

    /// Records that the dose of a medication was taken, or skipped, now, and sends it.
    private func sendDose(
        _ index: Int, _ id: DoseEventID, _ status: DoseStatus = .taken,
        _ shot: LoadShot? = nil, in simulator: Simulator
    ) throws(SendRefusal) -> RecordID? {
        guard let medication = store.withLock({ $0.medication(at: index) }) else { return nil }
        let clock = SystemClock.wall
        let event = DoseEvent(
            id: id, medication: medication.id, planned: medication.planned(at: clock),
            status: status.isTaken ? .taken(medication.dosage.amount) : status,
            time: DoseTime(
                clock.time, zoneOffset: ZoneOffset(clamping: Int(clock.zoneOffsetMinutes))))
        guard let payload = try? event.encoded() else {
            throw .tooLarge(bytes: event.encodedSize, limit: DoseEvent.byteBudget)
        }
        let record = try simulator.send(
            // A dose that only the phone knew would be open on the wrist, and taken again.
            event.draft(payload),
            SendOrigin(
                .doseEvent, payload: payload, intended: shot?.intended,
                isWarmUp: shot?.isWarmUp ?? false),
            writes: writes(StoreChange.record(event, payload)))
        let isKept = isKept.load(ordering: .relaxed)
        store.withLock { $0.record(event, isKept: isKept) }
        return record
    }
}

extension WatchFace {
    /// The members of the reply to `face`.
    fileprivate var controlMembers: JSONObject {
        var object = JSONObject()
        object["revision"] = .whole(revision)
        var shown = JSONValue.null
        if let complication {
            shown = [
                "text": .string(complication.name), "amount": .string(complication.amountText),
                "taken": .whole(complication.taken), "total": .whole(complication.total),
                "overdue": .whole(complication.overdue), "active": .whole(complication.active),
                "next_minute": complication.nextDose.map { .whole($0.minutes) } ?? .null,
            ]
        }
        object["complication"] = shown
        var next = JSONValue.null
        if let dose = self.next {
            next = [
                "key": .string(dose.key.hex), "name": .string(dose.medication.name),
                "dosage": .string(dose.medication.dosage.text),
                "minute": dose.medication.nextDose.map { .whole($0.minutes) } ?? .null,
                "revision": .whole(dose.medication.revision),
            ]
        }
        object["next_dose"] = next
        return object
    }
}
