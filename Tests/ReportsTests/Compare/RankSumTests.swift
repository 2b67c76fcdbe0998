import Testing

@testable import Reports

/// Chances from the tables of the distribution of U (Mann and Whitney 1947), as counts of the ways
/// to deal the ranks out.
@Suite struct RankSumTests {
    @Test(
        arguments: [
            ([1, 2, 3], [4, 5, 6, 7, 8], 2.0 / 56), ([1, 2, 3, 4], [5, 6, 7, 8], 2.0 / 70),
            ([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], 2.0 / 924),
            // U = 5 is the critical value of 6 and 6 at 5 %; 6 is no more.
            ([1, 2, 3, 4, 5, 11], [6, 7, 8, 9, 10, 12], 38.0 / 924),
            ([1, 2, 3, 4, 5, 12], [6, 7, 8, 9, 10, 11], 60.0 / 924),
            // U = 6 is that of 6 and 7, 13 of 8 and 8, 23 of 10 and 10.
            ([1, 2, 3, 4, 5, 12], [6, 7, 8, 9, 10, 11, 13], 60.0 / 1716),
            ([1, 2, 3, 4, 5, 6, 12, 16], [7, 8, 9, 10, 11, 13, 14, 15], 642.0 / 12870),
            ([1, 2, 3, 4, 5, 6, 13, 16], [7, 8, 9, 10, 11, 12, 14, 15], 836.0 / 12870),
            (
                [1, 2, 3, 4, 5, 6, 8, 11, 18, 20], [7, 9, 10, 12, 13, 14, 15, 16, 17, 19],
                7992.0 / 184_756
            ),
        ] as [([UInt64], [UInt64], Double)])
    func chances_are_those_of_the_tables(first: [UInt64], second: [UInt64], chance: Double) {
        for (left, right) in [(first, second), (second, first)] {
            #expect(abs(RankSum(left, right).chance - chance) < 1e-12)
            // Only ranks count.
            let far = left.map { $0 * $0 * 1000 }
            #expect(abs(RankSum(far, right.map { $0 * $0 * 1000 }).chance - chance) < 1e-12)
        }
    }

    /// Of 1, 1, 1 and 1, 2, 2, 2 the ranks are 2.5 and 6: 4 of 35 ways choose three of the four
    /// small ones, and one way the three large ones, which is further off.
    @Test func equal_values_share_their_ranks() {
        #expect(abs(RankSum([1, 1, 1], [1, 2, 2, 2]).chance - 5.0 / 35) < 1e-12)
        #expect(
            abs(RankSum([1, 1, 2, 2, 3], [2, 3, 3, 4, 4]).chance - 20.0 / 252) < 1e-12)
        #expect(RankSum([7, 7, 7], [7, 7, 7]).chance == 1)
        let same = [UInt64](repeating: 7, count: 30)
        #expect(RankSum(same, same).chance == 1)
        #expect(RankSum([], [1, 2, 3]).chance == 1 && RankSum([1], []).chance == 1)
    }

    @Test func the_least_chance_is_that_of_samples_that_lie_apart() {
        for (few, many) in [(3, 5), (6, 6), (10, 10)] {
            let (low, high) = (1...few, (few + 1)...(few + many))
            let apart = RankSum(low.map { UInt64($0) }, high.map { UInt64($0) })
            #expect(abs(apart.chance - RankSum.leastChance(few, many)) < 1e-12)
        }
        #expect(abs(RankSum.leastChance(6, 6) - 2.0 / 924) < 1e-15)
        #expect(RankSum.leastChance(0, 6) == 1 && RankSum.leastChance(1, 1) == 1)
    }

    /// 20 and 20 are counted, 21 and 20 are not; both lie near what the normal distribution says.
    @Test func many_values_are_near_the_normal_distribution() {
        func apart(_ first: Int, _ second: Int) -> Double {
            RankSum(
                (0..<first).map { UInt64(2 * $0) }, (0..<second).map { UInt64(2 * $0 + 9) }
            ).chance
        }
        // U is 120 of 400, and 136 of 420; counted, the second is 0.054594.
        #expect(abs(apart(20, 20) - 0.030_411_256) < 1e-8)
        #expect(abs(apart(21, 20) - 0.055_234_254) < 1e-8)
        // z = (625 / 2 - 1 / 2) / sqrt(625 / 12 x 51): 6.0527.
        let whole = RankSum((0..<25).map { UInt64($0) }, (25..<50).map { UInt64($0) }).chance
        #expect(abs(whole - 1.415_656e-9) < 1e-14)
    }

    /// Holm's correction: the smallest times four, the next times three, never falling.
    @Test func many_tests_together_are_evaluated_more_strictly() {
        let adjusted = ManyTests.adjusted([0.01, 0.04, 0.03, 0.005])
        for (found, expected) in zip(adjusted, [0.03, 0.06, 0.06, 0.02]) {
            #expect(abs(found - expected) < 1e-12)
        }
        #expect(ManyTests.adjusted([]) == [] && ManyTests.adjusted([0.2]) == [0.2])
        #expect(ManyTests.adjusted([0.6, 0.9]) == [1, 1])
    }
}
