import Locks
import WatchProtoCore

/// The records that wait for the application, in the order of arrival.
///
/// Each record stands here until a handler or a reader takes it. Handlers run one after the other,
/// on one task. Of a latest-value channel of a device only the newest value of each key waits.
final class Inbox: Sendable {
    typealias Body = @Sendable (PendingRecord) -> Void
    typealias Continuation = CheckedContinuation<PendingRecord?, Never>

    /// The receiver of one kind.
    enum Receiver {
        case handler(Body)
        case reader(Continuation?)
    }

    struct NameOfValue: Hashable {
        var pairing: PairingID
        var channel: Channel
        var key: RecordKey
    }

    struct State {
        /// Arrival numbers of the waiting records of each kind; some are of replaced values.
        var queues: [ContentKind: [UInt64]] = [:]
        var records: [UInt64: PendingRecord] = [:]
        var numbers: [RecordID: UInt64] = [:]
        var newest: [NameOfValue: UInt64] = [:]
        /// Messages that a reader took and that the application does not have yet.
        var handing: Set<RecordID> = []
        var receivers: [ContentKind: (token: Int, receiver: Receiver)] = [:]
        var nextNumber: UInt64 = 0
        var nextToken = 0
        var isDraining = false
        /// Records whose statements failed: the journal delivers them again.
        var failed: Set<RecordID> = []
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Adds a record. Called under the driver's lock.
    func add(_ pending: PendingRecord) {
        let waiting = state.withLock { state -> (Continuation, PendingRecord)? in
            guard !state.isFinished else { return nil }
            if let number = state.numbers[pending.record.id] {
                // It waits since a session before, which takes no answer any more.
                state.records[number] = pending
                return nil
            }
            state.append(pending)
            return state.takeForReader(pending.kind)
        }
        if let (continuation, record) = waiting {
            continuation.resume(returning: record)
        } else {
            drain()
        }
    }

    /// Makes `body` the handler of a kind, and ends the receiver before it.
    func handle(_ kind: ContentKind, _ body: @escaping Body) -> Int {
        let token = replace(kind, with: .handler(body))
        drain()
        return token
    }

    /// Makes the caller the reader of a kind, and ends the receiver before it.
    func read(_ kind: ContentKind) -> Int { replace(kind, with: .reader(nil)) }

    /// The next record for the reader with this token; nil once it was replaced, at the end, and
    /// for a cancelled task.
    func next(_ kind: ContentKind, _ token: Int) async -> PendingRecord? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> PendingRecord?? in
                    guard !state.isFinished, !Task.isCancelled,
                        let known = state.receivers[kind], known.token == token,
                        case .reader(nil) = known.receiver
                    else { return .some(nil) }
                    if let record = state.takeFirst(kind) { return .some(record) }
                    state.receivers[kind] = (token, .reader(continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let continuation = state.withLock { state -> Continuation? in
                guard let known = state.receivers[kind], known.token == token,
                    case .reader(let continuation) = known.receiver
                else { return nil }
                state.receivers[kind] = (token, .reader(nil))
                return continuation
            }
            continuation?.resume(returning: nil)
        }
    }

    /// Ends the receiver with this token. Records that arrive later wait.
    func end(_ kind: ContentKind, _ token: Int) {
        let ended = state.withLock { state -> Continuation? in
            guard let known = state.receivers[kind], known.token == token else { return nil }
            state.receivers[kind] = nil
            if case .reader(let continuation) = known.receiver { return continuation }
            return nil
        }
        ended?.resume(returning: nil)
    }

    /// A statement of the record's handler failed.
    func failed(_ id: RecordID) { state.withLock { _ = $0.failed.insert(id) } }

    /// Whether a statement failed before; the next answer is final.
    func hasFailed(_ id: RecordID) -> Bool {
        state.withLock { $0.failed.remove(id) != nil }
    }

    /// Whether records wait, or a handler runs.
    var hasRecords: Bool { state.withLock { $0.isDraining || !$0.records.isEmpty } }

    /// Whether no handler runs, and no message is being handed over.
    var isIdle: Bool { state.withLock { !$0.isDraining && $0.handing.isEmpty } }

    /// Whether a message waits here, or is being handed over.
    func has(_ id: RecordID) -> Bool {
        state.withLock { $0.numbers[id] != nil || $0.handing.contains(id) }
    }

    /// The application has a message that a reader took, or does not get it.
    func handedOver(_ id: RecordID) { state.withLock { _ = $0.handing.remove(id) } }

    /// Drops the waiting records of a pairing whose session has ended; nil for those of all.
    func removeAll(of pairing: PairingID? = nil) {
        state.withLock { state in
            for (number, pending) in state.records
            where pairing == nil || pending.pairing == pairing { state.remove(number) }
        }
    }

    /// Ends all receivers.
    func finish() {
        let ended = state.withLock { state -> [Continuation] in
            state.isFinished = true
            (state.queues, state.records, state.numbers, state.newest) = ([:], [:], [:], [:])
            defer { state.receivers = [:] }
            return state.receivers.values.compactMap { known in
                if case .reader(let continuation) = known.receiver { continuation } else { nil }
            }
        }
        for continuation in ended { continuation.resume(returning: nil) }
    }

    private func replace(_ kind: ContentKind, with receiver: Receiver) -> Int {
        let (token, ended) = state.withLock { state -> (Int, Continuation?) in
            state.nextToken += 1
            var ended: Continuation?
            if case .reader(let continuation) = state.receivers[kind]?.receiver {
                ended = continuation
            }
            state.receivers[kind] = (state.nextToken, receiver)
            return (state.nextToken, ended)
        }
        ended?.resume(returning: nil)
        return token
    }

    /// Lets the handlers run on a task, unless they do already.
    private func drain() {
        let isDue = state.withLock { state in
            guard !state.isDraining, state.firstForHandler != nil else { return false }
            state.isDraining = true
            return true
        }
        guard isDue else { return }
        Task.detached { [self] in
            while let (body, record) = takeForHandler() { body(record) }
        }
    }

    private func takeForHandler() -> (Body, PendingRecord)? {
        state.withLock { state in
            guard !state.isFinished, let (kind, body) = state.firstForHandler,
                let record = state.takeFirst(kind)
            else {
                state.isDraining = false
                return nil
            }
            return (body, record)
        }
    }
}
