internal import Locks
internal import WatchProto

/// The interactive messages of a device: those of the other device that have no reply yet, and the
/// own ones of this run with their outcomes. `MessageTable` keeps those that end without one.
final class MessageBook: Sendable {
    /// A message of the other device that expects a reply.
    struct Received: Hashable, Sendable {
        var id: RecordID
        var kind: ContentKind
        /// The pairing of the session that it came in; nil without sealing.
        var pairing: PairingID?
    }

    private struct State {
        var unanswered: [Received] = []
        /// The own messages that are not settled.
        var underWay: Set<RecordID> = []
        var outcomes: [RecordID: Outcome] = [:]
        /// The keys of `outcomes`, the oldest first.
        var settled: [RecordID] = []
    }

    /// Messages and outcomes that are kept; an older one goes.
    static let limit = 1024

    /// Whether each message that expects a reply is answered with its own bytes.
    let echoes = Atomic<Bool>(true)
    private let state = Mutex(State())

    // MARK: Messages of the other device

    /// A message waits for a reply.
    func received(_ message: Received) {
        state.withLock { state in
            if state.unanswered.count == Self.limit { state.unanswered.removeFirst() }
            state.unanswered.append(message)
        }
    }

    /// The newest message of this number that has no reply.
    func unanswered(_ number: RecordNumber, _ epoch: EpochID?) -> Received? {
        state.withLock { state in
            state.unanswered.last {
                $0.id.number == number && (epoch ?? $0.id.epoch) == $0.id.epoch
            }
        }
    }

    /// A message has its reply.
    func answered(_ message: Received) {
        state.withLock { state in state.unanswered.removeAll { $0 == message } }
    }

    /// The device of a pairing was restarted: it waits for no reply any more.
    func forgetUnanswered(of pairing: PairingID?) {
        state.withLock { state in state.unanswered.removeAll { $0.pairing == pairing } }
    }

    // MARK: Own messages

    /// A message of this device was accepted.
    func sent(_ id: RecordID) { state.withLock { _ = $0.underWay.insert(id) } }

    /// A message has ended.
    ///
    /// - Returns: whether it is one of those that were sent here.
    func settled(_ id: RecordID, _ outcome: Outcome) -> Bool {
        state.withLock { state in
            guard state.underWay.remove(id) != nil else { return false }
            if state.settled.count == Self.limit {
                state.outcomes[state.settled.removeFirst()] = nil
            }
            state.settled.append(id)
            state.outcomes[id] = outcome
            return true
        }
    }

    /// The outcome of a message is known better than its session knew it.
    func learnt(_ id: RecordID, _ outcome: Outcome) {
        state.withLock { state in
            if state.outcomes[id] != nil { state.outcomes[id] = outcome }
        }
    }

    /// How a message of this device ended; nil where that is not known.
    func outcome(of id: RecordID) -> Outcome? { state.withLock { $0.outcomes[id] } }
}
