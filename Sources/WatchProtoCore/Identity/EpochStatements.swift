/// Epochs that are still to be stated in this session: as over, as closed or as written down.
///
/// A statement frame names some of them; its ids are the reference that is kept with the packet on
/// carriers that can lose. Each epoch waits once, so the size is bounded by the remembered epochs.
public struct EpochStatements: Hashable, Sendable {
    private var waiting: [EpochID] = []

    /// Nothing to state.
    public init() {}

    /// Whether nothing waits.
    public var isEmpty: Bool { waiting.isEmpty }
    /// The number of epochs that wait.
    public var count: Int { waiting.count }

    /// The epoch is to be stated, or stated again.
    public mutating func add(_ id: EpochID) {
        if !waiting.contains(id) { waiting.append(id) }
    }

    /// The packet with these was lost: they are stated again.
    public mutating func lost(_ ids: [EpochID]) { for id in ids { add(id) } }

    /// Gives the epochs for a frame, at most `limit`, in the order in which they came.
    public mutating func take(atMost limit: Int) -> [EpochID] {
        let taken = Array(waiting.prefix(max(0, limit)))
        waiting.removeFirst(taken.count)
        return taken
    }

    /// The epoch need not be stated any more.
    public mutating func remove(_ id: EpochID) { waiting.removeAll { $0 == id } }

    /// Nothing needs to be stated any more: the session is over.
    public mutating func removeAll() { waiting.removeAll() }
}
