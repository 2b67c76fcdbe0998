import ControlProtocol
import Locks
import ReferenceDevice
import WatchProto
import WatchProtoTransport

/// Recovers values that the watch has and this phone's journal had lost. The phone's file counts:
/// its present value goes to the watch as the newest.
///
/// Each value stays in the file until the record that answers it is queued. A comparison of the
/// whole list at every start would also send edits that nobody has synchronized yet.
extension PhoneApplication {
    func recovers(_ value: StoredValue) -> Bool {
        guard library.withLock({ $0.hasList }) else { return false }
        switch value.kind {
        case .medication, .medicationRemoval: return true
        case .complication: return value.key == ComplicationID.main.recordKey
        default: return false
        }
    }

    func recover(_ value: StoredValue, in simulator: Simulator) throws(ControlError) {
        if value.kind == .complication { return try showAnew(value, in: simulator) }
        let id = MedicationID(rawValue: value.key.rawValue)
        let revision = (try? LightweightMedication(decoding: value.payload))?.revision ?? 0
        do throws(Halt) {
            try acts.withLock { _ throws(Halt) in
                releaseList(in: simulator)
                let clock = SystemClock.wall
                let found = try carried { library throws(PhoneLibrary.Failure) in
                    try library.reassert(id, over: revision, clock)
                }
                guard let (made, act) = found else {
                    try dropFromWatch(value, in: simulator)
                    return
                }
                let removal = simulator.storage.removal(of: value)
                try send(made, act, nil, with: removal, in: simulator)
            }
        } catch {
            throw error.controlError
        }
    }

    /// The list and the face are not among them: the watch is empty after a pairing, and `sync` and
    /// `complication.update` send it all of that.
    var carriedOver: [ContentKind] { [.userInfo, .file, .applicationContext] }

    private func dropFromWatch(
        _ value: StoredValue, in simulator: Simulator
    ) throws(Halt) {
        do throws(SendRefusal) {
            let writes = simulator.storage.removal(of: value)
            _ = try sendRemoval(of: value.key, writes, in: simulator)
        } catch {
            throw .refused(error)
        }
    }
}
