import Bench

/// How the seeds of an exploration are dealt out: in blocks.
extension Shard {
    static let blockSeeds: UInt64 = 200

    /// The seeds of this share's block `number` (from 0); nil past the end of `seeds`.
    func block(_ number: UInt64, of seeds: ClosedRange<UInt64>) -> ClosedRange<UInt64>? {
        let (place, isTooFar) = (number * count + index - 1).multipliedReportingOverflow(
            by: Self.blockSeeds)
        guard !isTooFar, place <= seeds.upperBound - seeds.lowerBound else { return nil }
        let first = seeds.lowerBound + place
        let rest = seeds.upperBound - first
        return first...(first + min(rest, Self.blockSeeds - 1))
    }

    /// How many of `seeds` this share has.
    func seedCount(of seeds: ClosedRange<UInt64>) -> UInt64 {
        let total = seeds.upperBound - seeds.lowerBound + 1
        let round = count * Self.blockSeeds
        let before = (index - 1) * Self.blockSeeds
        let rest = total % round
        return total / round * Self.blockSeeds
            + min(Self.blockSeeds, rest > before ? rest - before : 0)
    }
}
