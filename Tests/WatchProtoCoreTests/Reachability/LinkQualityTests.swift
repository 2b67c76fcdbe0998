import Testing

@testable import WatchProtoCore

/// The step of a link, and when it changes.
@Suite struct LinkQualityTests {
    @Test(
        "The worst measurement decides the step",
        arguments: [
            (40, 0.011, 1_250_000, LinkQuality.excellent), (41, 0.011, 1_250_000, .good),
            (40, 0.012, 1_250_000, .good), (40, 0.011, 1_249_999, .good),
            (150, 0.015, 250_000, .good), (151, 0.015, 250_000, .moderate),
            (150, 0.016, 250_000, .moderate), (150, 0.015, 249_999, .moderate),
            (400, 0.035, 50_000, .moderate), (401, 0.035, 50_000, .poor),
            (400, 0.036, 50_000, .poor), (400, 0.035, 49_999, .poor), (1, 0, 1000, .poor),
        ])
    func theWorstMeasurementDecidesTheStep(
        _ trip: Int, _ loss: Double, _ rate: Double, _ expected: LinkQuality
    ) {
        let found = LinkQuality(
            roundTrip: .milliseconds(trip), lossShare: loss, bytesPerSecond: rate)
        #expect(found == expected)
    }

    @Test("An unknown rate keeps every bound")
    func anUnknownRateKeepsEveryBound() {
        let trip = Duration.microseconds(30)
        #expect(LinkQuality(roundTrip: trip, lossShare: 0, bytesPerSecond: nil) == .excellent)
    }

    @Test("Steps are ordered from poor to excellent")
    func stepsAreOrderedFromPoorToExcellent() {
        #expect(LinkQuality.allCases == LinkQuality.allCases.sorted())
        #expect(LinkQuality.allCases.map { "\($0)" } == ["poor", "moderate", "good", "excellent"])
    }

    // MARK: Steps over time

    private var estimator = LinkQualityEstimator()

    private mutating func note(
        _ quality: LinkQuality, at milliseconds: Int64, isWhole: Bool = true,
        trip: Duration = .milliseconds(20)
    ) -> LinkQuality? {
        estimator.measured(
            quality, isWhole: isWhole, roundTrip: trip,
            at: Instant(nanoseconds: UInt64(milliseconds) * 1_000_000))
    }

    @Test("The first measurement counts at once, another step after two seconds")
    mutating func theFirstMeasurementCountsAtOnceAnotherStep() {
        #expect(estimator.quality == nil)
        #expect(note(.good, at: 0) == .good)
        #expect(note(.good, at: 10) == nil)
        #expect(note(.poor, at: 1000) == nil)
        #expect(note(.poor, at: 2999) == nil)
        #expect(estimator.quality == .good)
        #expect(note(.poor, at: 3000) == .poor)
        #expect(estimator.quality == .poor)
    }

    @Test("The first measurement with a rate counts at once")
    mutating func theFirstMeasurementWithARateCountsAt() {
        #expect(note(.excellent, at: 0, isWhole: false) == .excellent)
        #expect(note(.good, at: 10, isWhole: false) == nil)
        #expect(note(.moderate, at: 20) == .moderate)
        #expect(note(.good, at: 30) == nil)
        #expect(note(.good, at: 40, isWhole: false) == nil)
        #expect(note(.good, at: 50) == nil)
        #expect(estimator.quality == .moderate)
        estimator = LinkQualityEstimator()
        _ = note(.good, at: 0, isWhole: false)
        #expect(note(.good, at: 10) == nil)
        #expect(note(.poor, at: 20) == nil)
    }

    @Test("A moment on another step changes nothing")
    mutating func aMomentOnAnotherStepChangesNothing() {
        _ = note(.good, at: 0)
        for second in 1..<20 {
            #expect(note(.poor, at: Int64(second) * 1000) == nil)
            #expect(note(.good, at: Int64(second) * 1000 + 500) == nil)
        }
        // Better after worse begins another wait.
        #expect(note(.poor, at: 30_000) == nil)
        #expect(note(.excellent, at: 31_000) == nil)
        #expect(note(.excellent, at: 32_500) == nil)
        #expect(note(.excellent, at: 33_000) == .excellent)
    }

    @Test("Alternating worse steps wait together")
    mutating func alternatingWorseStepsWaitTogether() {
        _ = note(.excellent, at: 0)
        #expect(note(.poor, at: 1000) == nil)
        #expect(note(.moderate, at: 2000) == nil)
        #expect(note(.moderate, at: 3000) == .moderate)
    }

    @Test("Another step is measured for four round trips at least")
    mutating func anotherStepIsMeasuredForFourRoundTrips() {
        _ = note(.good, at: 0)
        #expect(note(.poor, at: 1000, trip: .seconds(1)) == nil)
        #expect(note(.poor, at: 4999, trip: .seconds(1)) == nil)
        #expect(note(.poor, at: 5000, trip: .seconds(1)) == .poor)
    }
}
