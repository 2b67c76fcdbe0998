import Articles
import Testing

@testable import FormerCore

/// Any sources that are lost come back, whichever they are, from as many combinations.
@Suite struct ParityCodeTests {
    /// Multiplication bit by bit, as the wire article says it.
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
            sources.append(ParityEncoder.source(of: frames))
        }
        return sources
    }

    /// Loses the places of `lost` and says whether the rows bring all of them back.
    private static func comeBack(
        _ sources: [[UInt8]], lost: [Int], from rows: [(row: Int, bytes: [UInt8])]
    ) -> Bool {
        var kept = sources.map { Optional($0) }
        for place in lost { kept[place] = nil }
        guard let found = ParityCode.restore(kept, from: rows) else { return false }
        let length = rows[0].bytes.count
        return found
            == lost.map { sources[$0] + [UInt8](repeating: 0, count: length - sources[$0].count) }
    }

    @Test func the_field_is_that_of_the_article() {
        for left in UInt8.min...UInt8.max {
            for right in UInt8.min...UInt8.max
            where ParityCode.product(left, right) != Self.product(left, right) {
                Issue.record("\(left) times \(right)")
            }
            guard left != 0 else { continue }
            #expect(Self.product(left, ParityCode.inverse(left)) == 1, "\(left)")
        }
        for row in 0..<ParityFrame.largestRows {
            for source in 0..<ParityFrame.largestCount {
                let sum = UInt8(255 - row) ^ UInt8(source)
                let coefficient = ParityCode.coefficient(row: row, source: source)
                #expect(Self.product(coefficient, sum) == 1)
            }
        }
    }

    /// Made by `Examples/python/watch_parity.py`, which has no tables.
    @Test func combinations_are_those_of_another_language() throws {
        let rows = try FixtureFiles.rows("wire/frames/parity.tsv")
        #expect(rows.count >= 9)
        for fields in rows {
            let row = try #require(Int(fields[1]))
            let packets = fields[2].split(separator: ",", omittingEmptySubsequences: false)
            let sources = try packets.map {
                ParityEncoder.source(of: try #require(Hex.bytes($0)))
            }
            #expect(Hex.string(ParityCode.combine(sources, row: row)) == fields[3], "\(fields[0])")
        }
    }

    @Test func every_loss_of_a_short_flight_comes_back_from_any_rows() {
        var generator = SeededGenerator(seed: 3)
        for count in 1...6 {
            let sources = Self.sources(count, length: 0...4, &generator)
            let all = (0..<4).map { (row: $0, bytes: ParityCode.combine(sources, row: $0)) }
            for losses in 1..<(1 << count) {
                let lost = (0..<count).filter { losses & 1 << $0 != 0 }
                for chosen in 1..<16 where chosen.nonzeroBitCount == lost.count {
                    let rows = all.filter { chosen & 1 << $0.row != 0 }
                    #expect(
                        Self.comeBack(sources, lost: lost, from: rows),
                        "\(lost) of \(count) from \(rows.map { $0.row })")
                }
            }
        }
    }

    @Test(arguments: [(128, 32), (128, 1), (97, 20), (40, 32), (33, 7)])
    func losses_of_a_long_flight_come_back(_ count: Int, _ rows: Int) {
        var generator = SeededGenerator(seed: UInt64(count * 100 + rows))
        let sources = Self.sources(count, length: 0...24, &generator)
        var all = (0..<ParityFrame.largestRows).map { $0 }
        all.shuffle(using: &generator)
        let combinations = all.prefix(rows).map {
            (row: $0, bytes: ParityCode.combine(sources, row: $0))
        }
        var places = (0..<count).map { $0 }
        places.shuffle(using: &generator)
        let lost = places.prefix(rows).sorted()
        #expect(Self.comeBack(sources, lost: lost, from: combinations))
    }

    @Test func what_cannot_be_solved_is_not() {
        let sources: [[UInt8]] = [[1, 0, 7], [2, 0, 8, 9], [0, 0]]
        let rows = (0..<3).map { (row: $0, bytes: ParityCode.combine(sources, row: $0)) }
        let none: [[UInt8]?] = [nil, nil, nil]
        #expect(ParityCode.restore(none, from: Array(rows[..<2])) == nil)
        #expect(ParityCode.restore(none, from: []) == nil)
        #expect(ParityCode.restore(none, from: [rows[0], rows[1], rows[1]]) == nil)
        // Nothing is missing.
        #expect(ParityCode.restore(sources, from: rows) == nil)
        // A combination is as long as all it combines, and as the others.
        let short = (row: 0, bytes: Array(rows[0].bytes.dropLast()))
        #expect(ParityCode.restore([nil, sources[1], sources[2]], from: [short]) == nil)
        let long = (row: 2, bytes: rows[2].bytes + [0])
        #expect(ParityCode.restore(none, from: [rows[0], rows[1], long]) == nil)
        #expect(ParityCode.restore(none, from: rows) != nil)
    }

    /// Whatever somebody combined, something of the right length comes out.
    @Test func combinations_that_are_none_give_something() {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<200 {
            let count = Int(generator.uniform(in: 1...8))
            var sources = Self.sources(count, length: 0...6, &generator).map { Optional($0) }
            var rows: [(row: Int, bytes: [UInt8])] = []
            for place in 0..<count where generator.unitInterval() < 0.5 {
                sources[place] = nil
                let bytes = (0..<10).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
                rows.append((row: rows.count, bytes: bytes))
            }
            guard !rows.isEmpty else { continue }
            let found = ParityCode.restore(sources, from: rows)
            #expect(found?.count == rows.count)
            #expect(found?.allSatisfy { $0.count == 10 } == true)
        }
    }
}
