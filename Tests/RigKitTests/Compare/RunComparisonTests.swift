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
                "\n3 slower, 0 faster, 0 within noise; 0 targets newly missed.\n"))
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
        #expect(comparison.changes.map(\.base) == ["PASS"])
        #expect(comparison.changes.map(\.new) == ["FAIL"])
        #expect(comparison.isWorse)
        #expect(!RunComparison(base: bad, new: good, tolerance: 0).isWorse)
        #expect(!RunComparison(base: bad, new: bad, tolerance: 0).isWorse)
    }

    @Test func what_cannot_be_compared_is_told() throws {
        let base = try Self.results([Self.series("sync", 50, around: 1_000)])
        let new = try Self.results(
            [Self.series("message", 50, around: 1_000)], link: "3g", isComplete: false)
        let remarks = RunComparison(base: base, new: new, tolerance: 0).remarks
        #expect(remarks.contains("the runs differ in link: edge and 3g"))
        #expect(remarks.contains { $0.hasSuffix("is of a run that did not come to its end") })
        #expect(remarks.contains { $0.hasPrefix("'sync' was measured only in ") })
        #expect(remarks.contains { $0.hasPrefix("'message' was measured only in ") })
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
        let base = try Self.results([])
        var new = base
        new.rows = []
        #expect(
            RunComparison(base: base, new: new, tolerance: 0).remarks == [
                "the target 'complication update p99' was judged only in \(base.file)"
            ])
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
        let text = #"{"schema": "rig.results/1", \#(members)}"#
        try Files.write(Array(text.utf8), to: "\(directory)/results.json")
        let failure = #expect(throws: RigFailure.self) { try RunResults(path: directory) }
        #expect(failure?.exitCode == .badInput)
        #expect("\(try #require(failure))".contains("results.json' holds no results: "))
    }
}
