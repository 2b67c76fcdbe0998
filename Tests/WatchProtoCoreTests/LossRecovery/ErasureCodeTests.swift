import Testing

@testable import WatchProtoCore

/// Any lost symbols are recovered, whichever they are, from as many combinations.
@Suite struct ErasureCodeTests {
    /// Multiplication bit by bit, as in the wire format.
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var sum = 0
        for bit in 0..<8 where right & 1 << bit != 0 { sum ^= Int(left) << bit }
        for bit in stride(from: 14, through: 8, by: -1) where sum & 1 << bit != 0 {
            sum ^= 0x11D << (bit - 8)
        }
        return UInt8(sum)
    }

    private static func sources(
        _ count: Int, length: ClosedRange<UInt64>, _ generator: inout SeededGenerator
    ) -> [[UInt8]] {
        var sources: [[UInt8]] = []
        for _ in 0..<count {
            var frames: [UInt8] = []
            for _ in 0..<generator.uniform(in: length) {
                frames.append(UInt8(truncatingIfNeeded: generator.next()))
            }
            sources.append(RepairEncoder.source(of: frames))
        }
        return sources
    }

    /// Loses the places of `lost`, and says whether the combinations recover all of them.
    private static func areRecovered(
        _ sources: [[UInt8]], lost: [Int], from rows: [(index: Int, bytes: [UInt8])]
    ) -> Bool {
        var kept = sources.map { Optional($0) }
        for place in lost { kept[place] = nil }
        guard let found = ErasureCode.recover(kept, from: rows) else { return false }
        let length = rows[0].bytes.count
        return found
            == lost.map { sources[$0] + [UInt8](repeating: 0, count: length - sources[$0].count) }
    }

    @Test("The field is that of the wire format")
    func theFieldIsThatOfTheWireFormat() {
        for left in UInt8.min...UInt8.max {
            for right in UInt8.min...UInt8.max
            where ErasureCode.product(left, right) != Self.product(left, right) {
                Issue.record("\(left) times \(right)")
            }
            guard left != 0 else { continue }
            #expect(Self.product(left, ErasureCode.inverse(left)) == 1, "\(left)")
        }
        for row in 0..<RepairFrame.mostRepairs {
            for source in 0..<RepairFrame.mostPackets {
                let sum = UInt8(255 - row) ^ UInt8(source)
                let coefficient = ErasureCode.coefficient(index: row, source: source)
                #expect(Self.product(coefficient, sum) == 1)
            }
        }
    }

    /// Vectors of `Fixtures/wire/repair.tsv`, made by a program in Python that has no tables:
    /// index, the frames of each packet, the combination.
    private static let vectors: [(index: Int, packets: [String], combination: String)] = [
        (
            0, ["0107", "02ac02", "1302012a"],
            "be00569203de"
        ),
        (
            1, ["0107", "02ac02", "1302012a"],
            "0700bb58987a"
        ),
        (
            0, ["0107"],
            "e700fdc9"
        ),
        (
            3, ["", "0107"],
            "e300ffc7"
        ),
        (
            0, six,
            "c300990c00e4f97b8a0f35ad798ccba75810879712d0bd54521edeeede737041"
        ),
        (
            2, six,
            "bf00679896ec9ee41c0ea39f287cdd67a91f4a220286db1651354071c58066c4"
        ),
        (
            31, six,
            "2600c0a0850f70e5df4f55cca6f499e1ff71b8fc24067ecdb8e4bc95e52adef3"
        ),
    ]

    private static let six = [
        "82b70eee7f",
        "1a5039bef07ec2347f066ed08f5dc75124",
        "47",
        "e3404300026b6e545594a065685d64c4980bb8d4544a8721a99a01ad219e",
        "b59cf6a15ef6f15a1d830bb7ce09d6bbc004e7175c643c7decb0b580ec37",
        "bc9712dd2e6aaeb9",
    ]

    private static func bytes(_ hex: String) -> [UInt8] {
        var digits = hex[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    @Test("Combinations equal those of an independent implementation")
    func combinationsEqualThoseOfAnIndependent() {
        for vector in Self.vectors {
            let sources = vector.packets.map { RepairEncoder.source(of: Self.bytes($0)) }
            let combined = ErasureCode.combine(sources, index: vector.index)
            #expect(combined == Self.bytes(vector.combination), "index \(vector.index)")
        }
    }

    @Test("Every loss of a short block is recovered from any combinations")
    func everyLossOfAShortBlockIsRecovered() {
        var generator = SeededGenerator(seed: 3)
        for count in 1...6 {
            let sources = Self.sources(count, length: 0...4, &generator)
            let all = (0..<4).map { (index: $0, bytes: ErasureCode.combine(sources, index: $0)) }
            for losses in 1..<(1 << count) {
                let lost = (0..<count).filter { losses & 1 << $0 != 0 }
                for chosen in 1..<16 where chosen.nonzeroBitCount == lost.count {
                    let rows = all.filter { chosen & 1 << $0.index != 0 }
                    #expect(
                        Self.areRecovered(sources, lost: lost, from: rows),
                        "\(lost) of \(count) from \(rows.map { $0.index })")
                }
            }
        }
    }

    @Test(
        "Losses of a long block are recovered",
        arguments: [(128, 32), (128, 1), (97, 20), (40, 32), (33, 7)])
    func lossesOfALongBlockAreRecovered(_ count: Int, _ rows: Int) {
        var generator = SeededGenerator(seed: UInt64(count * 100 + rows))
        let sources = Self.sources(count, length: 0...24, &generator)
        var all = (0..<RepairFrame.mostRepairs).map { $0 }
        all.shuffle(using: &generator)
        let combinations = all.prefix(rows).map {
            (index: $0, bytes: ErasureCode.combine(sources, index: $0))
        }
        var places = (0..<count).map { $0 }
        places.shuffle(using: &generator)
        let lost = places.prefix(rows).sorted()
        #expect(Self.areRecovered(sources, lost: lost, from: combinations))
    }

    @Test("Equations without a solution give none")
    func equationsWithoutASolutionGiveNone() {
        let sources: [[UInt8]] = [[1, 0, 7], [2, 0, 8, 9], [0, 0]]
        let rows = (0..<3).map { (index: $0, bytes: ErasureCode.combine(sources, index: $0)) }
        let none: [[UInt8]?] = [nil, nil, nil]
        #expect(ErasureCode.recover(none, from: Array(rows[..<2])) == nil)
        #expect(ErasureCode.recover(none, from: []) == nil)
        #expect(ErasureCode.recover(none, from: [rows[0], rows[1], rows[1]]) == nil)
        // Nothing is missing.
        #expect(ErasureCode.recover(sources, from: rows) == nil)
        // A combination is as long as all it combines, and as the others.
        let short = (index: 0, bytes: Array(rows[0].bytes.dropLast()))
        #expect(ErasureCode.recover([nil, sources[1], sources[2]], from: [short]) == nil)
        let long = (index: 2, bytes: rows[2].bytes + [0])
        #expect(ErasureCode.recover(none, from: [rows[0], rows[1], long]) == nil)
        #expect(ErasureCode.recover(none, from: rows) != nil)
    }

    @Test("Arbitrary combinations give arbitrary bytes of the right length")
    func arbitraryCombinationsGiveArbitraryBytesOfTheRight() {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<200 {
            let count = Int(generator.uniform(in: 1...8))
            var sources = Self.sources(count, length: 0...6, &generator).map { Optional($0) }
            var rows: [(index: Int, bytes: [UInt8])] = []
            for place in 0..<count where generator.unitInterval() < 0.5 {
                sources[place] = nil
                let bytes = (0..<10).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
                rows.append((index: rows.count, bytes: bytes))
            }
            guard !rows.isEmpty else { continue }
            let found = ErasureCode.recover(sources, from: rows)
            #expect(found?.count == rows.count)
            #expect(found?.allSatisfy { $0.count == 10 } == true)
        }
    }
}
