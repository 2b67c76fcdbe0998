import CommandLine
import Reports
import Testing

@Suite struct RoundComparisonTests {
    private static func row(_ own: [UInt64?], _ other: [UInt64?]) throws -> RoundComparison.Row {
        try #require(RoundComparison([("sync", own, other)]).rows.first)
    }

    @Test func rounds_are_paired_and_those_without_a_median_left_out() throws {
        let row = try Self.row([200, nil, 300, 100], [100, 100, nil, 100])
        #expect(row.ratios == [1, 2])
        #expect(row.median == 1.5)
        #expect(try Self.row([], []).median == nil)
    }

    /// All of six on one side come by chance in 2 of 64 runs; five in 2 of 32, and tell nothing.
    @Test func six_rounds_on_one_side_are_beyond_noise_and_five_are_not() throws {
        func own(_ rounds: Int) -> [UInt64?] { Array(repeating: 110, count: rounds) }
        func other(_ rounds: Int) -> [UInt64?] { Array(repeating: 100, count: rounds) }
        #expect(try !Self.row(own(6), other(6)).isWithinNoise)
        #expect(try Self.row(own(5), other(5)).isWithinNoise)
        #expect(try Self.row(own(6) + [90], other(7)).isWithinNoise)
    }

    /// More rounds must not hide a difference: one of ten on the other side is chance.
    @Test(arguments: [
        (5, 0, true), (6, 0, false), (8, 1, true), (9, 1, false), (21, 9, true),
        (22, 8, false), (540, 460, false), (520, 480, true),
    ])
    func the_split_of_the_rounds_decides(above: Int, below: Int, isWithinNoise: Bool) throws {
        func rounds(_ high: UInt64, _ low: UInt64) -> [UInt64?] {
            Array(repeating: high, count: above) + Array(repeating: low, count: below)
        }
        #expect(try Self.row(rounds(110, 90), rounds(100, 100)).isWithinNoise == isWithinNoise)
        #expect(try Self.row(rounds(90, 110), rounds(100, 100)).isWithinNoise == isWithinNoise)
    }

    @Test func rounds_without_a_difference_say_nothing() throws {
        let own: [UInt64?] = [100, 100, 100, 100, 100, 110, 110]
        #expect(try Self.row(own, Array(repeating: 100, count: 7)).isWithinNoise)
    }

    @Test func each_verdict_is_told() {
        let slow = [UInt64?](repeating: 110, count: 6)
        let fast = [UInt64?](repeating: 100, count: 6)
        func line(_ own: [UInt64?], _ other: [UInt64?]) -> String {
            RoundComparison([("sync", own, other)]).lines[0]
        }
        #expect(
            line(slow, fast)
                == "sync p50, this build / the other: 1.100 (1.100 to 1.100 in 6 rounds): this "
                + "build is slower")
        #expect(line(fast, slow).hasSuffix(": this build is faster"))
        #expect(line(fast, fast).hasSuffix(": no difference beyond noise"))
        #expect(line([100], [100]).hasSuffix("in 1 round): fewer than 6 rounds tell nothing"))
        #expect(
            line([nil], [100])
                == "sync: no round has enough records for a median of both builds")
    }

    /// A slower build is a missed target, with all that follows from one.
    @Test(
        arguments: [
            (110, 100, 6, Status.fail, ExitCode.targetMissed), (100, 110, 6, .pass, .done),
            (100, 100, 6, .pass, .done), (110, 100, 5, .few, .done),
        ] as [(UInt64, UInt64, Int, Status, ExitCode)])
    func a_slower_build_misses_its_target(
        own: UInt64, other: UInt64, rounds: Int, status: Status, code: ExitCode
    ) {
        let comparison = RoundComparison([
            (
                "dose event", Array(repeating: own, count: rounds),
                Array(repeating: other, count: rounds)
            )
        ])
        var report = Report(verb: "bench", link: "edge", seed: 1, version: "0.1.0")
        report.rows = comparison.reportRows
        #expect(report.rows.map(\.status) == [status] && report.exitCode == code)
        #expect(report.rows.map(\.target.id) == ["against.dose.event"])
    }

    /// Chance puts a median above 1 as often as below it.
    @Test func what_is_within_noise_is_met() {
        let own: [UInt64?] = [120, 120, 120, 90, 90, 120]
        var report = Report(verb: "bench", link: "edge", seed: 1, version: "0.1.0")
        report.rows = RoundComparison([("sync", own, Array(repeating: 100, count: 6))]).reportRows
        #expect(report.rows[0].measurement?.actual == 1.2 && report.rows[0].status == .pass)
        let line =
            "sync p50, this build / the other  both    <= 1 or noise  -         1.20  (n=6, "
            + "0.900 to 1.200 in 6 rounds)  PASS"
        #expect(report.terminalText().contains("\n\(line)\n"), "\(report.terminalText())")
        report.rows = RoundComparison([("sync", [nil], [100])]).reportRows
        #expect(report.rows[0].status == .noData && report.exitCode == .targetMissed)
    }
}
