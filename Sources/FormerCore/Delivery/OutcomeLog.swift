/// How recently settled records ended, so that a caller can ask after a crash. Bounded: of the
/// oldest epoch, the lane with the most forgets its lowest number first. What is forgotten is then
/// unknown, never guessed.
public struct OutcomeLog: Sendable {
    private var outcomes = RecordRuns<Outcome>()

    /// How many outcomes are remembered.
    public static let capacity = 4096

    /// Makes a log that remembers nothing yet.
    public init() {}

    /// What is remembered of a record.
    public subscript(id: RecordID) -> Outcome? { outcomes[id] }

    /// Remembers how a record ended; the first word on it stands.
    public mutating func note(_ id: RecordID, _ outcome: Outcome) {
        guard outcomes[id] == nil else { return }
        outcomes.set(id, outcome)
        if outcomes.count > Self.capacity { outcomes.removeOldest() }
    }

    /// What is remembered, epoch by epoch and lane by lane.
    var entries: [(id: RecordID, value: Outcome)] { outcomes.entries }
}

extension OutcomeLog: Equatable {
    /// Whether both remember the same, in the same order.
    public static func == (left: OutcomeLog, right: OutcomeLog) -> Bool {
        left.entries.elementsEqual(right.entries) { $0 == $1 }
    }
}
