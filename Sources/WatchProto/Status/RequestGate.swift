import Locks
import WatchProtoCore

/// Lets few requests of low priority wait for their replies at once: on a slow link each further
/// one would only make the others wait. The order of the requests is kept.
final class RequestGate: Sendable {
    private struct State {
        var underWay = 0
        var waiting: [ElementBuffer<Void>] = []
    }

    private let state = Mutex(State())

    /// Waits for a place. Each call is followed by one of ``leave(_:)``, also of a cancelled task,
    /// which waits no longer.
    ///
    /// - Parameter limit: the places now.
    func enter(_ limit: Int) async {
        let turn = ElementBuffer<Void>()
        let mayGo = state.withLock { state in
            guard state.underWay < limit, state.waiting.isEmpty else {
                state.waiting.append(turn)
                return false
            }
            state.underWay += 1
            return true
        }
        guard !mayGo else { return }
        _ = await turn.next()
        state.withLock { state in
            // Only a cancelled task still stands there.
            guard let place = state.waiting.firstIndex(where: { $0 === turn }) else { return }
            state.waiting.remove(at: place)
            state.underWay += 1
        }
    }

    /// Gives a place back; with `limit` places now, requests that wait may follow.
    func leave(_ limit: Int) {
        state.withLock { $0.underWay -= 1 }
        admit(limit)
    }

    /// There are `limit` places now: requests that wait may follow.
    func admit(_ limit: Int) {
        let next = state.withLock { state in
            let count = min(max(0, limit - state.underWay), state.waiting.count)
            state.underWay += count
            defer { state.waiting.removeFirst(count) }
            return state.waiting.prefix(count)
        }
        for turn in next { turn.finish() }
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
