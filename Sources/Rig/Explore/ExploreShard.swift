import ControlKit

/// One of several equal shares of an exploration: `2/4` is the second of four.
struct ExploreShard: ArgumentValue, Hashable {
    var index: UInt64
    var count: UInt64

    static let whole = ExploreShard(index: 1, count: 1)
    /// Seeds are dealt out in blocks of this size.
    static let blockSeeds: UInt64 = 200

    init(index: UInt64, count: UInt64) {
        self.index = index
        self.count = count
    }

    init(argument: String) throws(ArgumentFault) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = UInt64(parts[0]), let count = UInt64(parts[1]),
            index >= 1, index <= count, count <= 10_000
        else { throw ArgumentFault("it must read like 2/4: the second of four shares") }
        self.init(index: index, count: count)
    }

    var argumentText: String { "\(index)/\(count)" }

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

/// Files, with commas between.
struct PathList: ArgumentValue, Hashable {
    var paths: [String]

    init(argument: String) throws(ArgumentFault) {
        paths = argument.split(separator: ",").map(String.init)
        guard !paths.isEmpty else { throw ArgumentFault("it must name files, commas between") }
    }

    var argumentText: String { paths.joined(separator: ",") }
}
