import Testing

@testable import FormerCore

/// On which step a link is, and when that changes.
@Suite struct LinkQualityTests {
    @Test(arguments: [
        (40, 0.011, 1_250_000, LinkQuality.excellent), (41, 0.011, 1_250_000, .good),
        (40, 0.012, 1_250_000, .good), (40, 0.011, 1_249_999, .good),
        (150, 0.015, 250_000, .good), (151, 0.015, 250_000, .moderate),
        (150, 0.016, 250_000, .moderate), (150, 0.015, 249_999, .moderate),
        (400, 0.035, 50_000, .moderate), (401, 0.035, 50_000, .poor),
        (400, 0.036, 50_000, .poor), (400, 0.035, 49_999, .poor), (1, 0, 1000, .poor),
    ])
    func the_worst_measurement_decides(
        _ trip: Int, _ loss: Double, _ rate: Double, _ expected: LinkQuality
    ) {
        let found = LinkQuality(
            roundTrip: .milliseconds(trip), lossShare: loss, bytesPerSecond: rate)
        #expect(found == expected)
    }

    @Test func what_is_not_known_is_no_fault() {
        let trip = Duration.microseconds(30)
        #expect(LinkQuality(roundTrip: trip, lossShare: 0, bytesPerSecond: nil) == .excellent)
    }

    @Test func steps_are_ordered() {
        #expect(LinkQuality.allCases == LinkQuality.allCases.sorted())
        #expect(LinkQuality.allCases.map { "\($0)" } == ["poor", "moderate", "good", "excellent"])
    }

    // MARK: Judgement

    private var judge = LinkQualityJudge()

    private mutating func note(
        _ quality: LinkQuality, at milliseconds: Int64, isWhole: Bool = true,
        trip: Duration = .milliseconds(20)
    ) -> LinkQuality? {
        judge.note(
            quality, isWhole: isWhole, roundTrip: trip,
            at: Instant(nanoseconds: UInt64(milliseconds) * 1_000_000))
    }

    @Test mutating func the_first_counts_at_once_and_another_after_a_while() {
        #expect(judge.quality == nil)
        #expect(note(.good, at: 0) == .good)
        #expect(note(.good, at: 10) == nil)
        #expect(note(.poor, at: 1000) == nil)
        #expect(note(.poor, at: 2999) == nil)
        #expect(judge.quality == .good)
        #expect(note(.poor, at: 3000) == .poor)
        #expect(judge.quality == .poor)
    }

    @Test mutating func the_first_with_a_rate_counts_at_once() {
        #expect(note(.excellent, at: 0, isWhole: false) == .excellent)
        #expect(note(.good, at: 10, isWhole: false) == nil)
        #expect(note(.moderate, at: 20) == .moderate)
        #expect(note(.good, at: 30) == nil)
        #expect(note(.good, at: 40, isWhole: false) == nil)
        #expect(note(.good, at: 50) == nil)
        #expect(judge.quality == .moderate)
        judge = LinkQualityJudge()
        _ = note(.good, at: 0, isWhole: false)
        #expect(note(.good, at: 10) == nil)
        #expect(note(.poor, at: 20) == nil)
    }

    @Test mutating func a_moment_on_another_step_is_forgotten() {
        _ = note(.good, at: 0)
        for second in 1..<20 {
            #expect(note(.poor, at: Int64(second) * 1000) == nil)
            #expect(note(.good, at: Int64(second) * 1000 + 500) == nil)
        }
        // From worse to better is another wait.
        #expect(note(.poor, at: 30_000) == nil)
        #expect(note(.excellent, at: 31_000) == nil)
        #expect(note(.excellent, at: 32_500) == nil)
        #expect(note(.excellent, at: 33_000) == .excellent)
    }

    @Test mutating func steps_on_one_side_wait_together() {
        _ = note(.excellent, at: 0)
        #expect(note(.poor, at: 1000) == nil)
        #expect(note(.moderate, at: 2000) == nil)
        #expect(note(.moderate, at: 3000) == .moderate)
    }

    @Test mutating func a_long_round_trip_is_waited_for() {
        _ = note(.good, at: 0)
        #expect(note(.poor, at: 1000, trip: .seconds(1)) == nil)
        #expect(note(.poor, at: 4999, trip: .seconds(1)) == nil)
        #expect(note(.poor, at: 5000, trip: .seconds(1)) == .poor)
    }
}
