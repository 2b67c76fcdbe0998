import Bench

/// How the seeds of an exploration are dealt out: in blocks.
extension Shard {
    private static let mostBlockSeeds: UInt64 = 200

    /// How many seeds a block has: fewer where the shares would have none otherwise.
    private func blockSeeds(of seeds: ClosedRange<UInt64>) -> UInt64 {
        let others = seeds.upperBound - seeds.lowerBound
        let equal = others / count + (others % count == count - 1 ? 1 : 0)
        return max(1, min(Self.mostBlockSeeds, equal))
    }

    /// The seeds of this share's block `number` (from 0); nil past the end of `seeds`.
    func block(_ number: UInt64, of seeds: ClosedRange<UInt64>) -> ClosedRange<UInt64>? {
        let size = blockSeeds(of: seeds)
        let (place, isTooFar) = (number * count + index - 1).multipliedReportingOverflow(by: size)
        guard !isTooFar, place <= seeds.upperBound - seeds.lowerBound else { return nil }
        let first = seeds.lowerBound + place
        let rest = seeds.upperBound - first
        return first...(first + min(rest, size - 1))
    }

    /// How many of `seeds` this share has.
    func seedCount(of seeds: ClosedRange<UInt64>) -> UInt64 {
        let size = blockSeeds(of: seeds)
        let total = seeds.upperBound - seeds.lowerBound + 1
        let round = count * size
        let before = (index - 1) * size
        let rest = total % round
        return total / round * size + min(size, rest > before ? rest - before : 0)
    }
}
