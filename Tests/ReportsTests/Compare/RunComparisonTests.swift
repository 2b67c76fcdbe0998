import ControlProtocol
import Testing
import WatchProtoCore

@testable import CommandLine
@testable import Reports

/// Runs are written as reports and read back, as files are.
@Suite struct RunComparisonTests {
    /// Latencies around `middle` nanoseconds, a thousandth apart, alike in each of ten rounds.
    private static func series(
        _ name: String, _ count: Int, around middle: UInt64
    ) -> LatencySeries {
        var series = LatencySeries(name)
        var rounds = [LatencyHistogram](repeating: LatencyHistogram(), count: 10)
        for place in 0..<count {
            let share = UInt64(place * 200 / count)
            let latency = middle * (900 + share) / 1000
            series.record(latency, message: "record", atNanoseconds: UInt64(place))
            rounds[place % 10].record(latency)
        }
        series.rounds = rounds.map(LatencySeries.Round.init)
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
        #expect(comparison.rows.map(\.verdict) == [.same, .same, .untold])
        #expect(comparison.rows.allSatisfy { $0.ratio == 1 })
        #expect(
            comparison.rows[2].lack
                == "too few records in a round to tell (500, 1000 needed); a longer --duration")
        #expect(comparison.remarks == [] && comparison.changes == [] && !comparison.isWorse)
        #expect(
            comparison.gaps.map(\.why) == ["too few samples in both runs (n=5000 and n=5000)"])
        #expect(comparison.isWhole && comparison.exitCode == .done)
    }

    @Test func what_is_slower_beyond_noise_is_told_and_fails() throws {
        let base = Self.series("sync", 5000, around: 1_000_000)
        let slow = Self.series("sync", 5000, around: 1_300_000)
        #expect(
            try Self.verdicts(base, slow) == ["p50": .slower, "p90": .slower, "p99": .untold])
        #expect(
            try Self.verdicts(slow, base) == ["p50": .faster, "p90": .faster, "p99": .untold])
        let comparison = RunComparison(
            base: try Self.results([base]), new: try Self.results([slow]), tolerance: 0.05)
        #expect(comparison.isWorse)
        #expect(
            comparison.text.hasSuffix(
                "\n2 slower, 0 faster, 0 within noise, 1 without a verdict; 0 targets worse, 0 of "
                    + "the older run not compared.\nexit 2: 2 slower ('sync p50', 'sync p90')\n"))
    }

    /// A difference below the tolerance is none, and rounds of few records have no median.
    @Test func a_difference_within_noise_is_none() throws {
        let base = Self.series("sync", 5000, around: 1_000_000)
        let other = Self.series("sync", 5000, around: 1_030_000)
        #expect(try Self.verdicts(base, other)["p50"] == .same)
        #expect(try Self.verdicts(base, other, tolerance: 0.01)["p50"] == .slower)
        let few = Self.series("sync", 24, around: 1_000_000)
        let fewSlow = Self.series("sync", 24, around: 2_000_000)
        #expect(try Self.verdicts(few, fewSlow, tolerance: 0.01) == ["p50": .untold])
    }

    /// The results of the rounds are reported and kept as they were written.
    @Test func the_rounds_are_read_back() throws {
        let series = Self.series("sync", 5000, around: 1_000_000)
        let run = try Self.results([series])
        #expect(run.series[0].rounds == series.rounds && series.rounds.count == 10)
        #expect(series.rounds.allSatisfy { $0.count == 500 && $0.nanoseconds[.p99] == nil })
        let row = try #require(RunComparison(base: run, new: run, tolerance: 0).rows.first)
        #expect(row.baseRounds == series.rounds.compactMap { $0.nanoseconds[.p50] }.sorted())
        #expect(row.chance == 1 && row.baseRounds.count == 10)
    }

    /// Each run of a directory of runs is a round, whatever rounds it has itself.
    @Test func several_runs_of_a_build_are_rounds() throws {
        let directory = try Files.makeTemporaryDirectory("rig-compare-test")
        defer { Files.removeDirectory(directory) }
        func write(_ side: String, _ number: Int, around middle: UInt64) throws {
            var report = Report(verb: "bench", link: "edge", seed: 1, version: "0.1.0")
            report.latencies = [Self.series("sync", 1200, around: middle)]
            report.startedAt = WallTime(milliseconds: Int64(number))
            report.addRow(
                for: try #require(TargetTable.target("complication")),
                Measurement(number == 4 ? 200e6 : 1e6, sampleCount: 5000))
            let place = "\(directory)/\(side)/\(number)"
            try Files.makeDirectory("\(directory)/\(side)")
            try Files.makeDirectory(place)
            try Files.write(JSONWriter.bytes(report.json), to: "\(place)/results.json")
        }
        for number in 1...7 {
            let more = UInt64(number) * 1000
            if number < 7 { try write("old", 2 * number, around: 1_000_000 + more) }
            try write("new", 2 * number + 1, around: 1_300_000 + more)
        }
        let old = try RunResults(path: "\(directory)/old")
        let new = try RunResults(path: "\(directory)/new")
        #expect(old.file == "\(directory)/old (6 runs)" && old.rows.map(\.status) == [.warn])
        #expect(old.series[0].count == 7200)
        let comparison = RunComparison(base: old, new: new, tolerance: 0.05)
        #expect(comparison.rows.map(\.verdict) == [.slower, .slower, .slower])
        #expect(comparison.rows.map(\.newRounds.count) == [7, 7, 7])
        #expect(comparison.text.contains("  ratio  runs\n"), "\(comparison.text)")
        // They were taken in turn.
        #expect(!comparison.remarks.contains { $0.contains("in turn") })
        // One run is one round beside them.
        let one = try RunResults(path: "\(directory)/new/3")
        let few = RunComparison(base: old, new: one, tolerance: 0.05)
        #expect(
            few.rows[0].lack
                == "too few runs to tell (6 and 1); measure each build 10 times")
    }

    /// Runs of several links or verbs are no rounds of one run.
    @Test(arguments: [("bench", "3g", "link"), ("demo", "edge", "verb")])
    func runs_that_measured_other_things_are_refused(
        verb: String, link: String, name: String
    ) throws {
        let directory = try Files.makeTemporaryDirectory("rig-compare-test")
        defer { Files.removeDirectory(directory) }
        for (number, (verb, link)) in [("bench", "edge"), ("bench", "edge"), (verb, link)]
            .enumerated()
        {
            let report = Report(verb: verb, link: link, seed: 1, version: "0.1.0")
            try Files.makeDirectory("\(directory)/\(number)")
            try Files.write(
                JSONWriter.bytes(report.json), to: "\(directory)/\(number)/results.json")
        }
        let refusal = #expect(throws: RigFailure.self) { try RunResults(path: directory) }
        let (first, other) = name == "link" ? ("edge", link) : ("bench", verb)
        #expect(
            refusal?.description == """
                Error: The runs in '\(directory)' differ in their \(name).
                  \(directory)/0/results.json: \(name) \(first)
                  \(directory)/2/results.json: \(name) \(other)
                  Try: a directory for the runs of each \(name).
                """)
        #expect(refusal?.exitCode == .badInput)
    }

    /// A file holds what it likes; a terminal is not to do what it says.
    @Test func nothing_in_a_file_acts_on_the_terminal() throws {
        let wild = "sy\u{1B}[31mnc\u{7}\n2"
        let run = try Self.results([Self.series(wild, 5000, around: 1_000_000)], link: "a\u{9B}b")
        var other = try Self.results([])
        other.file = "x\u{1B}]0;y"
        for (base, new) in [(run, run), (run, other), (other, run)] {
            let text = RunComparison(base: base, new: new, tolerance: 0).text
            #expect(
                text.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.properties.generalCategory != .control
                }, "\(text.debugDescription)")
            #expect(text.contains("sy [31mnc  2"))
        }
        #expect(
            RunComparison(base: run, new: run, tolerance: 0).json["percentiles"]?.array?.first?[
                "series"] == .string(wild))
        let failure = #expect(throws: RigFailure.self) { try RunResults(path: "/\u{1B}[2J") }
        #expect(failure?.message == "There is no file '/ [2J'.")
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

                0 slower, 0 faster, 0 within noise, 0 without a verdict; 0 targets worse, 3 of the \
                older run not compared.
                exit 2: 3 not compared ('sync p50', 'sync p90', 'sync p99'); no percentile was \
                compared

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
            #expect(
                comparison.text.hasSuffix(
                    " not compared; INCOMPLETE.\nexit 2: a run did not come to its end\n"))
        }
    }

    /// A run with one target, and series enough to compare.
    private static func evaluated(
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
        let (good, bad) = (try Self.evaluated(delivery, 99.99), try Self.evaluated(delivery, 1))
        let worse = RunComparison(base: good, new: bad, tolerance: 0.05)
        #expect(worse.isWorse && worse.exitCode == .targetMissed)
        #expect(
            worse.text.contains("\ndelivered exactly once: FAIL 99.99 % -> FAIL 1 %   WORSE\n"),
            "\(worse.text)")
        #expect(
            worse.text.hasSuffix(
                "; 1 target worse, 0 of the older run not compared.\n"
                    + "exit 2: 1 worse ('delivered exactly once')\n"))
        let better = RunComparison(base: bad, new: good, tolerance: 0.05)
        #expect(better.exitCode == .done && better.changes.count == 1)
        // Counts are exact: no noise excuses one more.
        let slightly = try Self.evaluated(delivery, 99.98)
        #expect(RunComparison(base: good, new: slightly, tolerance: 0.05).isWorse)
        #expect(RunComparison(base: good, new: good, tolerance: 0).changes == [])
    }

    @Test func a_missed_time_has_its_noise() throws {
        let target = try #require(TargetTable.target("reconnect"))
        let base = try Self.evaluated(target, 2000e6)
        for (actual, isWorse) in [(2050e6, false), (2200e6, true), (1500e6, false)] {
            let new = try Self.evaluated(target, actual)
            #expect(RunComparison(base: base, new: new, tolerance: 0.05).isWorse == isWorse)
        }
        // A percentile of a series is evaluated as the series is.
        let sync = Target.expectation("s", "s", .nanoseconds, .atMost, goal: 1, .percentile(.p50))
        let old = try Self.evaluated(sync, 1_100_000, series: "sync")
        let new = try Self.evaluated(sync, 1_200_000, series: "sync", around: 1_090_000)
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
    func what_was_evaluated_and_is_no_more_fails(before: Status, now: Status, isWorse: Bool) throws
    {
        var base = try Self.evaluated(try #require(TargetTable.target("complication")), 1e6)
        var new = base
        base.rows[0].status = before
        new.rows[0].status = now
        let comparison = RunComparison(base: base, new: new, tolerance: 0)
        #expect(comparison.changes.map(\.isWorse) == [isWorse])
        #expect(comparison.exitCode == (isWorse ? .targetMissed : .done))
    }

    @Test func other_bounds_are_told() throws {
        let target = try #require(TargetTable.target("complication"))
        let base = try Self.evaluated(target, 1e6)
        var new = base
        new.rows[0].goal = 900e6
        #expect(
            RunComparison(base: base, new: new, tolerance: 0).remarks == [
                "the runs differ in the bounds of 'complication update p99': <= 100 ms, max 500 ms "
                    + "and <= 900 ms, max 500 ms"
            ])
    }

    /// A machine that stalls more is no slower program, and a reason to measure again.
    @Test func scheduling_delays_are_no_verdict() throws {
        let name = LatencySeries.schedulingDelayName
        let comparison = RunComparison(
            base: try Self.results([Self.series(name, 5000, around: 60_000)]),
            new: try Self.results([Self.series(name, 5000, around: 600_000)]), tolerance: 0.05)
        #expect(comparison.rows.isEmpty && !comparison.isWorse)
        let remark = comparison.remarks.first ?? ""
        #expect(
            remark.hasPrefix("the machines differ: scheduling delay p50 0.060 ms and 0.600 ms"),
            "\(remark)")
        // Less than twice is what bursts of late wakings do by themselves.
        let alike = RunComparison(
            base: try Self.results([Self.series(name, 5000, around: 60_000)]),
            new: try Self.results([Self.series(name, 5000, around: 100_000)]), tolerance: 0.05)
        #expect(alike.remarks == [])
    }

    @Test func a_target_that_is_evaluated_no_more_is_told() throws {
        let base = try Self.results([Self.series("sync", 5000, around: 1000)])
        var new = base
        new.rows = []
        let comparison = RunComparison(base: base, new: new, tolerance: 0)
        #expect(
            comparison.gaps.last?.what == "the target 'complication update p99'"
                && comparison.gaps.last?.why == "it was evaluated only in \(base.file)")
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
            "metrics[0].status is \"GOOD\", expected one of 'PASS', 'WARN', 'FAIL', 'TOO FEW', "
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
        #""latencies": [{"name": "a", "histogram": [], "rounds": 5}]"#,
        #""latencies": [{"name": "a", "histogram": [], "rounds": [{"p50_ns": 5}]}]"#,
        #""latencies": [{"name": "a", "histogram": [], "rounds": [{"n": 19, "p50_ns": 5}]}]"#,
        #""latencies": [{"name": "a", "histogram": [], "rounds": [{"n": 20, "p50_ns": null}]}]"#,
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
