import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoJournal
import WatchProtoTransport

/// The phone: imports medications, projects them for the watch, records doses.
final class PhoneApplication: SimulatorApplication {
    let library = Mutex(PhoneLibrary())

    /// The file of the library, if there is one, and how often it had been opened again when the
    /// library was read from it.
    let kept = Mutex<(store: FileStore, reopenCount: Int)?>(nil)
    /// One act on the library at a time, from the change to the record that carries it. So packets,
    /// file and memory have one order. Never taken by calls from the session.
    let acts = Mutex<Refreshed?>(nil)

    let pictures = PhonePictures()
    /// The looks at the doses.
    let looks = Mutex(PhoneLooks())

    /// Numbers the states of loads, from 1 on.
    private let complications = Atomic<UInt32>(0)
    /// Whether there is a file.
    let isKept = Atomic<Bool>(false)

    let role = DeviceRole.phone
    let commands = [
        CommandForm("import", "path", "partial"), CommandForm("sync"),
        CommandForm("medication.change", "index", "count", "partial"),
        CommandForm("medication.remove", "index"), CommandForm("list"),
        CommandForm("complication.update", "text", "cause", "change", "threshold"),
        CommandForm("complication.why", "limit"),
        CommandForm("picture.set", "key", "path"), CommandForm("picture.remove", "key"),
        CommandForm("app.report", "foreground", "capabilities", "active", "locked"),
    ]
    private static let changesOfList = ["import", "medication.change", "medication.remove", "sync"]
    let commandsAlone = ["import", "list", "complication.why", "app.report", "picture.set"]
    let loadKinds = ["medication", "complication", "dose", "message"]

    func take(_ record: InboundRecord) -> Arrival { .other(record) }

    func begins(in simulator: Simulator) { pictures.begin(in: simulator) }

    func sessionBegins(with pairing: PairingID?) { pictures.sessionBegins(with: pairing) }

    func answer(
        _ request: PictureMessage.Request, _ pairing: PairingID?
    ) -> PictureMessage.Reply? { pictures.answer(request, pairing) }

    func doses(_ events: [DoseEvent]) {
        library.withLock { library in
            for event in events { library.record(event) }
        }
    }

    func forgetDoses() { library.withLock { $0.forgetDoses() } }

    func doseTarget(at index: Int, _ moment: WallMinute, _ zone: ZoneTimeline) -> DoseTarget? {
        library.withLock { library in
            guard library.count > 0 else { return nil }
            let entries = library.store.medications.entries
            return Self.target(of: entries[index % library.count], moment, zone)
        }
    }

    func doseTarget(of row: StoredRow, _ moment: WallMinute, _ zone: ZoneTimeline) -> DoseTarget? {
        (try? Medication(stored: row)).map { medication in
            Self.target(of: PhoneList.Entry(medication, nil), moment, zone)
        }
    }

    private static func target(
        of entry: PhoneList.Entry, _ moment: WallMinute, _ zone: ZoneTimeline
    ) -> DoseTarget {
        let dosing = entry.dosing
        return DoseTarget(
            medication: dosing.medication, planned: dosing.planned(at: moment, zone),
            entries: dosing.entries, amount: entry.amount, limits: entry.limits)
    }

    func zone(at now: WallMinute) -> ZoneTimeline { library.withLock { $0.zone(at: now) } }

    func place(of medication: MedicationID) -> Int? {
        library.withLock { $0.store.medications.index(of: medication) }
    }

    func perform(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject? {
        defer {
            if Self.changesOfList.contains(request.command) { simulator.faceMayChange(.list) }
        }
        let reply = try answer(request, in: simulator)
        // An import leaves with the next 'sync'.
        if ["medication.change", "medication.remove"].contains(request.command) { offerEdits() }
        return reply
    }

    private func answer(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject? {
        switch request.command {
        case "import": try importFile(request, in: simulator)
        case "sync": try synchronize(request, in: simulator)
        case "medication.change": try changeMedications(request, in: simulator)
        case "medication.remove": try removeMedication(request, in: simulator)
        case "list": try list(in: simulator)
        case "complication.why": try simulator.explainComplications(request)
        case "app.report": try simulator.reportApp(request)
        case "picture.set":
            try pictures.set(request, of: try simulator.medication(request).rawValue)
        case "picture.remove":
            try pictures.remove(request, of: try simulator.medication(request).rawValue)
        default: try updateComplication(request, in: simulator)
        }
    }

    /// The list and its doses are the phone's own, and stay.
    func forget() -> [SQLWrite] {
        sessionEnds()
        return []
    }

    func sessionEnds() {}

    // MARK: Loads

    func prepareLoad(_ plan: LoadPlan) throws(ControlError) {
        guard plan.streams.contains(where: { ["medication", "dose"].contains($0.kind) }) else {
            return
        }
        guard library.withLock({ $0.count > 0 }) else { throw .emptyList }
    }

    func fire(_ shot: LoadShot, in simulator: Simulator) throws(SendRefusal) {
        if shot.kind == "complication" {
            let revision = complications.wrappingAdd(1, ordering: .relaxed).newValue
            let state = LoadComplication.state(revision)
            try simulator.show(state, intended: shot.intended, isWarmUp: shot.isWarmUp)
        } else if shot.kind == "dose" {
            simulator.recordDose(Int(shot.sequence % 1_000_000), shot)
        } else {
            let index = Int(shot.sequence % 1_000_000)
            do throws(Halt) {
                try act(index, shot, in: simulator)
            } catch {
                switch error {
                case .refused(let refusal): throw refusal
                case .unfit(let failure) where failure.isOfFile: throw .journalFailed
                // `prepareLoad` has seen that there are medications, and each fits a watch.
                case .unfit: break
                }
            }
        }
    }
}

extension ControlError {
    /// A command needs a list and there is none.
    static var emptyList: ControlError {
        ControlError("no_medication", ["expected": "a list of medications: 'import' comes first"])
    }

    /// A medication cannot go to the watch.
    static func unfit(_ failure: PhoneLibrary.Failure) -> ControlError {
        failure.isOfFile
            ? .journalFailed(failure.text, outcome: "nothing")
            : ControlError("does_not_fit", ["found": .string(failure.text)])
    }
}
