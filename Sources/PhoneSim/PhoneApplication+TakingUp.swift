import ControlProtocol
import Locks
import ReferenceDevice
import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

/// What the watch holds and this process's forerunner never kept: nobody was told that it counts,
/// so what the file says does, and goes to the watch as the newest.
///
/// Each value stands in the file from the moment the journal takes it for its own until the record
/// that overrules it is queued. Comparing the list with what the journal says the watch holds would
/// do without that table, but at every start, over the whole list, and it would send what nobody
/// asked for: a list edited and not synchronized yet.
extension PhoneApplication {
    func takesUp(_ value: HandedBack) -> Bool {
        guard library.withLock({ $0.hasList }) else { return false }
        switch value.kind {
        case .medication, .medicationRemoval: return true
        case .complication: return value.key == ComplicationID.main.recordKey
        default: return false
        }
    }

    func takeUp(_ value: HandedBack, in simulator: Simulator) throws(ControlError) {
        if Self.inherited.contains(value.kind) { return try sendAnew(value, in: simulator) }
        if value.kind == .complication { return try showAnew(value, in: simulator) }
        let id = MedicationID(rawValue: value.key.rawValue)
        let revision = (try? LightweightMedication(decoding: value.payload))?.revision ?? 0
        do throws(Halt) {
            try acts.withLock { _ throws(Halt) in
                let clock = SystemClock.wall
                let found = try carried { library throws(PhoneLibrary.Failure) in
                    try library.reassert(id, over: revision, clock)
                }
                guard let (made, act) = found else {
                    try dropFromWatch(value, in: simulator)
                    return
                }
                _ = try send(made, act, nil, with: takenUp(value), in: simulator)
            }
        } catch {
            throw error.controlError
        }
    }

    /// What is said once, and by nobody else. The list and the face are not among it: the watch is
    /// empty after a pairing, and `sync` and `complication.update` bring it all of that as it is.
    private static let inherited: [ContentKind] = [.userInfo, .file, .applicationContext]

    func inheritance(of record: OutboundRecord) -> HandedBack? {
        let now = SystemClock.wall.time
        guard Self.inherited.contains(record.kind), record.expiresAt.map({ $0 > now }) ?? true
        else { return nil }
        let identity = UInt128(record.id.epoch.rawValue) << 64 | UInt128(record.id.number.rawValue)
        return HandedBack(
            channel: record.id.channel, key: record.key ?? RecordKey(rawValue: identity),
            kind: record.kind, payload: record.payload, expiresAt: record.expiresAt)
    }

    private func sendAnew(_ value: HandedBack, in simulator: Simulator) throws(ControlError) {
        let key = value.kind == .applicationContext ? value.key : nil
        var draft = RecordDraft(
            channel: value.channel, kind: value.kind, key: key, payload: value.payload)
        draft.expiresAt = value.expiresAt
        do throws(SendRefusal) {
            try simulator.send(
                draft, SendOrigin(value.kind, key: key, payload: value.payload),
                writes: takenUp(value))
        } catch .alreadyExpired {
            simulator.write(takenUp(value))
        } catch {
            throw error.controlError
        }
    }

    func takenUp(_ value: HandedBack) -> [any StoreWrite] {
        isKept.load(ordering: .relaxed) ? [StoreChange.takenUp(value)] : []
    }

    private func dropFromWatch(
        _ value: HandedBack, in simulator: Simulator
    ) throws(Halt) {
        let key = value.key
        do throws(SendRefusal) {
            _ = try simulator.send(
                RecordDraft(channel: .context, kind: .medicationRemoval, key: key, payload: []),
                SendOrigin(.medicationRemoval, key: key, payload: []), writes: takenUp(value))
        } catch {
            throw .refused(error)
        }
    }
}
