/// How often each rarity was met.
package struct Coverage: Hashable, Sendable {
    private var counts = [UInt64](repeating: 0, count: Rarity.allCases.count)

    /// Makes a coverage of nothing.
    package init() {}

    /// How often `rarity` was met.
    package subscript(rarity: Rarity) -> UInt64 { counts[Self.slot(rarity)] }

    /// The rarities that were never met.
    package var neverMet: [Rarity] { Rarity.allCases.filter { self[$0] == 0 } }

    /// Counts `rarity` once more, or `times` more.
    package mutating func meet(_ rarity: Rarity, times: UInt64 = 1) {
        counts[Self.slot(rarity)] += times
    }

    /// Adds what another run met.
    package mutating func add(_ other: Coverage) {
        for slot in counts.indices { counts[slot] += other.counts[slot] }
    }

    private static func slot(_ rarity: Rarity) -> Int { Int(rarity.rawValue) }
}
