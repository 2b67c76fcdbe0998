internal import ControlProtocol
internal import Locks
internal import WatchProto

/// Lets the application recover values, and reports what it met. A value that finds no room waits
/// until a record has ended.
final class Recovery: Sendable {
    private struct State {
        /// The values that the application could not recover: they wait for the next start.
        var failed: Set<StoredValue> = []
        /// Whether it was reported that one waits for room.
        var isReported = false
    }

    private let state = Mutex(State())
    private let needsRoom = Atomic<Bool>(false)
    private let wake: @Sendable () -> Void

    /// - Parameter wake: lets the main thread recover values again.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Whether a value waits for room.
    var isWaiting: Bool { needsRoom.load(ordering: .sequentiallyConsistent) }

    /// A record has ended: there may be room now.
    func recordEnded() { if isWaiting { wake() } }

    /// There are values to recover.
    func valuesCame() { wake() }

    /// The values were read again from the file, or are gone.
    func reset() {
        state.withLock { $0.failed = [] }
        wake()
    }

    /// Sends the records of a former pairing, then tries each value once; stops at a full queue.
    ///
    /// - Parameters:
    ///   - send: returns why a record waits; nil if none does.
    ///   - values: the values to recover, the oldest first.
    ///   - recover: recovers one value, or throws with nothing changed.
    /// - Returns: errors to report. That there is no room is reported once for as long as it lasts.
    func perform(
        send: () -> SendRefusal?, values: () -> [StoredValue],
        recover: (StoredValue) throws(ControlError) -> Void
    ) -> [ControlError] {
        // Before the first try: a record that ends meanwhile must wake.
        needsRoom.store(true, ordering: .sequentiallyConsistent)
        var full = send()?.controlError
        var errors: [ControlError] = []
        let failed = state.withLock { $0.failed }
        for value in values() where !failed.contains(value) {
            do throws(ControlError) {
                try recover(value)
            } catch {
                if Self.waitsForRoom.contains(error.code) {
                    full = error
                    if error.code == Self.queueFull { break }
                } else {
                    errors.append(error)
                    state.withLock { _ = $0.failed.insert(value) }
                }
            }
        }
        if full == nil { needsRoom.store(false, ordering: .sequentiallyConsistent) }
        state.withLock { state in
            if let full, !state.isReported { errors.append(full) }
            state.isReported = full != nil
        }
        return errors
    }

    private static let queueFull = SendRefusal.queueFull(records: 0).controlName
    private static let waitsForRoom = [
        queueFull, SendRefusal.tooManyKeys(limit: 0).controlName,
        SendRefusal.setTooLarge(limit: 0).controlName,
    ]
}

extension Simulator {
    /// Sends what a former pairing with the device in use did not deliver, and lets the
    /// application recover values. On the main thread.
    func recover() {
        let session = session
        guard !(session is NoSession) else { return }
        let counterpart = life.withLock { $0.device?.counterpartNumber } ?? 0
        let errors = observer.recovery.perform {
            storage.sendCarriedOver(to: counterpart, over: session) { value, id, now in
                let draft = value.draft
                files.sent(value, as: id)
                trace.accepted(
                    id, SendOrigin(draft.kind, key: draft.key, payload: draft.payload), at: now)
            }
        } values: {
            storage.values(.recovered, of: counterpart)
        } recover: { value throws(ControlError) in
            try application.recover(value, in: self)
            storage.forget(value)
        }
        for error in errors { hub.post("error", ["error": error.value]) }
    }
}
