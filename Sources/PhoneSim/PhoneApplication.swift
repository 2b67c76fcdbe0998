import ControlKit
import PhoneKit
import SimulatorKit
import Synchronization
import WatchProto
import WatchTransport

/// The phone: imports medications, projects them for the watch, keeps the history of doses.
final class PhoneApplication: SimulatorApplication {
    let library = Mutex(PhoneLibrary())
    /// The set that is being compared with the watch's, and since when.
    let comparison = Mutex<SyncAct?>(nil)

    /// Numbers the states of loads, from 1 on.
    private let complications = Atomic<UInt32>(0)

    let role = DeviceRole.phone
    let commands = [
        "import", "sync", "medication.change", "medication.remove", "list", "complication.update",
    ]
    let loadKinds = ["medication", "complication", "message"]

    func take(_ record: InboundRecord) -> Arrival {
        guard record.kind == .doseEvent else { return .other(record) }
        guard let event = try? DoseEvent(decoding: record.payload) else { return .unreadable }
        let isNew = library.withLock { $0.record(event) }
        return Arrival(.applied, event: "dose.arrived") {
            [
                "key": .string(event.medication.recordKey.hex),
                "dose": .string(event.id.recordKey.hex), "new": .bool(isNew),
            ]
        }
    }

    func perform(
        _ request: ControlRequest, in simulator: Simulator
    ) throws(ControlError) -> JSONObject? {
        switch request.command {
        case "import": try importFile(request)
        case "sync": try synchronize(request, in: simulator)
        case "medication.change": try changeMedications(request, in: simulator)
        case "medication.remove": try removeMedication(request, in: simulator)
        case "list": try list()
        default: try updateComplication(request, in: simulator)
        }
    }

    func synchronized(_ ids: [RecordID], _ trace: Trace, at now: Instant) {
        let act = comparison.withLock { act in
            defer { act = nil }
            return act
        }
        act?.book(ids, trace, at: now)
    }

    // MARK: Loads

    func prepareLoad(_ plan: LoadPlan) throws(ControlError) {
        guard plan.streams.contains(where: { $0.kind == "medication" }) else { return }
        guard library.withLock({ $0.count > 0 }) else { throw .emptyList }
    }

    func fire(_ shot: LoadShot, in simulator: Simulator) throws(SendRefusal) {
        if shot.kind == "complication" {
            let revision = complications.wrappingAdd(1, ordering: .relaxed).newValue
            let state = LoadComplication.state(revision)
            try simulator.show(state, intended: shot.intended, isWarmUp: shot.isWarmUp)
        } else {
            let index = Int(shot.sequence % 1_000_000)
            let clock = SystemClock.wall
            let made = library.withLock { library in
                try? library.change(at: index, clock)
            }
            // `prepareLoad` has seen that there are medications, and each fits a watch.
            guard let made else { return }
            try send(made, shot, in: simulator)
        }
    }

    /// Sends the watch's record of one medication.
    @discardableResult
    func send(
        _ made: PhoneLibrary.Projected, _ shot: LoadShot? = nil, in simulator: Simulator
    ) throws(SendRefusal) -> RecordID {
        try simulator.send(
            RecordDraft(
                lane: .context, kind: .medication, key: made.key, payload: made.payload),
            SendOrigin(
                .medication, key: made.key, revision: made.revision, payload: made.payload,
                intended: shot?.intended, isWarmUp: shot?.isWarmUp ?? false))
    }
}

extension ControlError {
    /// A command needs a list and there is none.
    static var emptyList: ControlError {
        ControlError("no_medication", ["expected": "a list of medications: 'import' comes first"])
    }

    /// A medication cannot go to the watch.
    static func unfit(_ failure: PhoneLibrary.Failure) -> ControlError {
        ControlError("does_not_fit", ["found": .string(failure.text)])
    }
}
