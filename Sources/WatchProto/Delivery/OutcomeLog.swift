/// How recently settled records ended, so that a caller can ask after a crash. Bounded: the oldest
/// are forgotten, and are then unknown, never guessed.
public struct OutcomeLog: Sendable {
    private var outcomes = LookupTable<RecordID, Outcome>()
    private var order: [RecordID] = []
    private var head = 0

    /// How many outcomes are remembered.
    public static let capacity = 4096

    /// Makes a log that remembers nothing yet.
    public init() {}

    /// What is remembered of a record.
    public subscript(id: RecordID) -> Outcome? { outcomes[id] }

    /// Remembers how a record ended.
    public mutating func note(_ id: RecordID, _ outcome: Outcome) {
        guard outcomes.update(id, to: outcome) == nil else { return }
        order.append(id)
        while order.count - head > Self.capacity {
            outcomes.remove(order[head])
            head += 1
        }
        if head > Self.capacity {
            order.removeFirst(head)
            head = 0
        }
    }

    /// What is remembered, oldest first.
    var entries: [(id: RecordID, outcome: Outcome)] {
        order[head...].compactMap { id in outcomes[id].map { (id, $0) } }
    }
}

extension OutcomeLog: Equatable {
    /// Whether both remember the same, in the same order.
    public static func == (left: OutcomeLog, right: OutcomeLog) -> Bool {
        left.entries.elementsEqual(right.entries) { $0 == $1 }
    }
}
