import Testing

@testable import Reports

@Suite struct NarrowTerminalTests {
    /// The command to repeat and the title are not wrapped.
    private static func isWhole(_ line: Substring) -> Bool {
        line.hasPrefix("rig ") || line.hasPrefix("repeat: ")
    }

    @Test(arguments: [30, 40, 60, 80, 100])
    func no_line_of_a_table_is_wider_than_the_terminal(columns: Int) {
        let lines = ReportTests.sample().terminalText(columns: columns).split(separator: "\n")
        let long = lines.filter { $0.count > columns && !Self.isWhole($0) }
        // Sentences are left to the terminal.
        let sentences = long.filter { $0.hasPrefix("latency counts") || $0.hasPrefix("3 of 7") }
        #expect(long == sentences)
    }

    @Test func a_narrow_terminal_loses_no_column() {
        let text = ReportTests.sample().terminalText(columns: 50)
        #expect(
            text.contains(
                """
                PASS      phone-watch sync, one change p99
                          both; 412 ms (n=1200); target <= 1000
                          ms; max 3000 ms; not durable yet

                """), "\(text)")
        #expect(
            text.contains(
                """
                sync
                  n 1200; p50 24.9; p90 44.8; p99 49.3; p99.9
                  (few); max 49.8; worst medication 1200 at 3.96 s

                """), "\(text)")
        let metrics = ReportTests.sample().rows.map(\.target.heading)
        #expect(metrics.allSatisfy(text.contains))
    }

    @Test func a_wide_terminal_has_the_table_of_a_file() {
        let report = ReportTests.sample()
        #expect(report.terminalText(columns: 200) == report.terminalText())
        #expect(report.terminalText(columns: 80) != report.terminalText())
    }

    @Test func colour_takes_no_room() {
        let text = ReportTests.sample().terminalText(style: .coloured, columns: 50)
        #expect(text.contains("\u{1B}[31mFAIL\u{1B}[0m      complication update p99\n"), "\(text)")
    }
}

@Suite struct TargetDeviceTests {
    @Test func each_row_says_which_device_it_is_measured_on() throws {
        let devices = Dictionary(
            grouping: TargetTable.all, by: \.device
        ).mapValues { Set($0.map(\.id)) }
        #expect(devices[.link] == ["wire.list"])
        #expect(try #require(devices[.watch]).isSuperset(of: ["watch.launch", "watch.memory"]))
        #expect(try #require(devices[.host]).isSuperset(of: ["aead.seal", "store.due", "pairing"]))
        #expect(try #require(devices[.both]).isSuperset(of: ["sync.list", "complication"]))
        let text = ReportTests.sample().terminalText()
        #expect(text.contains("50 items on the wire              link    <= 1 MB"), "\(text)")
    }
}
