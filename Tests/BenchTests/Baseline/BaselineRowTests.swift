import Reports
import Simulation
import Testing

@testable import Bench

@Suite struct BaselineRowTests {
    private func samples(_ ours: [UInt64], ideal: [UInt64]) -> BaselineSamples {
        var samples = BaselineSamples()
        samples.ours = ours
        samples.ideal = ideal
        samples.limit = ideal
        return samples
    }

    private let settings = BaselineSettings(LinkProfile.named("3g")!)

    @Test func percentiles_are_exact() {
        let samples = (1...200).map { UInt64($0) }.shuffled()
        #expect(Percentile.p50.value(of: samples) == 100)
        #expect(Percentile.p90.value(of: samples) == 180)
        #expect(Percentile.p95.value(of: samples) == 190)
        #expect(Percentile.p99.value(of: samples) == nil)
        #expect(Percentile.p50.value(of: []) == nil)
    }

    @Test func a_ratio_is_of_percentiles() {
        // The slowest of ours is not paired with the slowest of the ideal.
        let row = BaselineRow(
            .hundredWarm, settings,
            samples((1...100).map { 2 * $0 }, ideal: (1...100).map { 101 - $0 }))
        #expect(row.ratio(.p50) == 2)
        #expect(row.ratio(.p90) == 2)
        #expect(row.ratio(.p99) == nil)
    }

    @Test func what_never_ended_is_infinite() {
        let never = [UInt64](repeating: BaselineSamples.never, count: 20)
        let row = BaselineRow(
            .hundredWarm, settings,
            samples(
                never + [UInt64](repeating: 5, count: 80), ideal: Array(repeating: 5, count: 100)))
        #expect(row.ratio(.p50) == 1)
        #expect(row.ratio(.p90) == .infinity)
        #expect(row.goals.contains { $0.name == "p90 / ideal" && $0.isMissed })
        #expect(row.goals.contains { $0.name.hasPrefix("not over") && $0.actual == 20 })
    }

    /// Under blackouts the scheme gives up its packets, and there is nothing to compare with.
    @Test func nothing_is_measured_against_an_ideal_that_never_ends() {
        let never = [UInt64](repeating: BaselineSamples.never, count: 20)
        let ours = [UInt64](repeating: 5, count: 20)
        for ours in [ours, never] {
            let row = BaselineRow(.hardBlackout, settings, samples(ours, ideal: never))
            #expect(row.ratio(.p50) == nil && row.cost == nil)
            #expect(row.cells[8] == "-" && row.cells[12] == "-", "\(row.cells)")
        }
    }

    /// Too few trials cannot pass, and each goal says how many it needs.
    @Test func too_few_trials_miss() {
        let five = [UInt64](repeating: 100, count: 5)
        let row = BaselineRow(.complication, settings, samples(five, ideal: five))
        #expect(row.goals.map(\.status) == [.few, .few, .few])
        #expect(row.goals.map(\.needs) == [20, 1000, 200])
        #expect(row.isMissed)
        #expect(row.goals[1].cells.last == "TOO FEW (5 of 1000)")
        let enough = [UInt64](repeating: 100, count: 1000)
        #expect(!BaselineRow(.complication, settings, samples(enough, ideal: enough)).isMissed)
        let files = BaselineRow(.bulk, settings, samples(five, ideal: five))
        #expect(files.goals.map(\.status) == [.few] && files.isMissed)
    }

    /// An ideal that never ends is no want of trials: the measuring is at fault.
    @Test func an_ideal_that_never_ends_fails() {
        let ours = [UInt64](repeating: 100, count: 1000)
        var some = samples(ours, ideal: ours)
        for place in 0..<20 { some.ideal[place] = BaselineSamples.never }
        some.idealNever = 20
        let row = BaselineRow(.complicationBursts, settings, some)
        #expect(row.goals.map(\.status) == [.pass, .fail, .fail])
        #expect(row.goals[1].cells.last == "FAIL (the ideal never ends)")
        #expect(row.isMissed)
        // One alone does not reach a percentile, and fails all the same.
        some.ideal = ours
        some.idealNever = 1
        #expect(BaselineRow(.complicationBursts, settings, some).isMissed)
    }

    @Test func a_line_without_delay_has_a_ratio() {
        let zero = [UInt64](repeating: 0, count: 50)
        #expect(BaselineRow(.change, settings, samples(zero, ideal: zero)).ratio(.p50) == 1)
        let ours = [UInt64](repeating: 1, count: 50)
        #expect(BaselineRow(.change, settings, samples(ours, ideal: zero)).ratio(.p50) == .infinity)
    }

