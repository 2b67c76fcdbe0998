import Locks
public import WatchProtoCore
import WatchProtoJournal
import WatchProtoTransport

/// An event of a session.
public enum SessionEvent: Sendable {
    /// A session with the other device opened or closed.
    case activation(ActivationState)
    /// The other device can answer now, or no longer.
    case reachability(Bool)
    /// The other application said this of itself.
    case counterpart(AppStatus)
    /// A record was settled. Also where its outcome is learnt later, or after a restart.
    case settled(TransferID, TransferOutcome)
    /// The number of settled records among those that waited for this link.
    case catchUp(settled: Int, of: Int)
    /// The receiver has made `done` bytes of a file durable; the sender learns it with each
    /// request. Each device has at most ten such events a second for one file, beside its
    /// problems. With a problem the transfer waits, for instance for room on the disk, and the next
    /// file is fetched meanwhile. Only the receiver hears that its disk is full, and that the
    /// sender paused.
    case fileProgress(TransferID, done: UInt64, of: UInt64, problem: String?)
    /// The oldest record has not been committed there for this long; without a record, none waits
    /// that long any more.
    case overdue(TransferID?, age: Duration)
    /// The other device of this pairing restarted, went back to a backup, or lost everything.
    /// Values that this device still has are sent again.
    case counterpartChanged(CounterpartChange, PairingID)
    /// This device's own journal went back to a backup, or was wiped. Each connected device that
    /// finds this out makes one event.
    case journalWentBack(wiped: Bool)
    /// The other device returned a value that this device's journal had lost. The value counts
    /// again. The application answers with ``RecoveredValue/acknowledge()``.
    case recovered(RecoveredValue)
    /// A value written since a restore met a different one that the other device still had. `kept`
    /// counts.
    case conflict(RecordKey, kept: ConflictingValue, replaced: ConflictingValue)
    /// The two devices of this pairing cannot go on with their keys, because one of them was
    /// copied: pair anew.
    case pairAnew(PairingID)
    /// The journal takes nothing for now; it is opened again by itself. Or a statement of the
    /// application failed: then no other event follows.
    case journalFailed(String)
    /// The journal is open again.
    case journalReopened
    /// The link ended or could not be opened; it is tried again by itself.
    case linkLost(String)
    /// The reader was too slow: this number of events is missing here.
    case missed(count: Int)
}

/// A value of this device that its journal had lost and the other device returned. It is listed,
/// also after a restart, until the application acknowledges it.
public struct RecoveredValue: Sendable {
    /// The kind of the bytes.
    public var kind: ContentKind { value.kind }
    /// The key of the value.
    public var key: RecordKey { value.key.mixed(with: kind) }
    /// The bytes, as the application's type encoded them.
    public var payload: [UInt8] { value.payload }

    private let value: StoredValue
    private let drop: @Sendable (StoredValue) -> Void

    init(_ value: StoredValue, _ session: CompanionSession) {
        self.value = value
        // An event that nobody reads keeps no session.
        drop = { [weak session] in session?.drop($0) }
    }

    /// The application has taken the value over, or does not want it. It is no longer listed.
    public func acknowledge() { drop(value) }
}

extension CompanionSession {
    func drop(_ value: StoredValue) {
        store.forget(value)
        let writes = store.removal(of: value)
        if writes.isEmpty { return }
        if let connection = connections.first {
            connection.driven.write(writes)
        } else {
            Offload.start { [store] in try? store.file?.write(writes) }
        }
    }
}

/// The readers of a session's events.
final class EventReaders: Sendable {
    private struct State {
        var feeds: [ElementBuffer<SessionEvent>] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// A further reader. It ends at once if the session has ended.
    func open() -> ElementBuffer<SessionEvent> {
        let feed = ElementBuffer<SessionEvent>(limit: limit) { .missed(count: $0) }
        let isFinished = state.withLock { state in
            state.feeds.removeAll { $0.isFinished }
            if !state.isFinished { state.feeds.append(feed) }
            return state.isFinished
        }
        if isFinished { feed.finish() }
        return feed
    }

    func add(_ event: SessionEvent) {
        for feed in state.withLock({ $0.feeds }) { feed.add(event) }
    }

    func finish() {
        let feeds = state.withLock { state in
            state.isFinished = true
            return state.feeds
        }
        for feed in feeds { feed.finish() }
    }
}
