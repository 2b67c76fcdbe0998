import CommandLine
import ControlProtocol
import Testing

@testable import Reports

@Suite struct ReportTests {
    /// Rows that nothing will ever measure.
    static let unmeasured = Target.number(
        "background.cpu", "background sync task, one core", .percent, on: .watch, goal: 80)
    static let imagined = Target.time(
        "imagined", "imagined metric", .internals, goal: 3, limit: 10, .percentile(.p99))

    /// A run with one row of every status.
    static func sample() -> Report {
        var report = Report(verb: "demo", link: "loopback", seed: 42, version: "0.1.0")
        report.durationNanoseconds = 10_240_000_000
        report.load = ["300 msg/s (open loop)"]
        let ids = [
            "sync.one-change", "sync.list", "message", "complication", "wire.list",
            "delivery.exact",
            "stress.rate", "sync.push",
        ]
        report.addRows(
            for: ids.compactMap(TargetTable.target) + [unmeasured, imagined],
            measured: [
                ("sync.one-change", Measurement(412e6, sampleCount: 1200)),
                ("sync.list", Measurement(700e6, sampleCount: 50)),
                ("message", Measurement(nil, sampleCount: 7)),
                ("complication", Measurement(612.4e6, sampleCount: 1200)),
                ("wire.list", Measurement(12_345, sampleCount: 3)),
                ("delivery.exact", Measurement(99.999, remark: "1 lost")),
                ("stress.rate", Measurement(5123.4, sampleCount: 100)),
            ], notDurable: true)
        var sync = LatencySeries("sync")
        for index in 1...1200 as ClosedRange<UInt64> {
            sync.record(
                index * 41_500, message: "medication \(index)", atNanoseconds: index * 3_300_000)
        }
        var push = LatencySeries("push")
        push.record(52_000, message: "medication 7", atNanoseconds: 12_000_000)
        report.latencies = [sync, push, LatencySeries("nothing")]
        report.notes = ["the link is UNSEALED"]
        report.repeatCommand = "rig demo --seed 42"
        return report
    }

    /// Titles and names come from files of others too.
    @Test func nothing_in_a_report_acts_on_a_terminal() {
        var report = Self.sample()
        var series = LatencySeries("a\u{1B}[2Jb")
        series.record(1, message: "c\u{7}d", atNanoseconds: 0)
        report.latencies = [series]
        report.notes = ["e\nf\u{202E}g"]
        report.addRow(
            for: .ratio("x", "h\u{9B}i", atMost: 1), Measurement(1, remark: "j\rk"))
        let text = report.terminalText()
        for shown in ["a [2Jb", "c d at", "note: e f g", "h i", "j k"] {
            #expect(text.contains(shown), "\(shown): \(text)")
        }
        #expect(!text.unicodeScalars.contains { $0 != "\n" && Excerpt.visible($0) != $0 })
    }

    @Test func a_share_is_rounded_neither_to_all_nor_to_nothing() {
        let shares = [100, 99.999, 1, 0.01, 0.00024, 0].map { Target.Unit.percent.text($0) }
        #expect(shares == ["100 %", "99.99 %", "1 %", "0.01 %", "< 0.01 %", "0 %"])
    }

    /// Beside peers, the last column is what each promises and what a kill left of it.
    @Test func guarantees_stand_in_the_table() throws {
        var report = Self.sample()
        var kept = LatencySeries("broker")
        kept.record(52_000, message: "round 7", atNanoseconds: 12_000_000)
        kept.promise = DeliveryPromise("at least once", killed: .init(acknowledged: 200, kept: 3))
        var bare = LatencySeries("socket")
        bare.record(52_000, message: "round 7", atNanoseconds: 12_000_000)
        bare.promise = DeliveryPromise("none")
        report.latencies = [kept, bare]
        let text = report.terminalText()
        #expect(text.contains("      max   guarantee; kept after SIGKILL\n"), "\(text)")
        #expect(text.contains("    0.052   at least once; kept 3 of 200\n"), "\(text)")
        #expect(text.contains("    0.052   none\n"), "\(text)")
        #expect(MarkdownReport.text(report).contains("| guarantee; kept after SIGKILL |"))
        #expect(MarkdownReport.text(report).contains("| at least once; kept 3 of 200 |"))
        let series = try #require(report.json["latencies"]?.array)
        #expect(series[0]["guarantee"] == "at least once")
        #expect(series[0]["sigkill"] == ["acknowledged": 200, "kept": 3])
        #expect(series[1]["sigkill"] == .null)
    }

