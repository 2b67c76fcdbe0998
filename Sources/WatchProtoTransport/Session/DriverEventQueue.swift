internal import Locks
internal import WatchProtoCore

/// Holds events between the driver and one asynchronous reader. It is bounded. If an event does not
/// fit, it is counted, and the count stands in the stream in its place.
final class DriverEventQueue: Sendable {
    fileprivate struct State {
        var isFinished = false
        var limit: Int
        var events: [DriverSessionEvent] = []
        var head = 0
        var missedHere = 0
        var missedInAll: UInt64 = 0
        var reader: CheckedContinuation<DriverSessionEvent?, Never>?
    }

    private let state: Mutex<State>
    /// Whether events are kept. It spares the hot path of a session without a reader the lock.
    private let isOpen: Atomic<Bool>

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - limit: the events kept at most.
    ///   - isOpen: whether events are kept before a reader has asked for them.
    init(limit: Int, isOpen: Bool) {
        self.isOpen = Atomic(isOpen)
        state = Mutex(State(limit: max(limit, 1)))
    }

    /// Keeps events from now on.
    func open() { isOpen.store(true, ordering: .releasing) }

    /// Adds an event, or counts it if there is no room. An event that is not droppable is always
    /// kept, such as a record; the peer's credit limits their number.
    func append(_ event: DriverSessionEvent, isDroppable: Bool) {
        guard isOpen.load(ordering: .acquiring) else { return }
        let reader = state.withLock { state -> CheckedContinuation<DriverSessionEvent?, Never>? in
            guard !state.isFinished else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if isDroppable, state.events.count - state.head >= state.limit {
                state.missedHere += 1
                state.missedInAll += 1
            } else {
                state.noteMissed()
                state.events.append(event)
            }
            return nil
        }
        reader?.resume(returning: event)
    }

    /// The next event; nil once the session is over and all was read.
    func next() async -> DriverSessionEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enum Answer {
                    case now(DriverSessionEvent?)
                    case later
                }
                let answer = state.withLock { state -> Answer in
                    if let event = state.pop() { return .now(event) }
                    if state.isFinished || Task.isCancelled { return .now(nil) }
                    precondition(
                        state.reader == nil, "a session's events have one reader at a time")
                    state.reader = continuation
                    return .later
                }
                if case .now(let event) = answer { continuation.resume(returning: event) }
            }
        } onCancel: {
            takeReader()?.resume(returning: nil)
        }
    }

    /// Ends the stream. Kept events can still be read.
    func finish() {
        state.withLock { $0.isFinished = true }
        takeReader()?.resume(returning: nil)
    }

    /// The number of events dropped so far.
    var missed: UInt64 { state.withLock { $0.missedInAll } }

    private func takeReader() -> CheckedContinuation<DriverSessionEvent?, Never>? {
        state.withLock { state in
            defer { state.reader = nil }
            return state.reader
        }
    }
}

extension DriverEventQueue.State {
    fileprivate mutating func noteMissed() {
        guard missedHere > 0 else { return }
        events.append(.missed(count: missedHere))
        missedHere = 0
    }

    fileprivate mutating func pop() -> DriverSessionEvent? {
        if head == events.count { noteMissed() }
        guard head < events.count else { return nil }
        let event = events[head]
        head += 1
        if head >= 1024 || head == events.count {
            events.removeFirst(head)
            head = 0
        }
        return event
    }
}
