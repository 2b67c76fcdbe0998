import Locks
import WatchProtoCore

/// The records that wait for the application, in the order of arrival.
///
/// Each record stands here until a handler or a reader takes it. Handlers run one after the other,
/// on one task. Of a latest-value channel only the newest value of each key waits.
final class Inbox: Sendable {
    typealias Body = @Sendable (PendingRecord) -> Void
    typealias Continuation = CheckedContinuation<PendingRecord?, Never>

    /// The receiver of one kind.
    fileprivate enum Receiver {
        case handler(Body)
        case reader(Continuation?)
    }

    fileprivate struct NameOfValue: Hashable {
        var channel: Channel
        var key: RecordKey
    }

    fileprivate struct State {
        /// Arrival numbers of the waiting records of each kind; some are of replaced values.
        var queues: [ContentKind: [UInt64]] = [:]
        var records: [UInt64: PendingRecord] = [:]
        var numbers: [RecordID: UInt64] = [:]
        var newest: [NameOfValue: UInt64] = [:]
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

    /// Whether no handler runs.
    var isIdle: Bool { state.withLock { !$0.isDraining } }
    /// Drops all waiting records: their pairing is erased.
    func removeAll() {
        state.withLock { state in
            state.queues = [:]
            state.records = [:]
            state.numbers = [:]
            state.newest = [:]
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

extension Inbox.State {
    fileprivate mutating func append(_ pending: PendingRecord) {
        let record = pending.record
        nextNumber += 1
        if let key = record.key, record.id.channel.traits.order == .latestValue {
            let name = Inbox.NameOfValue(channel: record.id.channel, key: key)
            if let older = newest[name] { remove(older) }
            newest[name] = nextNumber
        }
        records[nextNumber] = pending
        queues[pending.kind, default: []].append(nextNumber)
        if queues[pending.kind]!.count > 2 * records.count + 64 {
            queues[pending.kind]!.removeAll { records[$0] == nil }
        }
        numbers[record.id] = nextNumber
    }

    /// Removes the first waiting record of a kind.
    fileprivate mutating func takeFirst(_ kind: ContentKind) -> PendingRecord? {
        guard let place = queues[kind]?.firstIndex(where: { records[$0] != nil }) else {
            queues[kind] = nil
            return nil
        }
        let number = queues[kind]![place]
        queues[kind]!.removeFirst(place + 1)
        return remove(number)
    }

    @discardableResult
    private mutating func remove(_ number: UInt64) -> PendingRecord? {
        guard let pending = records.removeValue(forKey: number) else { return nil }
        numbers[pending.record.id] = nil
        if let key = pending.record.key {
            let name = Inbox.NameOfValue(channel: pending.record.id.channel, key: key)
            if newest[name] == number { newest[name] = nil }
        }
        return pending
    }

    /// The kind of the first waiting record that has a handler.
    fileprivate var firstForHandler: (ContentKind, Inbox.Body)? {
        var first: (number: UInt64, ContentKind, Inbox.Body)?
        for (kind, known) in receivers {
            guard case .handler(let body) = known.receiver,
                let number = queues[kind]?.first(where: { records[$0] != nil }),
                first.map({ number < $0.number }) ?? true
            else { continue }
            first = (number, kind, body)
        }
        return first.map { ($0.1, $0.2) }
    }

    /// The first waiting record of a kind and the reader that waits for it.
    fileprivate mutating func takeForReader(
        _ kind: ContentKind
    ) -> (Inbox.Continuation, PendingRecord)? {
        guard let known = receivers[kind], case .reader(let continuation?) = known.receiver,
            let record = takeFirst(kind)
        else { return nil }
        receivers[kind] = (known.token, .reader(nil))
        return (continuation, record)
    }
}
