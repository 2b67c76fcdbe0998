import Testing

@testable import FormerCore

/// How much redundancy a flight is worth, against the binomial distribution itself.
@Suite struct LossEstimateTests {
    /// The chance that more than `most` of `count` packets are lost, by adding packet by packet.
    private static func chance(ofMoreThan most: Int, of count: Int, share: Double) -> Double {
        var chances = [1.0] + [Double](repeating: 0, count: count)
        for packet in 0..<count {
            for lost in stride(from: packet + 1, through: 0, by: -1) {
                let before = lost > 0 ? chances[lost - 1] * share : 0
                chances[lost] = chances[lost] * (1 - share) + before
            }
        }
        return chances[(most + 1)...].reduce(0, +)
    }

    private static func estimate(_ delivered: Int, _ lost: Int) -> LossEstimate {
        var estimate = LossEstimate()
        estimate.note(delivered: delivered, lost: lost)
        return estimate
    }

    @Test(
        arguments: [(0, 0), (1900, 0), (900, 9), (980, 20), (950, 50), (700, 150)],
        [0.0005, 0.003, 0.02])
    func rows_are_the_fewest_that_suffice(_ seen: (Int, Int), _ allowed: Double) {
        let estimate = Self.estimate(seen.0, seen.1)
        for count in [1, 2, 3, 5, 12, 40, 128] {
            let rows = estimate.rows(for: count, allowed: allowed)
            func failure(_ rows: Int) -> Double {
                Self.chance(ofMoreThan: rows, of: count + rows, share: estimate.share)
            }
            let name = "\(count) packets, share \(estimate.share), \(rows) rows"
            if rows < ParityFrame.largestRows {
                #expect(failure(rows) <= allowed + 1e-9, "\(name)")
            }
            if rows > 0 { #expect(failure(rows - 1) > allowed - 1e-9, "\(name)") }
        }
    }

    @Test func a_path_that_loses_nothing_is_worth_no_parity_for_what_can_wait() {
        let clean = Self.estimate(2000, 0)
        #expect(clean.rows(for: 5, allowed: 0.02) == 0)
        #expect(!ParityEncoder.isWorthCopy(on: clean))
        // Nothing is known yet: one of a hundred.
        #expect(LossEstimate().share == 0.01)
        #expect(ParityEncoder.isWorthCopy(on: LossEstimate()))
    }

    @Test func a_path_that_loses_almost_all_has_no_more_than_the_most_rows() {
        let bad = Self.estimate(0, 2000)
        #expect(bad.share > 0.9)
        #expect(bad.rows(for: 128, allowed: 0.003) == ParityFrame.largestRows)
        #expect(bad.rows(for: 1, allowed: 0.003) < 8)
    }

    @Test func what_is_long_ago_counts_less_and_what_was_late_not() {
        var estimate = Self.estimate(1000, 1000)
        let before = estimate.share
        for _ in 0..<40 { estimate.note(delivered: 100, lost: 0) }
        #expect(estimate.share < before / 4)
        #expect(estimate.share > 0.01)
        var late = Self.estimate(90, 10)
        late.takeBack(4)
        #expect(abs(late.share - 7.0 / 200) < 1e-12)
        late.takeBack(100)
        #expect(abs(late.share - 1.0 / 200) < 1e-12)
    }
}
