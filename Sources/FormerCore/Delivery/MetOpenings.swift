/// The counterpart's openings that had a session here, in the order in which each was met first.
///
/// A device opens its journal once at a time, and each opening names the ones before it that had a
/// session. So an opening that comes back after another, or that goes on from one which another
/// had not gone on from, is of a device that was copied, whether or not anything was ever sent in
/// it. Of what was sent ``CounterpartLineage`` tells; this one says nothing of losses.
struct MetOpenings: Hashable, Sendable {
    /// One opening.
    struct Opening: Hashable, Sendable {
        var id: EpochID
        /// The counterpart went on from before it.
        var isAbandoned = false
    }

    /// How many are remembered; older ones are none that was ever met.
    static let bound = 256
    /// How many that were refused are remembered. Who was refused names the last two of its own.
    static let refusedBound = 32

    /// Oldest first.
    private(set) var openings: [Opening] = []
    /// Those of copies, oldest first: whatever goes on from them is of the same device.
    private(set) var refused: [EpochID] = []

    init() {}

    /// What was written down.
    init(_ openings: [Opening], refused: [EpochID]) {
        self.openings = openings
        self.refused = refused
    }

    /// The opening that was met last.
    var newest: EpochID? { openings.last?.id }

    /// Whether a counterpart in this opening, which had sessions in the `former` ones, is another
    /// device than the one that was met since.
    func isCopied(_ present: EpochID, after former: [EpochID]) -> Bool {
        if refused.contains(where: { $0 == present || former.contains($0) }) { return true }
        if let place = openings.firstIndex(where: { $0.id == present }) {
            return place < openings.count - 1 || openings[place].isAbandoned
        }
        return former.contains { id in openings.contains { $0.id == id && $0.isAbandoned } }
    }

    /// An opening is met for the first time. Those met since the newest one that it names are of a
    /// past that it does not have.
    mutating func meet(_ present: EpochID, after former: [EpochID]) {
        guard !openings.contains(where: { $0.id == present }) else { return }
        let base = openings.lastIndex { former.contains($0.id) }
        for place in openings.indices where place > base ?? .max {
            openings[place].isAbandoned = true
        }
        openings.append(Opening(id: present))
        if openings.count > Self.bound { openings.removeFirst(openings.count - Self.bound) }
    }

    /// An opening was found to be a copy's.
    mutating func refuse(_ present: EpochID) {
        guard !refused.contains(present) else { return }
        refused.append(present)
        if refused.count > Self.refusedBound { refused.removeFirst() }
    }
}
