/// A queue of actions. Each takes effect, in order, when the journal holds its batch.
struct CommitQueue<Action: Sendable>: Sendable {
    /// Actions of the batch that is formed next.
    private var unformed: [Action] = []
    /// Actions of batches under way, with the number of their batch.
    private var formed: [(batch: UInt64, action: Action)] = []

    /// The number of actions that wait.
    var count: Int { unformed.count + formed.count }

    /// Whether nothing waits for the journal.
    var isEmpty: Bool { unformed.isEmpty && formed.isEmpty }

    /// The action that has waited longest.
    var first: Action? { formed.first?.action ?? unformed.first }

    /// The actions that wait, in order.
    var actions: [Action] { formed.map { $0.action } + unformed }

    /// Adds an action of the batch that is formed next.
    mutating func append(_ action: Action) { unformed.append(action) }

    /// The entries so far belong to batch `batch`.
    mutating func batchFormed(_ batch: UInt64) {
        for action in unformed { formed.append((batch, action)) }
        unformed.removeAll()
    }

    /// Takes out the actions of the batches up to `batch`, which the journal holds now.
    mutating func takeCommitted(through batch: UInt64) -> [Action] {
        let end = formed.partitioningIndex { $0.batch > batch }
        let actions = formed[..<end].map { $0.action }
        formed.removeFirst(end)
        return actions
    }
}
