/// The counterpart's listing of what it holds, as its pieces come in any order.
struct HeldListing: Sendable {
    /// How many values it has in all; nil before the first piece.
    private var total: Int?
    /// What was listed so far, by place.
    private(set) var told = OrderedTable<Int, HeldFrame.Entry>()

    /// Takes a piece; gives all of it once it is whole. A piece of another total begins it anew.
    mutating func take(_ frame: HeldFrame) -> [HeldFrame.Entry]? {
        if total != frame.total {
            total = frame.total
            told.removeAll()
        }
        for (offset, entry) in frame.entries.enumerated() { told[frame.start + offset] = entry }
        guard told.count == frame.total else { return nil }
        return (0..<frame.total).compactMap { told[$0] }
    }
}

/// An answer to the question what this side holds in a lane: one listing, told piece by piece.
struct HeldAnswer: Sendable {
    var lane: Lane
    /// What was held when the first piece was told; nil before that.
    var entries: [HeldFrame.Entry]?
    /// The place of the next piece.
    var start = 0
    /// It was asked for again meanwhile, perhaps because a piece was lost.
    var isAskedAgain = false
}
