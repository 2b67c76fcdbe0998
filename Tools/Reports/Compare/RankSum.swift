internal import Glibc

/// The two-sided rank-sum test: how likely two samples come out as far apart as they did, were they
/// of one kind.
///
/// All values together are ranked, equal ones by the mean of their ranks. The statistic is by how
/// much the ranks of the first sample add up to more or less than their share. Up to 40 values the
/// chance is exact, counted over every way to deal the ranks out; of more it is that of the normal
/// distribution, corrected for equal values and for steps.
///
/// Source: Mann and Whitney, "On a test of whether one of two random variables is stochastically
/// larger than the other", Annals of Mathematical Statistics 18 (1947), 50–60; equal values as in
/// Lehmann, "Nonparametrics: Statistical Methods Based on Ranks" (1975), sections 1.4 and 1.5.
struct RankSum {
    /// Of how many values in all the chance is still counted.
    private static let mostCounted = 40

    /// How likely a difference of ranks as large as this one, or larger, is by chance: 0 to 1.
    let chance: Double

    /// Ranks `first` and `second`; without a value in one of them nothing can be told: 1.
    init(_ first: [UInt64], _ second: [UInt64]) {
        guard !first.isEmpty, !second.isEmpty else {
            chance = 1
            return
        }
        let ranks = Self.doubledRanks(first + second)
        let sum = ranks.prefix(first.count).reduce(0, +)
        // Of doubled ranks, whose mean is the number of values and 1.
        let distance = abs(sum - first.count * (ranks.count + 1))
        chance =
            ranks.count <= Self.mostCounted
            ? Self.counted(ranks, first.count, distance)
            : Self.approximate(ranks, first.count, distance)
    }

    /// The smallest chance that samples of these sizes can have, which is that of samples that do
    /// not overlap: two of all the ways to deal the ranks out.
    static func leastChance(_ first: Int, _ second: Int) -> Double {
        var ways = 1.0
        for step in 0..<min(first, second) {
            ways *= Double(first + second - step) / Double(step + 1)
        }
        return min(1, 2 / ways)
    }

    /// The ranks of `values` from 1, doubled, so that the mean of two neighbours is whole.
    private static func doubledRanks(_ values: [UInt64]) -> [Int] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = Array(repeating: 0, count: values.count)
        var place = 0
        while place < order.count {
            var end = place
            while end < order.count, values[order[end]] == values[order[place]] { end += 1 }
            for index in order[place..<end] { ranks[index] = place + 1 + end }
            place = end
        }
        return ranks
    }

    /// Counts the ways to choose `count` of the ranks by their sum, rank after rank.
    private static func counted(_ ranks: [Int], _ count: Int, _ distance: Int) -> Double {
        let width = ranks.reduce(0, +) + 1
        var ways = Array(repeating: 0.0, count: (count + 1) * width)
        ways[0] = 1
        for (place, rank) in ranks.enumerated() {
            for chosen in stride(from: min(place + 1, count), through: 1, by: -1) {
                for sum in rank..<width {
                    ways[chosen * width + sum] += ways[(chosen - 1) * width + sum - rank]
                }
            }
        }
        let last = ways[(count * width)...]
        let mean = count * (ranks.count + 1)
        let far = last.enumerated().filter { abs($0.offset - mean) >= distance }
        return min(1, far.map(\.element).reduce(0, +) / last.reduce(0, +))
    }

    private static func approximate(_ ranks: [Int], _ count: Int, _ distance: Int) -> Double {
        let total = Double(ranks.count)
        let ties = Dictionary(grouping: ranks) { $0 }.values
            .map { Double($0.count * $0.count * $0.count - $0.count) }.reduce(0, +)
        let spread = total + 1 - ties / (total * (total - 1))
        let variance = Double(count) * (total - Double(count)) / 12 * spread
        guard variance > 0 else { return 1 }
        let score = max(0, Double(distance) / 2 - 0.5) / variance.squareRoot()
        return erfc(score / 2.0.squareRoot())
    }
}

/// Chances of many tests that are looked at together.
enum ManyTests {
    /// How likely one verdict of a whole comparison, or more, is wrong by chance: at most this.
    static let greatestError = 0.05

    /// Each chance, raised so that calling only those a difference that stay at or below a bound
    /// is wrong in no more of all comparisons than the bound says, however the tests hang together.
    ///
    /// Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
    /// Journal of Statistics 6 (1979), 65–70.
    static func adjusted(_ chances: [Double]) -> [Double] {
        var adjusted = chances
        var greatest = 0.0
        let order = chances.indices.sorted { chances[$0] < chances[$1] }
        for (place, index) in order.enumerated() {
            greatest = max(greatest, min(1, Double(chances.count - place) * chances[index]))
            adjusted[index] = greatest
        }
        return adjusted
    }
}
