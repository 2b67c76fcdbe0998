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
    /// How many of its own a side names in a greeting.
    static let namedBefore = 2

    /// Oldest first.
    private(set) var openings: [Opening] = []

    init() {}

    /// What was written down.
    init(_ openings: [Opening]) { self.openings = openings }

    /// The opening that was met last.
    var newest: EpochID? { openings.last?.id }

    /// Whether a counterpart in this opening, which had sessions in the `former` ones, is another
    /// device than the one that was met since.
    func isCopied(_ present: EpochID, after former: [EpochID]) -> Bool {
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
}
