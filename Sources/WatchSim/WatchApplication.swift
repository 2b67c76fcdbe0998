import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoJournal
import WatchProtoTransport

/// The watch: keeps medications, shows the face, records doses.
final class WatchApplication: SimulatorApplication {
    let store = Mutex(WatchStore())
    /// The file that the store is kept in, if there is one.
    let kept = Mutex<FileStore?>(nil)
    /// Whether there is one.
    let isKept = Atomic<Bool>(false)
    /// The face that moves by itself.
    let timeline = WatchTimeline()
    let pictures = WatchPictures()

    let role = DeviceRole.watch
    let commands = [
        CommandForm("face", "jpeg"), CommandForm("face.open"), CommandForm("face.close"),
        CommandForm("app.report", "foreground", "capabilities", "active", "locked"),
        CommandForm("store"),
        CommandForm("picture.get", "key", "size", "side", "refresh", "timeout_ms"),
        CommandForm("picture.list", "refresh"), CommandForm("picture.status"),
        CommandForm("memory.pressure", "level"),
    ]
    let commandsAlone = [
        "face", "face.open", "face.close", "app.report", "store", "picture.status",
        "memory.pressure",
    ]
    let loadKinds = ["dose", "message"]

    func begins(in simulator: Simulator) { pictures.begin(in: simulator) }

    // MARK: Records received

    func take(_ record: InboundRecord) -> Arrival {
        switch record.kind {
        case .medication: takeMedication(record)
        case .medicationRemoval: takeRemoval(record)
        case .complication: takeComplication(record)
        case .userInfo: takeUserInfo(record)
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
            .applied, revision: medication.revision, event: "medication.visible", cause: .list,
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
        pictures.removed(key.rawValue)
        return Arrival(
            .applied, event: "medication.visible", cause: .list,
            writes: writes(StoreChange.remove(MedicationID(rawValue: key.rawValue)))
        ) {
            ["key": .string(key.hex), "removed": true]
        }
    }

    private func takeUserInfo(_ record: InboundRecord) -> Arrival {
        if let name = PictureHead.failed(record.payload) {
            pictures.notSent(name)
            return Arrival(.applied)
        }
        guard let medication = PictureHead.removed(record.payload) else { return .other(record) }
        pictures.removed(medication)
        return Arrival(.applied, event: "picture.removed") {
            ["key": .string(RecordKey(rawValue: medication).hex)]
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
        let text = timeline.isPrivate ? "" : state.name
        return Arrival(
            .applied, revision: revision, event: "complication.shown", cause: .pushed,
            writes: writes(Self.note(record.payload, shown: shown))
        ) {
            [
                "text": .string(text), "source": "phone", "as_of_minute": .null,
                "age_ns": .null,
            ]
        }
    }

    /// A change of the file, where there is one.
    func writes(_ change: @autoclosure () -> SQLWrite) -> [any StoreWrite] {
        isKept.load(ordering: .relaxed) ? [change()] : []
    }

    func encoding(of key: RecordKey, equalTo bytes: [UInt8]) -> [UInt8]? {
        store.withLock { $0.encoding(of: key, equalTo: bytes) }
    }

    // MARK: Commands

    func perform(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject? {
        switch request.command {
        case "face":
            let wantsJPEG = try request.flag("jpeg", default: false)
            lookNow(in: simulator)
            return timeline.members(store.withLock { $0.face }) { picture in
                wantsJPEG ? pictures.thumbnailJPEG(of: picture) : nil
            }
        case "face.open", "face.close":
            lookNow(in: simulator)
            guard simulator.pictureDirectory != nil else { throw .noPictureDirectory }
            guard let key = pictures.open(face: request.command == "face.open") else {
                throw ControlError(
                    "no_medication", ["expected": "a face that names a medication"])
            }
            lookNow(in: simulator)
            return ["key": .string(Hex.text(key, digits: 32))]
        case "app.report":
            let locked = try request.optionalFlag("locked")
            let reply = try simulator.reportApp(request)
            if let locked {
                timeline.setPrivate(locked)
                if isKept.load(ordering: .relaxed) {
                    simulator.write([StoreChange.note(.isLocked, [locked ? 1 : 0])])
                    try simulator.keep()
                }
            }
            simulator.faceMayChange(.other)
            return reply
        case "store":
            let doses = JSONValue.whole((try? simulator.ledger.store.digest().count) ?? 0)
            return store.withLock { store in
                var object = JSONObject()
                object["count"] = .whole(store.count)
                object["digest"] = .string(Hex.text(UInt128(store.digest.rawValue), digits: 16))
                object["doses"] = doses
                return object
            }
        case "picture.get":
            try pictures.get(request, of: try simulator.medication(request).rawValue)
            return nil
        case "picture.list":
            try pictures.list(request)
            return nil
        case "picture.status": return try pictures.status()
        case "memory.pressure": return try pictures.shed(request)
        default: return nil
        }
    }

    func reachable(_ isReachable: Bool) { if isReachable { pictures.phoneIsReachable() } }

    func take(
        _ picture: PictureHead, at path: String, done: @escaping @Sendable () -> Void
    ) -> Bool {
        pictures.arrived(picture, at: path, done)
        return true
    }

    // MARK: Doses

    func doses(_ events: [DoseEvent]) { timeline.add(events) }

    func forgetDoses() { timeline.forgetDoses() }

    // MARK: The face

    func faceMayChange(_ cause: FaceCause) -> Bool { timeline.mark(cause) }

    var nextLook: Instant? {
        pictures.isFaceDue ? Instant(nanoseconds: 0) : timeline.nextLook
    }

    func look(in simulator: Simulator) {
        if timeline.isLookDue(at: SystemClock.now) {
            timeline.look(store, pictures, in: simulator)
        }
        if pictures.isFaceDue { timeline.show(pictures.takeFace(), in: simulator) }
        keepFace(in: simulator)
    }

    /// Shows at once all that the face is to show.
    private func lookNow(in simulator: Simulator) {
        if timeline.isPending { timeline.look(store, pictures, in: simulator) }
        if pictures.isFaceDue { timeline.show(pictures.takeFace(), in: simulator) }
    }

    func doseTarget(at index: Int, _ moment: WallMinute, _ zone: ZoneTimeline) -> DoseTarget? {
        store.withLock { $0.medication(at: index) }?.doseTarget(at: moment, zone)
    }

    func doseTarget(of row: StoredRow, _ moment: WallMinute, _ zone: ZoneTimeline) -> DoseTarget? {
        (try? LightweightMedication(decoding: row.body))?.doseTarget(at: moment, zone)
    }

    func zone(at now: WallMinute) -> ZoneTimeline { timeline.zone(at: now) }

    func place(of medication: MedicationID) -> Int? {
        store.withLock { $0.place(of: medication) }
    }

    // MARK: Loads

    func prepareLoad(_ plan: LoadPlan) throws(ControlError) {
        let needsStore = plan.streams.contains { $0.kind == "dose" }
        guard !needsStore || store.withLock({ $0.count > 0 }) else {
            throw ControlError("no_medication", ["expected": "a store with medications in it"])
        }
    }

    func fire(_ shot: LoadShot, in simulator: Simulator) {
        simulator.recordDose(Int(shot.sequence % 1_000_000), shot)
    }
}
