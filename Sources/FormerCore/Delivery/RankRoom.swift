/// Room for one more epoch of the counterpart at a rank: those of this rank and above move up.
///
/// A peer and the image of its journal both make it, each among the ranks it knows, so that both go
/// on counting alike.
struct RankRoom: Sendable {
    /// The highest rank a journal holds; nobody lives to use so many epochs.
    static let largest: UInt64 = 1 << 62

    /// The rank that becomes free.
    var rank: UInt64

    init(at rank: UInt64) { self.rank = rank }

    /// What becomes of a rank. (Two may meet at the end of all ranks alone.)
    func moved(_ known: UInt64) -> UInt64 {
        known >= rank ? min(known + 1, Self.largest) : known
    }

    /// Moves the ranks of a lineage.
    func make(_ lineage: inout [JournalImage.CounterpartEpoch]) {
        for place in lineage.indices { lineage[place].rank = moved(lineage[place].rank) }
    }
}
