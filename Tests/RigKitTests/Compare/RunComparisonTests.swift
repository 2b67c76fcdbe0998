import ControlKit
import RigKit
import Testing

@testable import WatchProto

/// Runs are written as reports and read back, as files are.
@Suite struct RunComparisonTests {
    /// Latencies around `middle` nanoseconds, a thousandth apart.
    private static func series(
        _ name: String, _ count: Int, around middle: UInt64
    ) -> LatencySeries {
        var series = LatencySeries(name)
        for place in 0..<count {
            let share = UInt64(place * 200 / count)
            series.record(
                middle * (900 + share) / 1000, message: "record", atNanoseconds: UInt64(place))
        }
        return series
    }

    private static func results(
        _ series: [LatencySeries], link: String = "edge", actual: Double = 1e6,
        isComplete: Bool = true
    ) throws -> RunResults {
        var report = Report(verb: "bench", link: link, seed: 1, version: "0.1.0")
        report.latencies = series
        report.isComplete = isComplete
        report.addRow(
            for: try #require(TargetTable.target("complication")),
            Measurement(actual, sampleCount: 5000))
        let directory = try Files.makeTemporaryDirectory("rig-compare-test")
        defer { Files.removeDirectory(directory) }
        try Files.write(JSONWriter.bytes(report.json), to: "\(directory)/results.json")
        return try RunResults(path: directory)
    }

    private static func verdicts(
        _ base: LatencySeries, _ new: LatencySeries, tolerance: Double = 0.05
    ) throws -> [String: RunComparison.Verdict] {
        let comparison = RunComparison(
            base: try results([base]), new: try results([new]), tolerance: tolerance)
        return Dictionary(
            uniqueKeysWithValues: comparison.rows.map { ($0.percentile.name, $0.verdict) })
    }

