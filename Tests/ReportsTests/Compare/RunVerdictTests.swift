import ControlProtocol
import Testing

@testable import CommandLine
@testable import Reports

/// Runs of one build and of two, drawn from a seeded generator: what is called different.
@Suite struct RunVerdictTests {
    /// Knuth's linear congruential generator (MMIX); its upper bits are even enough here.
    struct Draws {
        var state: UInt64

        /// From 0 up to 1.
        mutating func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
    }

    /// How the figures of a run are drawn.
    struct Model {
        var rounds = 10
        var figures = 8
        /// By what share a round's figure lies off, at most, to either side.
        var spread = 0.3
        /// By what share a whole run lies off, at most: the machine of its hour.
        var drift = 0.0
        /// The figures of the second build as a multiple of the first's.
        var factor = 1.0
        /// Whether the rounds are runs of their own, taken in turn.
        var areRuns = false
    }

    /// A run without series.
    private let empty: RunResults

    init() throws {
        let directory = try Files.makeTemporaryDirectory("rig-compare-test")
        defer { Files.removeDirectory(directory) }
        let report = Report(verb: "bench", link: "edge", seed: 1, version: "0.1.0")
        try Files.write(JSONWriter.bytes(report.json), to: "\(directory)/results.json")
        empty = try RunResults(path: directory)
    }

    private func run(
        _ model: Model, factor: Double, from start: UInt64, _ draws: inout Draws
    ) -> RunResults {
        var run = empty
        let drift = 1 + model.drift * (2 * draws.next() - 1)
        run.series = (0..<model.figures).map { place in
            let figures = (0..<model.rounds).map { _ in
                UInt64(1e6 * factor * drift * (1 + model.spread * (2 * draws.next() - 1)))
            }
            let middle = figures.sorted()[model.rounds / 2]
            var series = RunResults.Series(
                name: "kind \(place)", count: 50, slots: [(middle, 50)])
            series.rounds = figures.map { .init(count: 50, nanoseconds: [.p50: $0]) }
            series.isOfRuns = model.areRuns
            return series
        }
        if model.areRuns { run.runCount = model.rounds }
        run.starts = (0..<model.rounds).map { start + 2 * UInt64($0) }
        return run
    }

    /// How many of `count` comparisons have a verdict, and how many would have had one if each
    /// figure were tested for itself.
    private func different(
        _ model: Model, _ count: Int = 200
    ) -> (told: Int, singly: Int) {
        var draws = Draws(state: 42)
        var found = (told: 0, singly: 0)
        for _ in 0..<count {
            let base = run(model, factor: 1, from: 0, &draws)
            let new = run(model, factor: model.factor, from: 1, &draws)
            let comparison = RunComparison(base: base, new: new, tolerance: 0)
            #expect(comparison.rows.count == model.figures)
            if comparison.rows.contains(where: { [.slower, .faster].contains($0.verdict) }) {
                found.told += 1
            }
            if comparison.rows.contains(where: {
                RankSum($0.baseRounds, $0.newRounds).chance <= ManyTests.greatestError
            }) {
                found.singly += 1
            }
        }
        return found
    }

    /// At most one comparison in twenty: of six rounds 3.4 %, by the distribution of U, are to be
    /// expected. Each figure tested for itself would tell a difference in every third.
    @Test func runs_of_one_build_do_not_differ() {
        let found = different(Model(rounds: 6, areRuns: true), 1000)
        #expect((15...50).contains(found.told), "\(found)")
        #expect(found.singly > 200, "\(found)")
    }

    /// Of two single runs the rounds must lie apart as well, which chance hardly brings about.
    @Test(arguments: [6, 10]) func single_runs_of_one_build_differ_still_less(rounds: Int) {
        let found = different(Model(rounds: rounds))
        #expect(found.told <= 10 && found.singly > 40, "\(found)")
    }

    /// The machine of another hour is no other build: where the runs were not taken in turn, their
    /// rounds must lie apart.
    @Test func a_machine_that_drifts_is_no_difference() {
        let found = different(Model(drift: 0.15))
        #expect(found.told <= 10 && found.singly > 100, "\(found)")
    }

    @Test func a_planted_difference_is_seen() {
        #expect(different(Model(factor: 2), 50).told == 50)
        #expect(different(Model(drift: 0.05, factor: 2.5), 50).told == 50)
        // Runs in turn need not lie apart.
        let turns = Model(rounds: 12, factor: 1.4, areRuns: true)
        #expect(different(turns, 50).told == 50)
        #expect(different(Model(rounds: 12, factor: 1.4), 50).told < 25)
    }

    private func pair(
        _ base: [UInt64]?, _ new: [UInt64]?, figures: Int = 1
    ) -> RunComparison {
        var draws = Draws(state: 1)
        func run(_ rounds: [UInt64]?) -> RunResults {
            var run = self.run(Model(figures: figures), factor: 1, from: 0, &draws)
            for place in run.series.indices {
                let middle = rounds.map { $0.sorted()[$0.count / 2] } ?? 1_000_000
                run.series[place].slots = [(middle, 50)]
                run.series[place].rounds = rounds.map { values in
                    values.map { .init(count: 50, nanoseconds: [.p50: $0]) }
                }
            }
            return run
        }
        return RunComparison(base: run(base), new: run(new), tolerance: 0.05)
    }

    private static func rounds(_ count: Int, from first: UInt64) -> [UInt64] {
        (0..<count).map { (first + UInt64($0)) * 10_000 }
    }

