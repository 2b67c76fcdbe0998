import ControlProtocol
import Locks
import ReferenceDevice
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords
import WatchProtoTransport

/// The phone: imports medications, projects them for the watch, keeps the history of doses.
final class PhoneApplication: SimulatorApplication {
    let library = Mutex(PhoneLibrary())

    /// The file that the library is kept in, if there is one.
    let kept = Mutex<FileStore?>(nil)
    /// One act on the library at a time, from the change to the record that carries it: what is
    /// sent, what is kept and what is in memory come in one order. Never taken by what the session
    /// calls.
    let acts = Mutex<Refreshed?>(nil)

    /// Numbers the states of loads, from 1 on.
    private let complications = Atomic<UInt32>(0)
    /// Whether there is a file.
    let isKept = Atomic<Bool>(false)

    let role = DeviceRole.phone
    let commands = [
        "import", "sync", "medication.change", "medication.remove", "list", "complication.update",
    ]
    let commandsAlone = ["import", "list"]
    let loadKinds = ["medication", "complication", "message"]

    func take(_ record: InboundRecord) -> Arrival {
        guard record.kind == .doseEvent else { return .other(record) }
        guard let event = try? DoseEvent(decoding: record.payload) else { return .unreadable }
        let (isNew, history) = library.withLock { library in
            (library.record(event), library.store[event.medication]?.history)
        }
        var writes: [any StoreWrite] = []
        if isNew, isKept.load(ordering: .relaxed) {
            writes = [StoreChange.record(event, record.payload)]
            if let history { writes.append(StoreChange.count(event.medication, history)) }
        }
        return Arrival(.applied, event: "dose.arrived", writes: writes) {
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
        case "import": try importFile(request, in: simulator)
        case "sync": try synchronize(request, in: simulator)
        case "medication.change": try changeMedications(request, in: simulator)
        case "medication.remove": try removeMedication(request, in: simulator)
        case "list": try list()
        default: try updateComplication(request, in: simulator)
        }
    }

    /// The list and its doses are the phone's own, and stay.
    func forget() -> [SQLWrite] {
        sessionEnds()
        return [StoreChange.eraseHandedBack]
    }

    func sessionEnds() {}

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
            do throws(Halt) {
                _ = try act(index, shot, in: simulator)
            } catch {
                // `prepareLoad` has seen that there are medications, and each fits a watch.
                if case .refused(let refusal) = error { throw refusal }
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
        ControlError("does_not_fit", ["found": .string(failure.text)])
    }
}
