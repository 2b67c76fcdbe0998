import Locks

/// Elements for one reader, stored until it reads them.
///
/// Elements beyond the limit are dropped and counted. The reader gets the count in their place.
final class ElementBuffer<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var head = 0
        var missed = 0
        var isFinished = false
        var reader: CheckedContinuation<Element?, Never>?

        var count: Int { elements.count - head }

        mutating func removeFirst() -> Element {
            defer {
                head += 1
                if head == elements.count || head >= 1024 {
                    elements.removeFirst(head)
                    head = 0
                }
            }
            return elements[head]
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let missing: (@Sendable (Int) -> Element)?

    /// - Parameters:
    ///   - limit: the largest number of stored elements.
    ///   - missing: makes the element that reports dropped ones; nil drops none.
    init(limit: Int = .max, missing: (@Sendable (Int) -> Element)? = nil) {
        self.limit = max(limit, 1)
        self.missing = missing
    }

    /// Adds an element; ignored once finished.
    func add(_ element: Element) {
        let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if missing != nil, state.count >= limit {
                state.missed += 1
            } else {
                noteMissed(&state)
                state.elements.append(element)
            }
            return nil
        }
        reader?.resume(returning: element)
    }

    /// No further elements come. Stored ones can still be read.
    func finish() {
        let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// Whether no further elements come.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The next element; nil at the end, and for a cancelled task. A second task that reads while
    /// the first one waits gets nil at once.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, isReady) = state.withLock { state -> (Element?, Bool) in
                    if state.count == 0 { noteMissed(&state) }
                    if state.count > 0 { return (state.removeFirst(), true) }
                    if state.isFinished || Task.isCancelled || state.reader != nil {
                        return (nil, true)
                    }
                    state.reader = continuation
                    return (nil, false)
                }
                if isReady { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }

    private func noteMissed(_ state: inout State) {
        guard state.missed > 0, let missing else { return }
        state.elements.append(missing(state.missed))
        state.missed = 0
    }
}

/// A sequence of elements for one reader, in order. It ends when the session is closed. A sequence
/// that is dropped ends its registration.
public struct SessionSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Never: the sequence ends, and does not fail.
    public typealias Failure = Never

    /// The source of the elements. It lives while a sequence or an iterator holds it.
    final class Source: Sendable {
        let next: @Sendable () async -> Element?
        private let end: @Sendable () -> Void

        init(
            next: @escaping @Sendable () async -> Element?, end: @escaping @Sendable () -> Void
        ) {
            self.next = next
            self.end = end
        }

        deinit { end() }
    }

    let source: Source

    init(_ buffer: ElementBuffer<Element>) {
        source = Source(next: { await buffer.next() }, end: { buffer.finish() })
    }

    init(_ source: Source) { self.source = source }

    /// Reads the elements.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let source: Source

        /// The next element; nil at the end, and for a cancelled task.
        public mutating func next() async -> Element? { await source.next() }

        /// The next element; nil at the end, and for a cancelled task.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await source.next()
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }
}