    /// Without enough rounds both figures and their ratio stand there, and nothing fails.
    @Test func too_few_rounds_tell_nothing() {
        let slow = pair(Self.rounds(5, from: 100), Self.rounds(10, from: 300))
        #expect(slow.rows.map(\.verdict) == [.untold] && slow.exitCode == .done)
        #expect(
            slow.text.contains(
                "kind 0  p50  1.02  3.05  2.990  too few rounds to tell (5 and "
                    + "10); rig bench --rounds 10\n"), "\(slow.text)")
        #expect(
            slow.text.hasSuffix(
                "\n0 slower, 0 faster, 0 within noise, 1 without a verdict; 0 targets worse, 0 of "
                    + "the older run not compared.\n"))
        #expect(slow.json["percentiles"]?.array?.first?["chance"] == .null)
        let six = pair(Self.rounds(6, from: 100), Self.rounds(6, from: 300))
        #expect(six.rows.map(\.verdict) == [.slower] && six.exitCode == .targetMissed)
        #expect(six.text.contains("  6: 1.00..1.05 and 6: 3.00..3.05   SLOWER\n"), "\(six.text)")
        #expect(six.text.hasSuffix("\nexit 2: 1 slower ('kind 0 p50')\n"))
        #expect(six.remarks.last?.hasPrefix("runs that were not taken in turn measure ") == true)
        #expect((six.json["percentiles"]?.array?.first?["chance"]?.number ?? 1) < 0.0022)
    }

    /// 2 of 924 is little, and of 24 figures one in twenty: six rounds are too few for so many.
    @Test func many_figures_need_more_rounds() {
        let (low, high) = (Self.rounds(6, from: 100), Self.rounds(6, from: 300))
        #expect(pair(low, high, figures: 23).rows.allSatisfy { $0.verdict == .slower })
        let many = pair(low, high, figures: 24)
        #expect(many.rows.allSatisfy { $0.verdict == .untold } && many.exitCode == .done)
        #expect(
            many.rows[0].lack
                == "too few rounds to tell (6 and 6 for 24 figures); rig bench --rounds 10")
    }

    /// Results of a rig that kept no rounds can be read, and say why they tell nothing.
    @Test func results_without_rounds_have_no_verdict() {
        let rounds = Self.rounds(10, from: 100)
        for (base, new, whose) in [
            (nil, rounds, "the older run tells"), (rounds, nil, "the newer run tells"),
            (nil, nil, "both runs tell"),
        ] {
            let found = pair(base, new)
            #expect(found.rows.map(\.lack) == ["\(whose) no rounds; rig bench --rounds 10"])
            #expect(found.exitCode == .done)
        }
    }

    @Test func rounds_that_touch_do_not_lie_apart() {
        let base = Self.rounds(10, from: 100)
        #expect(pair(base, Self.rounds(10, from: 109)).rows[0].verdict == .same)
        #expect(pair(base, Self.rounds(10, from: 110)).rows[0].verdict == .slower)
        #expect(pair(Self.rounds(10, from: 110), base).rows[0].verdict == .faster)
        // Apart, and by less than the share that is asked for.
        let near = (0..<10).map { 2_000_000 + UInt64($0) }
        #expect(pair(near, near.map { $0 + 20 }).rows[0].verdict == .same)
    }

    /// A gross difference is told of single rounds, too.
    @Test func a_threefold_median_needs_no_rounds() {
        let slow = pair(Self.rounds(1, from: 100), Self.rounds(1, from: 300))
        #expect(slow.rows.map(\.verdict) == [.slower] && slow.exitCode == .targetMissed)
        #expect(
            slow.text.contains(
                "  too few rounds to tell (1 and 1); rig bench --rounds 10   SLOWER\n"),
            "\(slow.text)")
        #expect(slow.text.hasSuffix("\nexit 2: 1 slower ('kind 0 p50')\n"))
        // A narrow terminal has all of it, in lines that fit.
        let narrow = slow.text(50).split(separator: "\n")
        #expect(narrow.allSatisfy { $0.count <= 50 } && narrow.count > slow.rows.count + 4)
        #expect(slow.text(50).contains("SLOWER") && slow.text(50).contains("'kind 0 p50'"))
        let fast = pair(Self.rounds(1, from: 300), Self.rounds(1, from: 100))
        #expect(fast.rows.map(\.verdict) == [.faster] && fast.exitCode == .done)
        let near = pair(Self.rounds(1, from: 100), Self.rounds(1, from: 299))
        #expect(near.rows.map(\.verdict) == [.untold] && near.exitCode == .done)
    }

    /// One run of the older build among those of the newer is no taking turns.
    @Test(
        arguments: [
            ("OOOOOONNNNNN", false), ("OOOOONONNNNN", false), ("ONONONONONON", true),
            ("OONNOONNOONN", false), ("ONNOONNOONNO", true), ("NNNNNNOOOOOO", false),
        ])
    func taking_turns_is_changing_sides(order: String, isInTurn: Bool) {
        var (base, new) = (empty, empty)
        (base.starts, new.starts) = ([], [])
        for (place, side) in order.enumerated() {
            if side == "O" { base.starts.append(UInt64(place)) }
            if side == "N" { new.starts.append(UInt64(place)) }
        }
        (base.runCount, new.runCount) = (base.starts.count, new.starts.count)
        let comparison = RunComparison(base: base, new: new, tolerance: 0.05)
        #expect(comparison.areInTurn == isInTurn)
    }
}
