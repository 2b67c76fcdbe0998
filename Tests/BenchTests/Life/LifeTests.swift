import Bench
import ControlProtocol
import Testing

/// Lives in virtual time: their promises, and the planted bugs that break them.
@Suite(.timeLimit(.minutes(5))) struct LifeTests {
    private static func figures(
        _ seed: UInt64, _ change: (inout LifeOptions) -> Void = { _ in }
    ) -> (options: LifeOptions, figures: LifeFigures) {
        var options = LifeOptions(seed: seed)
        options.days = 10
        change(&options)
        return (options, LifeRun.figures(options))
    }

    private static func broken(
        _ seed: UInt64, _ change: (inout LifeOptions) -> Void = { _ in }
    ) -> [LifePromise] {
        let (options, figures) = figures(seed, change)
        return LifePromise.allCases.filter { !$0.isKept(by: figures, options) }
    }

    /// Whether a month of one of these lives breaks the promise that the bug is to break.
    private static func isCaught(
        _ fault: LifeOptions.Fault, within seeds: ClosedRange<UInt64>
    ) -> Bool {
        seeds.contains { seed in
            broken(seed) { ($0.days, $0.fault) = (30, fault) }.contains(fault.breaks)
        }
    }

    @Test("One seed gives one life, another seed another one")
    func determinism() async {
        var options = LifeOptions(seed: 1)
        options.days = 4
        var (first, second) = (LifeCampaign(options), LifeCampaign(options))
        await first.add(1...4, workers: 1)
        await second.add(1...2, workers: 2)
        await second.add(3...4, workers: 3)
        #expect(first.results == second.results && first.json == second.json)
        #expect(Set(first.results.map(\.product)).count == 4)
        #expect(first.json["seeds"]?.array?.count == 4)
        #expect(first.json["all"]?["product"]?["pushes_of_day"]?["n"] == 16)
    }

    @Test("A life keeps every promise, and has what it says", arguments: [1, 2, 3] as [UInt64])
    func promises(seed: UInt64) {
        let (options, figures) = Self.figures(seed)
        for promise in LifePromise.allCases {
            #expect(promise.isKept(by: figures, options), "\(promise.rawValue)")
        }
        #expect(figures.mostPushes > 20 && figures.events > 10)
        #expect(figures.doses.contains { $0 > 0 } && figures.millijoules.allSatisfy { $0 > 0 })
        #expect(!figures.linkedAges.isEmpty && !figures.ownAges.isEmpty)
        #expect(figures.phoneDead > 0 && figures.linked < figures.watchOn)
    }

    @Test("A planner that ignores the budget is caught")
    func ignoredBudget() {
        let broken = Self.broken(1) { $0.fault = .ignoresBudget }
        #expect(broken == [.budget])
    }

    @Test("An account of pushes that a restart loses is caught")
    func lostAccount() {
        let broken = (1...6).flatMap { seed in Self.broken(seed) { $0.fault = .forgetsPushes } }
        #expect(broken.contains(.budget))
    }

    @Test("A timeline that is not extended is caught: it ends, and misses the watch's own doses")
    func keptTimeline() {
        let broken = Self.broken(2) { $0.fault = .keepsTimeline }
        #expect(broken.contains(.extended) && broken.contains(.wrong))
    }

    @Test("A planner that takes each push for a free ride is caught by what wakes the watch")
    func freeRides() {
        #expect(Self.broken(1) { $0.fault = .ridesAlways }.contains(.budget))
    }

    @Test("A state that is lost when its moment comes is caught")
    func lostState() {
        let broken = (1...4).flatMap { seed in Self.broken(seed) { $0.fault = .losesWaiting } }
        #expect(broken.contains(.states))
    }

    @Test("A face that hides what is not checked is caught")
    func hiddenUnchecked() {
        #expect(Self.broken(1) { $0.fault = .hidesUnchecked }.contains(.wrong))
    }

    @Test("A device that forgets a journey in a restart is caught")
    func forgottenJourney() {
        // Not every journey has an open dose at a restart: the first life with one is enough.
        #expect(Self.isCaught(.forgetsJourney, within: 1...6))
    }

    @Test("A watch that looks late, or not every 15 minutes, is caught")
    func lateLooks() {
        #expect(Self.broken(1) { $0.fault = .looksLate }.contains(.held))
        #expect(Self.isCaught(.skipsRefresh, within: 1...4))
    }

    @Test("A phone that urges each half an hour is caught by its median day")
    func urgentAlways() {
        #expect(Self.broken(1) { $0.fault = .urgesAlways }.contains(.median))
    }

    @Test("A life of the medications that it is given")
    func givenMedications() {
        let pool = CodecFixtures.records(count: 50, seed: 77)
        let (options, figures) = Self.figures(4) { $0.medications = pool }
        #expect(LifePromise.allCases.allSatisfy { $0.isKept(by: figures, options) })
        #expect(figures.events > 10 && figures != Self.figures(4).figures)
    }

    @Test("A month has a journey, and the face follows it")
    func journey() {
        var wrongByZone: [Int64] = []
        for seed in 1...4 as ClosedRange<UInt64> {
            let (options, figures) = Self.figures(seed) { $0.days = 30 }
            wrongByZone += figures.wrongByZone
            #expect(!figures.stateAges.isEmpty)
            for promise in LifePromise.allCases {
                #expect(promise.isKept(by: figures, options), "\(seed): \(promise.rawValue)")
            }
        }
        #expect(!wrongByZone.isEmpty, "a journey changes what is right")
    }

    @Test("A campaign with a planted bug passes only if its own promise breaks")
    func faults() async {
        var options = LifeOptions(seed: 1)
        options.days = 1
        options.fault = .ignoresBudget
        var campaign = LifeCampaign(options)
        await campaign.add(1...1, workers: 1)
        #expect(!campaign.passes && campaign.json["passed"] == false)
        #expect(campaign.json["fault"] == "ignores-budget")
    }

    @Test("Without planning the budget breaks, and without the timeline the face is wrong")
    func variants() {
        #expect(Self.broken(1) { $0.variant = .unplanned }.contains(.budget))
        let (_, frozen) = Self.figures(1) { $0.variant = .frozen }
        #expect((frozen.wrong.max() ?? 0) > 3_600_000)
    }

    @Test(
        "A wrong clock and far zones are survived",
        arguments: [(-1440, 60), (1440, 60), (-17, 60), (0, -720), (0, 840), (90, 345)])
    func clocks(error: Int, zone: Int) {
        let broken = Self.broken(3) { options in
            options.clockError = error
            options.zone = zone
            options.days = 5
        }
        #expect(broken == [])
    }

    @Test("A small budget is kept, and none at all", arguments: [0, 1, 12])
    func budgets(pushes: Int) {
        let (options, figures) = Self.figures(1) { $0.pushes = pushes }
        #expect(figures.mostPushes <= pushes && figures.missed > 0)
        #expect(LifePromise.allCases.allSatisfy { $0.isKept(by: figures, options) })
    }

    @Test("The spread of some figures, by hand")
    func spread() {
        let spread = LifeSpread([4, 1, 3, 2])
        #expect(spread.value(0.5) == 2 && spread.value(0.99) == 4 && spread.value(0) == 1)
        #expect(LifeSpread([Int]()).value(0.5) == nil && spread.json["sum"]?.number == 10)
    }
}
