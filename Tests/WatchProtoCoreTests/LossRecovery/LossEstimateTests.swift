import Testing

@testable import WatchProtoCore

/// How much redundancy a block is worth, against the binomial distribution itself.
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
        estimate.add(delivered: delivered, lost: lost)
        return estimate
    }

    @Test(
        "A block gets the fewest repair packets that suffice by the binomial distribution",
        arguments: [(0, 0), (1900, 0), (900, 9), (980, 20), (950, 50), (700, 150)],
        [0.0005, 0.003, 0.02])
    func aBlockGetsTheFewestRepairPacketsThat(_ seen: (Int, Int), _ allowed: Double) {
        let estimate = Self.estimate(seen.0, seen.1)
        for count in [1, 2, 3, 5, 12, 40, 128] {
            let rows = estimate.repairs(for: count, allowed: allowed)
            func failure(_ rows: Int) -> Double {
                Self.chance(ofMoreThan: rows, of: count + rows, share: estimate.share)
            }
            let name = "\(count) packets, share \(estimate.share), \(rows) rows"
            if rows < RepairFrame.mostRepairs {
                #expect(failure(rows) <= allowed + 1e-9, "\(name)")
            }
            if rows > 0 { #expect(failure(rows - 1) > allowed - 1e-9, "\(name)") }
        }
    }

    @Test("A path without losses is worth no repair packet for what can wait")
    func aPathWithoutLossesIsWorthNoRepair() {
        let clean = Self.estimate(2000, 0)
        #expect(clean.repairs(for: 5, allowed: 0.02) == 0)
        #expect(!RepairEncoder.isWorthCopy(on: clean))
        // Nothing is known yet: one of a hundred.
        #expect(LossEstimate().share == 0.01)
        #expect(RepairEncoder.isWorthCopy(on: LossEstimate()))
    }

    @Test("A path that loses almost all gets at most the most repair packets")
    func aPathThatLosesAlmostAllGetsAt() {
        let bad = Self.estimate(0, 2000)
        #expect(bad.share > 0.9)
        #expect(bad.repairs(for: 128, allowed: 0.003) == RepairFrame.mostRepairs)
        #expect(bad.repairs(for: 1, allowed: 0.003) < 8)
    }

    @Test("Old losses count less, spurious losses not at all")
    func oldLossesCountLessSpuriousLossesNotAt() {
        var estimate = Self.estimate(1000, 1000)
        let before = estimate.share
        for _ in 0..<40 { estimate.add(delivered: 100, lost: 0) }
        #expect(estimate.share < before / 4)
        #expect(estimate.share > 0.01)
        var late = Self.estimate(90, 10)
        late.removeSpurious(4)
        #expect(abs(late.share - 7.0 / 200) < 1e-12)
        late.removeSpurious(100)
        #expect(abs(late.share - 1.0 / 200) < 1e-12)
    }
}