    @Test func the_terminal_report_reads_as_specified() {
        #expect(
            Self.sample().terminalText() == """
                rig demo  loopback  seed 42  10.2 s  300 msg/s (open loop)     rig 0.1.0

                Metric                            Device  Target      Max       Actual          \
                               Status
                --------------------------------  ------  ----------  --------  ----------------\
                -------------  ------
                phone-watch sync, one change p99  both    <= 1000 ms  3000 ms   412 ms  (n=1200)\
                               PASS    not durable yet
                data sync, list of 50             both    <= 500 ms   2000 ms   700 ms  (n=50)  \
                               WARN    not durable yet
                message delivery p99              both    <= 200 ms   1000 ms   -        (n=7 of\
                 1000 needed)  TOO FEW
                complication update p99           both    <= 100 ms   500 ms    612 ms  (n=1200)\
                               FAIL
                50 items on the wire              link    <= 1 MB     -         -        (n=3 of\
                 50 needed)    TOO FEW
                delivered exactly once            both    100 %       -         99.99 %  (1 lost\
                )              FAIL
                sync stress, rate                 both    -           -         5123 /s  (n=100)\
                               -
                sync push, idle link, worst       both    <= 500 ms   -         -               \
                               NODATA  not durable yet
                background sync task, one core    watch   <= 80 %     -         -               \
                               not built

                imagined metric p99               both    <= 3 ms     10 ms     -               \
                               not built

                ms                  n      p50      p90      p99    p99.9      max   worst
                sync             1200     24.9     44.8     49.3    (few)     49.8   medication \
                1200 at 3.96 s
                push                1    (few)    (few)    (few)    (few)    0.052   medication 7 \
                at 0.01 s
                latency counts from the intended send time
                note: the link is UNSEALED

                3 of 7 need attention; 2 not built.
                repeat: rig demo --seed 42        exit 2

                """)
    }

    @Test func a_short_report_has_its_headline_rows_what_is_not_met_and_cautions() {
        var report = Self.sample()
        report.headline = ["delivered", "sync.one-change"]
        report.notes = ["a remark", "the link is UNSEALED"]
        report.cautions = ["the link is UNSEALED"]
        let text = report.terminalText()
        let metrics = report.rows.filter { text.contains("\n\($0.target.heading) ") }.map(\.status)
        #expect(metrics == [.pass, .warn, .few, .fail, .few, .fail, .noData], "\(text)")
        #expect(text.contains("\n\u{2026} 3 more rows, percentiles and notes with --all\n"))
        #expect(text.contains("note: the link is UNSEALED") && !text.contains("a remark"))
        #expect(!text.contains("p99.9"))
        #expect(MarkdownReport.text(report).contains("a remark"))
    }

    @Test func one_row_needs_attention() {
        var report = Report(verb: "bench", link: "edge", seed: 1, version: "0.1.0")
        report.addRow(for: .ratio("one", "one", atMost: 1), Measurement(2))
        #expect(report.summary == "1 of 1 needs attention.")
    }

    /// A time has the unit that one would say.
    @Test(
        arguments: [
            (87_340, "87.3 us"), (999_900, "999.9 us"), (12_440_000, "12.4 ms"),
            (2_414_000_000, "2.41 s"), (0, "0.0 us"),
        ] as [(UInt64, String)])
    func a_time_in_a_sentence_has_the_unit_of_its_size(nanoseconds: UInt64, text: String) {
        #expect(TimeText.rounded(nanoseconds) == text)
    }

    /// Only what fails the run needs attention.
    @Test func the_last_line_tells_what_fails_from_what_is_worth_a_look() {
        var report = Self.sample()
        #expect(report.summary == "3 of 7 need attention; 2 not built.")
        report.policy = GatePolicy(warnFails: true, fewFails: true)
        #expect(report.summary == "6 of 7 need attention; 2 not built.")
        report.policy = GatePolicy()
        report.rows.removeAll { [.fail, .noData, .notBuilt].contains($0.status) }
        #expect(report.summary == "No target is missed: 1 WARN, 2 TOO FEW of 4.")
        report.rows.removeAll { $0.status != .pass && $0.status != .known }
        #expect(report.summary == "All 1 measured targets met.")
        report.rows.removeAll { $0.status == .pass }
        #expect(report.summary == "Nothing is evaluated.")
    }

    @Test func colour_only_repeats_what_the_words_say() {
        let coloured = Self.sample().terminalText(style: .coloured)
        #expect(coloured.contains("\u{1B}[31mFAIL\u{1B}[0m"))
        var bare = ""
        var isEscape = false
        for character in coloured {
            if character == "\u{1B}" { isEscape = true }
            if !isEscape { bare.append(character) }
            if isEscape, character == "m" { isEscape = false }
        }
        #expect(bare == Self.sample().terminalText())
    }

    @Test(arguments: [
        (TerminalStyle.Choice.auto, true, "", "", "xterm", TerminalStyle.coloured),
        (.auto, false, "", "", "xterm", .plain), (.auto, true, "1", "", "xterm", .plain),
        (.auto, true, "", "true", "xterm", .plain), (.auto, true, "", "", "dumb", .plain),
        (.never, true, "", "", "xterm", .plain), (.always, false, "1", "1", "dumb", .coloured),
    ])
    func colour_follows_the_terminal(
        choice: TerminalStyle.Choice, isTerminal: Bool, noColor: String, ci: String, term: String,
        style: TerminalStyle
    ) {
        let found = TerminalStyle(choice, isTerminal: isTerminal) { name in
            ["NO_COLOR": noColor, "CI": ci, "TERM": term][name]
        }
        #expect(found == style)
    }

    /// A number without a bound is not a target that was met.
    @Test func what_is_only_to_be_known_meets_nothing() {
        var report = Report(verb: "bench", link: "peers", seed: 0, version: "0.1.0")
        report.addRow(for: .ratio("a", "a", atMost: nil), Measurement(2))
        report.latencyOrigin = "its sending"
        var series = LatencySeries("a")
        series.record(1, message: "a", atNanoseconds: 0)
        report.latencies = [series]
        #expect(report.terminalText().contains("\nlatency counts from its sending\n"))
        #expect(report.terminalText().contains("\nNothing is evaluated.\n"))
        report.addRow(for: .ratio("b", "b", atMost: 3), Measurement(2))
        #expect(report.terminalText().contains("\nAll 1 measured targets met.\n"))
    }

    @Test func exit_codes_follow_the_statuses() {
        var report = Self.sample()
        #expect(report.exitCode == .targetMissed)
        report.rows.removeAll { [.fail, .noData].contains($0.status) }
        #expect(report.exitCode == .done)
        #expect(report.hasPassed)
        report.policy.fewFails = true
        #expect(report.exitCode == .targetMissed)
        report.isComplete = false
        #expect(report.exitCode == .interrupted)
        #expect(!report.hasPassed)
        #expect(report.terminalText().contains("INCOMPLETE"))
    }

    @Test func results_hold_exact_numbers() throws {
        let text = JSONWriter.text(Self.sample().json, layout: .pretty)
        let json = try JSONParser.parse(text).value
        #expect(json["schema"] == "rig.results/1")
        #expect(json["complete"] == true)
        #expect(json["passed"] == false)
        #expect(json["exit"] == 2)
        let metrics = try #require(json["metrics"]?.array)
        #expect(metrics.count == 10)
        let sync = try #require(metrics.first)
        #expect(sync["id"] == "sync.one-change")
        #expect(sync["device"] == "both")
        #expect(sync["actual"] == 412_000_000)
        #expect(sync["target"] == 1_000_000_000)
        #expect(sync["n_needed"] == 1000)
        #expect(sync["status"] == "PASS")
        #expect(sync["caveat"] == "not durable yet")
        #expect(metrics.last?["status"] == "not built")
        #expect(metrics.last?["actual"]?.isNull == true)
        let latency = try #require(json["latencies"]?.array?.first)
        #expect(latency["n"] == 1200)
        #expect(latency["max_ns"] == 49_800_000)
        #expect(latency["p99.9_ns"]?.isNull == true)
        #expect(latency["worst"]?["message"] == "medication 1200")
        let counted = latency["histogram"]?.array?.compactMap { $0.array?.last?.integer }
        #expect(counted?.reduce(0, +) == 1200)
    }
}
