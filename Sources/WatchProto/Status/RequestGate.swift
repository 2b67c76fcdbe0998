import Locks
import WatchProtoCore

/// Lets few requests of low priority wait for their replies at once: on a slow link each further
/// one would only make the others wait. The order of the requests is kept.
final class RequestGate: Sendable {
    private struct State {
        var underWay = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var cancelled: Set<Int> = []
        var next = 0
    }

    private let state = Mutex(State())

    /// Waits for a place. Each call is followed by one of ``leave(_:)``, also of a cancelled task,
    /// which waits no longer.
    ///
    /// - Parameter limit: the places now.
    func enter(_ limit: Int) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGo = state.withLock { state in
                    let isCancelled = state.cancelled.remove(number) != nil
                    guard isCancelled || state.underWay < limit && state.waiting.isEmpty else {
                        state.waiting.append((number, continuation))
                        return false
                    }
                    state.underWay += 1
                    return true
                }
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                guard let place = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return CheckedContinuation<Void, Never>?.none
                }
                state.underWay += 1
                return state.waiting.remove(at: place).continuation
            }
            waiting?.resume()
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    /// Gives a place back; with `limit` places now, requests that wait may follow.
    func leave(_ limit: Int) {
        let next = state.withLock { state in
            state.underWay -= 1
            let count = min(max(0, limit - state.underWay), state.waiting.count)
            state.underWay += count
            defer { state.waiting.removeFirst(count) }
            return state.waiting.prefix(count).map(\.continuation)
        }
        for continuation in next { continuation.resume() }
    }
}

extension LinkQuality {
    /// The requests of low priority that wait for replies at once.
    var requestsAtOnce: Int {
        switch self {
        case .poor: 1
        case .moderate: 2
        case .good: 4
        case .excellent: 6
        }
    }
}
