import Reports
import Testing

@Suite struct StatusTests {
    let sync = TargetTable.target("sync.one-change")!
    let list = TargetTable.target("sync.list")!
    let wire = TargetTable.target("wire.list")!

    @Test(arguments: [
        (1e9, Status.pass), (1e9 + 1, .warn), (3e9, .warn), (3e9 + 1, .fail),
    ])
    func a_time_is_evaluated_by_goal_and_limit(actual: Double, status: Status) {
        #expect(sync.status(of: Measurement(actual, sampleCount: 1000)) == status)
    }

    @Test func too_few_samples_are_told_before_good_or_bad_ones() {
        #expect(sync.status(of: Measurement(1, sampleCount: 999)) == .few)
        #expect(sync.status(of: Measurement(9e9, sampleCount: 999)) == .few)
        #expect(list.status(of: Measurement(9e9, sampleCount: 50)) == .fail)
    }

    /// A list of three says nothing of a list of fifty.
    @Test(arguments: [
        ("sync.list", 50), ("wire.list", 50), ("sync.incremental", 100), ("sync.offline", 40),
    ])
    func a_smaller_job_than_the_target_names_is_few(id: String, items: UInt64) throws {
        let target = try #require(TargetTable.target(id))
        #expect(target.samplesNeeded == items)
        #expect(target.status(of: Measurement(1, sampleCount: items)) == .pass)
        for count in [1, 3, items - 1] {
            #expect(target.status(of: Measurement(1, sampleCount: count)) == .few)
        }
    }

    @Test func nothing_measured_is_no_data() {
        #expect(sync.status(of: nil) == .noData)
        #expect(sync.status(of: Measurement(nil, sampleCount: 0)) == .noData)
        #expect(sync.status(of: Measurement(nil, sampleCount: 5000)) == .noData)
        #expect(sync.status(of: Measurement(.nan, sampleCount: 5000)) == .noData)
    }

    @Test func a_goal_without_a_limit_is_the_limit() {
        #expect(wire.limit == nil)
        #expect(wire.status(of: Measurement(1e6, sampleCount: 50)) == .pass)
        #expect(wire.status(of: Measurement(1e6 + 1, sampleCount: 50)) == .fail)
    }

    @Test func what_must_be_exact_is() {
        let exact = TargetTable.target("delivery.exact")!
        #expect(exact.status(of: Measurement(100)) == .pass)
        #expect(exact.status(of: Measurement(99.999)) == .fail)
        #expect(exact.status(of: Measurement(100.001)) == .fail)
    }

    @Test func what_has_no_goal_is_only_known() {
        let stress = TargetTable.target("stress.rate")!
        #expect(stress.status(of: Measurement(3, sampleCount: 100)) == .known)
        #expect(stress.status(of: nil) == .noData)
    }

    @Test func what_is_not_built_stays_so_and_never_fails() {
        let target = ReportTests.imagined
        #expect(target.status(of: nil) == .notBuilt)
        #expect(target.status(of: Measurement(1e18, sampleCount: 1_000_000)) == .notBuilt)
        #expect(TargetTable.all.allSatisfy { $0.isBuilt }, "a demo measures every target")
        #expect(!GatePolicy(warnFails: true, fewFails: true).fails([.notBuilt, .pass, .known]))
    }

    @Test func a_series_gives_its_statistic_in_the_targets_units() {
        var series = LatencySeries("sync")
        for index in 1...2000 as ClosedRange<UInt64> {
            series.record(index, message: "m", atNanoseconds: 0)
        }
        var wanted = Measurement(1980, sampleCount: 2000)
        wanted.worst = series.worst
        wanted.series = "sync"
        #expect(wanted.worst?.latencyNanoseconds == 2000)
        #expect(sync.measurement(of: series) == wanted)
        wanted.actual = 2000
        let push = TargetTable.target("sync.push")!
        #expect(push.measurement(of: series) == wanted)
        #expect(push.measurement(of: LatencySeries("nothing")) == nil)
    }

    @Test func failures_and_no_data_fail_a_run() {
        let plain = GatePolicy()
        #expect(plain.fails([.pass, .fail]))
        #expect(plain.fails([.pass, .noData]))
        #expect(!plain.fails([.pass, .warn, .few, .known, .notBuilt]))
        #expect(GatePolicy(warnFails: true).fails([.warn]))
        #expect(!GatePolicy(warnFails: true).fails([.few]))
        #expect(GatePolicy(fewFails: true).fails([.few]))
    }

    @Test func a_goal_is_stricter_than_its_limit() {
        for target in TargetTable.all {
            if let goal = target.goal, let limit = target.limit { #expect(goal < limit) }
            #expect(target.samplesNeeded > 0)
        }
    }
}
