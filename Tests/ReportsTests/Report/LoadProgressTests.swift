import Testing

@testable import CommandLine
@testable import Reports

@Suite struct LoadProgressTests {
    private static func sample(_ count: Int) -> LoadProgress {
        var progress = LoadProgress(link: "ble", seconds: 27, totalSeconds: 60)
        progress.sent = 538
        progress.acknowledged = 531
        progress.inFlight = 7
        for _ in 0..<count { progress.latencies.record(402_000_000) }
        return progress
    }

    @Test func a_terminal_gets_a_bar_and_a_file_gets_figures() {
        let progress = Self.sample(1000)
        let bar = "[#########-----------]"
        let figures = "27/60 s  538 sent  531 acked  7 in flight  p99 402 ms"
        #expect(progress.bar(columns: 100) == "ble  \(bar)  \(figures)")
        #expect(progress.line == "ble t=27s sent=538 acked=531 p99_ms=402")
    }

    @Test func few_are_no_percentile() {
        let progress = Self.sample(999)
        #expect(progress.bar(columns: 100).hasSuffix("  p99 (few)"))
        #expect(progress.line.hasSuffix(" p99_ms=few"))
    }

    @Test func rounds_and_builds_are_told_apart() {
        var progress = Self.sample(0)
        progress.round = (2, 6)
        progress.isOtherBuild = true
        #expect(progress.bar(columns: 100).hasSuffix("  round 2 of 6  the other build"))
        #expect(progress.line.hasSuffix(" round=2/6 build=other"))
    }

    /// The bar gives way to the figures.
    @Test(arguments: [(200, 82), (82, 82), (81, 81), (66, 66), (65, 58), (20, 58)])
    func a_narrow_terminal_has_a_short_bar_or_none(columns: Int, count: Int) {
        let bar = Self.sample(1000).bar(columns: columns)
        #expect(bar.count == count && bar.contains("[") == (count > 58), "\(bar)")
    }

    /// A line that wraps cannot be overwritten.
    @Test(arguments: [(80, 79), (40, 39), (2, 1), (1, 1), (0, 1)])
    func a_line_keeps_to_its_terminal(columns: Int, count: Int) {
        let long = String(repeating: "x", count: 200)
        #expect(ProgressMode.fitted(long, columns: columns).count == count)
        #expect(ProgressMode.fitted("short", columns: 80) == "short")
    }

    @Test func what_is_no_terminal_has_the_usual_width() {
        #expect(ProgressMode.columns(of: -1) == 80)
    }
}