    @Test func goals_follow_the_loss_of_the_link() {
        func bounds(_ cell: BaselineCell, _ profile: String) -> [Double] {
            let settings = BaselineSettings(LinkProfile.named(profile)!)
            let line = [UInt64](repeating: 1_000_000_000, count: 1000)
            return BaselineRow(cell, settings, samples(line, ideal: line)).goals.map(\.bound)
        }
        #expect(bounds(.complication, "3g") == [1.02, 1.1, 100])
        #expect(bounds(.complication, "edge") == [1.3, 100])
        #expect(bounds(.complicationBursts, "3g") == [1.02, 3.3])
        #expect(bounds(.complicationBursts, "edge") == [3.3])
        #expect(bounds(.complicationEarly, "3g") == [1.07, 1.1, 500])
        #expect(bounds(.complicationEarly, "edge") == [1.3, 500])
        #expect(bounds(.complicationRestart, "3g") == [1.07, 1.1, 500])
        #expect(bounds(.complicationSecond, "edge") == [1.1, 100])
        #expect(bounds(.change, "3g") == [1.3, 1000])
        #expect(bounds(.offline, "edge") == [1.1, 5000])
        #expect(bounds(.hundredWarm, "edge") == [1.05, 1.15])
        #expect(bounds(.bulk, "5g") == [0.9])
        #expect(bounds(.bulkSmall, "5g") == [0.85])
        #expect(bounds(.bulk, "ble") == [0.85])
        #expect(bounds(.bulk, "3g") == [0.85])
        #expect(bounds(.bulkLarge, "edge") == [0.75])
    }

    /// Commits that a trial took are those by which it is later than on journals without time.
    @Test(arguments: [
        (BaselineCell.complicationEarly, 0, true), (.complicationEarly, 1, false),
        (.recordEarly, 1, false), (.complicationDialled, 1, false),
        (.complicationRestart, 1, true), (.complicationRestart, 2, false),
        (.committedEarly, 0, true), (.committedEarly, 1, true), (.committedEarly, 2, false),
        (.committedCut, 2, true), (.committedCut, 3, false),
    ])
    func commits_are_counted(_ cell: BaselineCell, _ paid: Int, _ isMet: Bool) {
        var settings = BaselineSettings(LinkProfile.named("5g")!)
        settings.commitTime = .milliseconds(5)
        let instant = [UInt64](repeating: 40_000_000, count: 1000)
        let ours = instant.map { $0 + UInt64(paid) * 5_000_000 }
        var row = BaselineRow(cell, settings, samples(ours, ideal: instant))
        row.evaluate(byInstantCommits: samples(instant, ideal: instant))
        #expect(row.isMissed != isMet)
        #expect(row.goals.first?.actual == Double(paid))
        var few = BaselineRow(cell, settings, samples([1], ideal: [1]))
        few.evaluate(byInstantCommits: samples(instant, ideal: instant))
        #expect(few.isMissed && few.goals.first?.status == .few)
    }

    @Test func physics_is_no_excuse_for_what_it_allows() {
        var goal = BaselineGoal(name: "p95", actual: 160, bound: 100, hardLimit: 500)
        #expect(goal.status == .warn && !goal.isMissed)
        goal.actual = 600
        #expect(goal.status == .fail && goal.isMissed)
        goal.baseline = 90
        #expect(!goal.isForbidden && goal.isMissed)
        goal.baseline = 101
        #expect(goal.isForbidden && !goal.isMissed)
        goal.actual = nil
        #expect(goal.status == .few && goal.isMissed)
        goal.count = 0
        #expect(goal.status == .noData && goal.isMissed)
        let least = BaselineGoal(
            name: "goodput", actual: 0.88, bound: 0.9, isLeast: true, baseline: 0.89)
        #expect(least.status == .fail && least.isForbidden)
    }

    /// 2 MB at 1 Mbit/s are 16 s; with 2 % of it once more and 150 ms, 16.477 s.
    @Test func goodput_counts_the_payload_alone() throws {
        let line = [UInt64](repeating: 20_000_000_000, count: 20)
        let row = BaselineRow(.bulk, settings, samples(line, ideal: line))
        let goodput = try #require(row.goodput)
        #expect(goodput.ours == 0.8)
        #expect(abs(goodput.baseline - 16 / 16.476_531) < 1e-6)
    }

    @Test func a_cold_start_is_evaluated_by_the_warm_one() {
        var report = BaselineReport(settings)
        let warm = [UInt64](repeating: 100, count: 100)
        let cold = [UInt64](repeating: 115, count: 100)
        report.add(BaselineRow(.hundredWarm, settings, samples(warm, ideal: warm)))
        #expect(!report.isMissed)
        report.add(BaselineRow(.hundredCold, settings, samples(cold, ideal: warm)))
        #expect(report.rows[1].goals.map(\.actual) == [1.15, 1.15])
        #expect(report.isMissed)
        // Alone it is evaluated by nothing, and that is no pass; the order does not matter.
        var other = BaselineReport(settings)
        other.add(BaselineRow(.hundredCold, settings, samples(warm, ideal: warm)))
        #expect(other.rows[0].goals.map(\.status) == [.noData, .noData] && other.isMissed)
        other.add(BaselineRow(.hundredWarm, settings, samples(warm, ideal: warm)))
        #expect(other.rows[0].goals.map(\.status) == [.pass, .pass] && !other.isMissed)
        #expect(report.text().contains("p50 / warm"))
        #expect(report.json.count == 2)
    }
}
