import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// The wearer's changes to the list. Each changes the list in memory and in the file, and queues
/// the record for the watch, in one step.
extension PhoneApplication {
    /// Why an act was not carried on; nothing has changed then.
    enum Halt: Error {
        case unfit(PhoneLibrary.Failure)
        case refused(SendRefusal)

        var controlError: ControlError {
            switch self {
            case .unfit(let failure): .unfit(failure)
            case .refused(let refusal): refusal.controlError
            }
        }
    }

    /// Edits the medications at these places and sends them, all of them or none, or with
    /// `isPartial` as many as there is room for. Throws with nothing changed.
    func change(
        _ places: Range<Int>, isPartial: Bool, in simulator: Simulator
    ) throws(ControlError) -> [(PhoneLibrary.Projected, RecordID)] {
        do throws(Halt) {
            return try acts.withLock { _ throws(Halt) in
                releaseList(in: simulator)
                let clock = SystemClock.wall
                let made = try carried { library throws(PhoneLibrary.Failure) in
                    try library.change(places, isPartial: isPartial, clock)
                }
                let batch = simulator.send(
                    made.map { made, act in record(of: made, nil, writes: writes(of: act)) },
                    isPartial: isPartial)
                library.withLock { library in
                    for (_, act) in made[batch.accepted.count...].reversed() {
                        library.takeBack(act)
                    }
                }
                if batch.accepted.isEmpty, let refusal = batch.refusal { throw .refused(refusal) }
                return zip(made, batch.accepted).map { ($0.0, $1) }
            }
        } catch {
            throw error.controlError
        }
    }

    private func record(
        of made: PhoneLibrary.Projected, _ shot: LoadShot?, writes: [any StoreWrite]
    ) -> (draft: RecordDraft, origin: SendOrigin, writes: [any StoreWrite]) {
        let draft = RecordDraft(
            channel: .context, kind: .medication, key: made.key, payload: made.payload)
        let origin = SendOrigin(
            .medication, key: made.key, revision: made.revision, payload: made.payload,
            intended: shot?.intended, isWarmUp: shot?.isWarmUp ?? false)
        return (draft, origin, writes)
    }

    /// Edits the medication at `index` and sends it, for a load.
    func act(_ index: Int, _ shot: LoadShot, in simulator: Simulator) throws(Halt) {
        try acts.withLock { _ throws(Halt) in
            releaseList(in: simulator)
            let clock = SystemClock.wall
            let (made, act) = try carried { library throws(PhoneLibrary.Failure) in
                try library.change(at: index, clock)
            }
            try send(made, act, shot, in: simulator)
        }
    }

    func send(
        _ made: PhoneLibrary.Projected, _ act: PhoneLibrary.Act, _ shot: LoadShot?,
        with further: [any StoreWrite] = [], in simulator: Simulator
    ) throws(Halt) {
        _ = try carry(act, with: further, in: simulator) { writes throws(SendRefusal) in
            let record = record(of: made, shot, writes: writes)
            return try simulator.send(record.draft, record.origin, writes: record.writes)
        }
    }

    func sendRemoval(
        of key: RecordKey, _ writes: [any StoreWrite], in simulator: Simulator
    ) throws(SendRefusal) -> RecordID {
        try simulator.send(
            RecordDraft(channel: .context, kind: .medicationRemoval, key: key, payload: []),
            SendOrigin(.medicationRemoval, key: key, payload: []), writes: writes)
    }

    /// Takes the medication at `index` off the list and off the watch. Throws with nothing changed.
    func remove(
        _ index: Int, in simulator: Simulator
    ) throws(ControlError) -> (RecordKey, RecordID) {
        do throws(Halt) {
            return try acts.withLock { _ throws(Halt) in
                let act = try carried { library throws(PhoneLibrary.Failure) in
                    try library.remove(at: index)
                }
                let key = act.before.id.recordKey
                let id = try carry(act, in: simulator) { writes throws(SendRefusal) in
                    try sendRemoval(of: key, writes, in: simulator)
                }
                return (key, id)
            }
        } catch {
            throw error.controlError
        }
    }

    func carried<Value: Sendable>(
        _ body: (inout PhoneLibrary) throws(PhoneLibrary.Failure) -> Value
    ) throws(Halt) -> Value {
        do throws(PhoneLibrary.Failure) {
            return try library.withLock { library throws(PhoneLibrary.Failure) in
                try body(&library)
            }
        } catch {
            throw .unfit(error)
        }
    }

    /// Sends an act together with its change of the file, or takes it back.
    private func carry(
        _ act: PhoneLibrary.Act, with further: [any StoreWrite] = [], in simulator: Simulator,
        _ send: ([any StoreWrite]) throws(SendRefusal) -> RecordID
    ) throws(Halt) -> RecordID {
        do throws(SendRefusal) {
            return try send(writes(of: act) + further)
        } catch {
            library.withLock { $0.takeBack(act) }
            throw .refused(error)
        }
    }

    private func writes(of act: PhoneLibrary.Act) -> [any StoreWrite] {
        guard isKept.load(ordering: .relaxed) else { return [] }
        guard let after = act.after else { return [StoreChange.remove(act.before.id)] }
        let clock = SystemClock.wall
        return [StoreChange.put { after.medication.stored(at: clock) }]
    }

    /// Takes in what a file brought, durable when this returns. Throws with nothing changed if the
    /// file of the list cannot be read. Throws also when the disk failed; then nothing more is
    /// taken until the journal is opened again.
    func keepImport(
        _ summary: ImportSummary, in simulator: Simulator
    ) throws(ControlError) {
        try acts.withLock { _ throws(ControlError) in
            let clock = SystemClock.wall
            let changed: [KeptMedication]
            do {
                // Opens a file that failed, where there is no session which does so.
                simulator.write([])
                try simulator.keep()
                try readAnew()
                changed = try library.withLock { library in
                    try library.take(summary, at: clock)
                }
            } catch let error as ControlError {
                throw error
            } catch {
                throw .journalFailed("\(error)", outcome: "nothing")
            }
            guard isKept.load(ordering: .relaxed) else { return }
            var writes: [any StoreWrite] = changed.map { kept in
                StoreChange.put { kept.medication.stored(at: clock) }
            }
            if library.withLock({ $0.hasList }) { writes.append(StoreChange.note(.hasList, [1])) }
            simulator.write(writes)
        }
        try simulator.keep()
        acts.withLock { _ in releaseList(in: simulator) }
    }
}
