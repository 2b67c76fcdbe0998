/// Epochs that are still to be stated in this session: as over, as closed or as written down.
///
/// A statement frame names some of them; its ids are the reference that is kept with the packet on
/// carriers that can lose. Each epoch waits once, so the size is bounded by the remembered epochs.
package struct EpochStatements: Hashable, Sendable {
    private var waiting: [EpochID] = []

    /// Nothing to state.
    package init() {}

    /// Whether nothing waits.
    package var isEmpty: Bool { waiting.isEmpty }
    /// The number of epochs that wait.
    package var count: Int { waiting.count }

    /// The epoch is to be stated, or stated again.
    package mutating func add(_ id: EpochID) {
        if !waiting.contains(id) { waiting.append(id) }
    }

    /// The packet with these was lost: they are stated again.
    package mutating func lost(_ ids: [EpochID]) { for id in ids { add(id) } }

    /// Gives the epochs for a frame, at most `limit`, in the order in which they came.
    package mutating func take(atMost limit: Int) -> [EpochID] {
        let taken = Array(waiting.prefix(max(0, limit)))
        waiting.removeFirst(taken.count)
        return taken
    }

    /// The epoch need not be stated any more.
    package mutating func remove(_ id: EpochID) { waiting.removeAll { $0 == id } }

    /// Nothing needs to be stated any more: the session is over.
    package mutating func removeAll() { waiting.removeAll() }
}
