internal import Locks
internal import WatchProtoCore

/// The replies of this side that leave again in the next session if they are lost with their link.
final class AnswerTable: Sendable {
    /// The tag of a reply that leaves again.
    static let tag = UInt64.max

    private struct State {
        var underWay: [RecordID: RecordDraft] = [:]
        /// Lost with their link.
        var lost: [RecordDraft] = []
    }

    private let state = Mutex(State())

    /// A reply was accepted.
    func sent(_ id: RecordID, _ draft: RecordDraft) {
        state.withLock { $0.underWay[id] = draft }
    }

    /// A record is over. A reply that was lost waits for the next session.
    func settled(_ id: RecordID, _ outcome: Outcome) {
        state.withLock { state in
            guard let draft = state.underWay.removeValue(forKey: id) else { return }
            switch outcome {
            case .outcomeUnknown, .unknown, .notDelivered: state.lost.append(draft)
            default: break
            }
        }
    }

    /// The lost replies, which leave now.
    func takeLost() -> [RecordDraft] {
        state.withLock { state in
            defer { state.lost = [] }
            return state.lost
        }
    }
}