    @Test func a_run_is_like_itself() throws {
        let run = try Self.results([Self.series("sync", 5000, around: 1_000_000)])
        let comparison = RunComparison(base: run, new: run, tolerance: 0)
        #expect(comparison.rows.map(\.percentile.name) == ["p50", "p90", "p99"])
        #expect(comparison.rows.allSatisfy { $0.verdict == .same && $0.ratio == 1 })
        #expect(comparison.remarks == [] && comparison.changes == [] && !comparison.isWorse)
        #expect(
            comparison.gaps.map(\.why) == ["too few samples in both runs (n=5000 and n=5000)"])
        #expect(comparison.isWhole && comparison.exitCode == .done)
    }

    @Test func what_is_slower_beyond_noise_is_told_and_fails() throws {
        let base = Self.series("sync", 5000, around: 1_000_000)
        let slow = Self.series("sync", 5000, around: 1_300_000)
        #expect(
            try Self.verdicts(base, slow) == ["p50": .slower, "p90": .slower, "p99": .slower])
        #expect(
            try Self.verdicts(slow, base) == ["p50": .faster, "p90": .faster, "p99": .faster])
        let comparison = RunComparison(
            base: try Self.results([base]), new: try Self.results([slow]), tolerance: 0.05)
        #expect(comparison.isWorse)
        #expect(
            comparison.text.hasSuffix(
                "\n3 slower, 0 faster, 0 within noise; 0 targets worse, 0 of the older run not "
                    + "compared.\n"))
    }

    /// The same difference with fewer samples is no difference; nor is one below the tolerance.
    @Test func a_difference_within_noise_is_none() throws {
        let base = Self.series("sync", 5000, around: 1_000_000)
        let other = Self.series("sync", 5000, around: 1_030_000)
        #expect(try Self.verdicts(base, other)["p50"] == .same)
        #expect(try Self.verdicts(base, other, tolerance: 0.01)["p50"] == .slower)
        let few = Self.series("sync", 24, around: 1_000_000)
        let fewSlow = Self.series("sync", 24, around: 1_060_000)
        #expect(try Self.verdicts(few, fewSlow, tolerance: 0.01) == ["p50": .same])
    }

    /// 5,000 samples spread evenly from 0.9 to 1.1 ms: the rank of the median is uncertain by
    /// 2.576 x sqrt(5000 x 0.25) = 91 of them, which is 3.6 microseconds.
    @Test func the_noise_of_a_percentile_is_that_of_its_rank() throws {
        let run = try Self.results([Self.series("sync", 5000, around: 1_000_000)])
        let row = try #require(RunComparison(base: run, new: run, tolerance: 0).rows.first)
        #expect((998_000...1_000_999).contains(row.base))
        #expect((995_000...997_000).contains(row.baseRange.lowerBound))
        #expect((1_002_000...1_005_000).contains(row.baseRange.upperBound))
    }

    @Test func a_target_that_is_newly_missed_fails() throws {
        let good = try Self.results([])
        let bad = try Self.results([], actual: 600e6)
        let comparison = RunComparison(base: good, new: bad, tolerance: 0)
        #expect(comparison.changes.map(\.base) == [.pass])
        #expect(comparison.changes.map(\.new) == [.fail])
        #expect(
            comparison.text.contains(
                "\ncomplication update p99: PASS 1 ms -> FAIL 600 ms   WORSE\n"),
            "\(comparison.text)")
        #expect(comparison.isWorse)
        #expect(!RunComparison(base: bad, new: good, tolerance: 0).isWorse)
        #expect(!RunComparison(base: bad, new: bad, tolerance: 0).isWorse)
    }

    @Test func what_cannot_be_compared_is_told() throws {
        let base = try Self.results([Self.series("sync", 50, around: 1_000)])
        let new = try Self.results(
            [Self.series("message", 50, around: 1_000)], link: "3g", isComplete: false)
        let comparison = RunComparison(base: base, new: new, tolerance: 0)
        let remarks = comparison.remarks
        #expect(remarks.contains("the runs differ in link: edge and 3g"))
        #expect(remarks.contains { $0.hasSuffix("is of a run that did not come to its end") })
        let gaps = comparison.text.split(separator: "\n").filter { $0.contains("ot compared, ") }
        #expect(
            comparison.gaps.map(\.what) == ["sync", "message"] && gaps.count == 1
                && comparison.text.contains(
                    "\nsync: NOT COMPARED, it was measured only in \(base.file)\n"
                        + "message: not compared, it was measured only in \(new.file)\n")
        )
        #expect(comparison.exitCode == .targetMissed)
    }

    /// Few samples, however slow, are no percentile: that they are few is what must be told.
    @Test func what_has_too_few_samples_now_is_told_and_fails() throws {
        let base = try Self.results([Self.series("sync", 1200, around: 3_600_000)])
        let new = try Self.results([
            Self.series("sync", 5, around: 1_500_000_000),
            Self.series("message", 5000, around: 1_000_000),
        ])
        let comparison = RunComparison(base: base, new: new, tolerance: 0.05)
        #expect(comparison.exitCode == .targetMissed && !comparison.isWorse)
        #expect(
            comparison.text == """
                No percentile has enough samples in both runs.
                sync p50: NOT COMPARED, the newer run has n=5, 20 needed
                sync p90: NOT COMPARED, the newer run has n=5, 100 needed
                sync p99: NOT COMPARED, the newer run has n=5, 1000 needed
                sync p99.9: not compared, too few samples in both runs (n=1200 and n=5)
                message: not compared, it was measured only in \(new.file)

                0 slower, 0 faster, 0 within noise; 0 targets worse, 3 of the older run not \
                compared.

                """)
        // The other way round nothing is lost.
        let back = RunComparison(base: new, new: base, tolerance: 0.05)
        #expect(
            back.gaps.first?.why == "it was measured only in \(new.file)"
                || back.gaps.first?.why == "the older run has n=5, 20 needed")
        #expect(back.gaps.count(where: \.isLoss) == 1)
        let other = try Self.results([
            Self.series("sync", 1200, around: 3_600_000), Self.series("dose", 19, around: 1000),
        ])
        #expect(RunComparison(base: base, new: other, tolerance: 0).exitCode == .done)
    }

    @Test func half_a_run_is_no_success() throws {
        let series = [Self.series("sync", 1200, around: 3_600_000)]
        let whole = try Self.results(series)
        let half = try Self.results(series, isComplete: false)
        for (base, new) in [(whole, half), (half, whole)] {
            let comparison = RunComparison(base: base, new: new, tolerance: 0)
            #expect(comparison.exitCode == .targetMissed && !comparison.isWorse)
            #expect(comparison.text.hasSuffix(" not compared; INCOMPLETE.\n"))
        }
    }

    /// A run with one target, and series enough to compare.
    private static func judged(
        _ target: Target, _ actual: Double?, _ count: UInt64 = 5000, series: String? = nil,
        around middle: UInt64 = 1_000_000
    ) throws -> RunResults {
        var report = Report(verb: "bench", link: "edge", seed: 1, version: "0.1.0")
        report.latencies = [Self.series("sync", 5000, around: middle)]
        var measurement = Measurement(actual, sampleCount: count)
        measurement.series = series
        report.addRow(for: target, measurement)
        let directory = try Files.makeTemporaryDirectory("rig-compare-test")
        defer { Files.removeDirectory(directory) }
        try Files.write(JSONWriter.bytes(report.json), to: "\(directory)/results.json")
        return try RunResults(path: directory)
    }

    @Test func a_missed_target_that_is_missed_by_more_fails() throws {
        let delivery = try #require(TargetTable.target("delivery.exact"))
        let (good, bad) = (try Self.judged(delivery, 99.99), try Self.judged(delivery, 1))
        let worse = RunComparison(base: good, new: bad, tolerance: 0.05)
        #expect(worse.isWorse && worse.exitCode == .targetMissed)
        #expect(
            worse.text.contains("\ndelivered exactly once: FAIL 99.99 % -> FAIL 1 %   WORSE\n"),
            "\(worse.text)")
        #expect(worse.text.hasSuffix("; 1 target worse, 0 of the older run not compared.\n"))
        let better = RunComparison(base: bad, new: good, tolerance: 0.05)
        #expect(better.exitCode == .done && better.changes.count == 1)
        // Counts are exact: no noise excuses one more.
        let slightly = try Self.judged(delivery, 99.98)
        #expect(RunComparison(base: good, new: slightly, tolerance: 0.05).isWorse)
        #expect(RunComparison(base: good, new: good, tolerance: 0).changes == [])
    }

    @Test func a_missed_time_has_its_noise() throws {
        let target = try #require(TargetTable.target("reconnect"))
        let base = try Self.judged(target, 2000e6)
        for (actual, isWorse) in [(2050e6, false), (2200e6, true), (1500e6, false)] {
            let new = try Self.judged(target, actual)
            #expect(RunComparison(base: base, new: new, tolerance: 0.05).isWorse == isWorse)
        }
        // What is a percentile of a series is judged as that is.
        let sync = Target.expectation("s", "s", .nanoseconds, .atMost, goal: 1, .percentile(.p99))
        let old = try Self.judged(sync, 1_100_000, series: "sync")
        let new = try Self.judged(sync, 1_200_000, series: "sync", around: 1_090_000)
        #expect(!RunComparison(base: old, new: new, tolerance: 0.1).isWorse)
        #expect(
            RunComparison(base: old, new: new, tolerance: 0.05).changes.count(where: \.isWorse) == 1
        )
    }

    @Test(arguments: [
        (Status.pass, Status.few, true), (.warn, .few, true), (.fail, .few, true),
        (.pass, .noData, true), (.fail, .noData, true), (.few, .noData, true),
        (.pass, .warn, false), (.few, .fail, true), (.few, .pass, false), (.fail, .pass, false),
        (.noData, .fail, false), (.pass, .known, true), (.known, .pass, false),
    ])
    func what_was_judged_and_is_no_more_fails(before: Status, now: Status, isWorse: Bool) throws {
        var base = try Self.judged(try #require(TargetTable.target("complication")), 1e6)
        var new = base
        base.rows[0].status = before
        new.rows[0].status = now
        let comparison = RunComparison(base: base, new: new, tolerance: 0)
        #expect(comparison.changes.map(\.isWorse) == [isWorse])
        #expect(comparison.exitCode == (isWorse ? .targetMissed : .done))
    }

    @Test func other_bounds_are_told() throws {
        let target = try #require(TargetTable.target("complication"))
        let base = try Self.judged(target, 1e6)
        var new = base
        new.rows[0].goal = 900e6
        #expect(
            RunComparison(base: base, new: new, tolerance: 0).remarks == [
                "the runs differ in the bounds of 'complication update p99': < 100 ms, max 500 ms "
                    + "and < 900 ms, max 500 ms"
            ])
    }

    /// A machine that stalls more is no slower program, and a reason to measure again.
    @Test func hiccups_are_no_verdict() throws {
        let name = LatencySeries.hiccupName
        let comparison = RunComparison(
            base: try Self.results([Self.series(name, 5000, around: 60_000)]),
            new: try Self.results([Self.series(name, 5000, around: 600_000)]), tolerance: 0.05)
        #expect(comparison.rows.isEmpty && !comparison.isWorse)
        let remark = comparison.remarks.first ?? ""
        #expect(
            remark.hasPrefix("the machines differ: hiccup p50 0.060 ms and 0.600 ms"),
            "\(remark)")
        // Less than twice is what bursts of late wakings do by themselves.
        let alike = RunComparison(
            base: try Self.results([Self.series(name, 5000, around: 60_000)]),
            new: try Self.results([Self.series(name, 5000, around: 100_000)]), tolerance: 0.05)
        #expect(alike.remarks == [])
    }

    @Test func a_target_that_is_judged_no_more_is_told() throws {
        let base = try Self.results([Self.series("sync", 5000, around: 1000)])
        var new = base
        new.rows = []
        let comparison = RunComparison(base: base, new: new, tolerance: 0)
        #expect(
            comparison.gaps.last?.what == "the target 'complication update p99'"
                && comparison.gaps.last?.why == "it was judged only in \(base.file)")
        #expect(comparison.exitCode == .targetMissed)
        let back = RunComparison(base: new, new: base, tolerance: 0)
        #expect(back.exitCode == .done && back.gaps.last?.isLoss == false)
    }

    /// A figure of the wrong kind is damage, not a figure that is not there.
    @Test(arguments: [
        (#""metrics": []"#, #""metrics": "x""#, #"metrics is "x", expected an array of targets."#),
        (#""metrics": []"#, "", "metrics is missing, expected an array of targets."),
        (#""metrics": []"#, #""metrics": ["x"]"#, #"metrics[0] is "x", expected an object."#),
        (
            #""metrics": []"#, #""metrics": [{"id": "a", "title": 5}]"#,
            "metrics[0].title is 5, expected a text."
        ),
        (
            #""metrics": []"#, #""metrics": [{"id": "a", "title": "b", "status": "GOOD"}]"#,
            "metrics[0].status is \"GOOD\", expected one of 'PASS', 'WARN', 'FAIL', 'FEW', "
                + "'NODATA', '-', 'not built'."
        ),
        (
            #""metrics": []"#,
            #""metrics": [{"id": "a", "title": "b", "status": "PASS", "unit": "ns", "sense": "<", "#
                + #""statistic": "p99", "target": null, "max": null, "actual": "1 ms"}]"#,
            "metrics[0].actual is \"1 ms\", expected a number or null."
        ),
        (#""complete": true"#, "", "complete is missing, expected true or false."),
        (#""complete": true"#, #""complete": 1"#, "complete is 1, expected true or false."),
        (#""load": []"#, #""load": "x""#, #"load is "x", expected an array of texts."#),
        (#""host": {}"#, #""host": []"#, "host is [], expected an object."),
        (#""seed": 1"#, #""seed": "x""#, #"seed is "x", expected a whole number or null."#),
        (#""latencies": []"#, "", "latencies is missing, expected an array of series."),
    ])
    func a_member_of_the_wrong_kind_is_named(was: String, now: String, text: String) throws {
        let good = [
            #""schema": "rig.results/1""#, #""complete": true"#, #""load": []"#, #""host": {}"#,
            #""seed": 1"#, #""latencies": []"#, #""metrics": []"#,
        ]
        func read(_ members: [String]) throws -> RunResults {
            let directory = try Files.makeTemporaryDirectory("rig-compare-test")
            defer { Files.removeDirectory(directory) }
            let text = "{\(members.filter { !$0.isEmpty }.joined(separator: ", "))}"
            try Files.write(Array(text.utf8), to: "\(directory)/results.json")
            return try RunResults(path: directory)
        }
        #expect(try read(good).rows == [])
        let failure = #expect(throws: RigFailure.self) {
            try read(good.map { $0 == was ? now : $0 })
        }
        #expect(failure?.exitCode == .badInput)
        let message = try #require(failure).description
        #expect(message.contains("results.json' holds no results: \(text)\n  Try: "), "\(message)")
    }

    /// Numbers that no run can have would stop the program, or compare nonsense.
    @Test(arguments: [
        #""latencies": [{"name": "a"}]"#,
        #""latencies": [{"name": "a", "histogram": [[1, 2, 18446744073709551615], [3, 4, 5]]}]"#,
        #""latencies": [{"name": "a", "histogram": [[1, 2, 9000000000000], [3, 4, 5]]}]"#,
        #""latencies": [{"name": "a", "histogram": [[3, 4, 500], [1, 2, 500]]}]"#,
        #""latencies": [{"name": "a", "histogram": [[3, 4, 0]]}]"#, #""latencies": 5"#,
    ])
    func damaged_results_are_refused(members: String) throws {
        let directory = try Files.makeTemporaryDirectory("rig-compare-test")
        defer { Files.removeDirectory(directory) }
        let text = #"{"schema": "rig.results/1", "complete": true, "metrics": [], \#(members)}"#
        try Files.write(Array(text.utf8), to: "\(directory)/results.json")
        let failure = #expect(throws: RigFailure.self) { try RunResults(path: directory) }
        #expect(failure?.exitCode == .badInput)
        #expect("\(try #require(failure))".contains("results.json' holds no results: "))
    }
}
