extension JUnitReport {
    /// The outcome of a row, in JUnit's words.
    enum Outcome { case passed, failure, skipped }

    /// A row of the report as a test case.
    struct Case {
        let row: Report.Row
        let outcome: Outcome
        let repeatCommand: String

        init(_ row: Report.Row, _ report: Report) {
            self.row = row
            repeatCommand = report.repeatCommand
            let fails = report.policy.fails([row.status])
            outcome =
                switch row.status {
                case .few, .notBuilt: fails ? .failure : .skipped
                case .pass, .warn, .fail, .noData, .known: fails ? .failure : .passed
                }
        }

        /// The element. Its time is what was measured, where that is a time.
        func lines(className: String) -> [String] {
            let place = JUnitReport.attributes([
                ("classname", className), ("name", row.target.heading), ("time", seconds),
            ])
            let inner: String
            switch outcome {
            case .skipped: inner = "<skipped\(JUnitReport.attributes([("message", message)]))/>"
            case .failure:
                let heads = JUnitReport.attributes([
                    ("message", message), ("type", row.status.rawValue),
                ])
                let text = lines + ["repeat: \(repeatCommand)"]
                inner = "<failure\(heads)>\(Self.content(text))</failure>"
            case .passed: inner = "<system-out>\(Self.content(lines))</system-out>"
            }
            return ["    <testcase\(place)>", "      \(inner)", "    </testcase>"]
        }

        /// `FAIL: 612 ms; target <= 100 ms, max 500 ms, n=1200; worst: complication 233 at 1 s`.
        private var message: String {
            guard row.status != .notBuilt else { return "not built: nothing measures it yet" }
            let word = row.status == .known ? "no goal" : row.status.rawValue
            var parts = ["\(word): \(value)"]
            var bounds: [String] = []
            let goal = cells.goal.replacing("  ", with: " ")
            if goal != "-" { bounds.append("target \(goal)") }
            if cells.limit != "-" { bounds.append("max \(cells.limit)") }
            bounds.append("n=\(row.measurement?.sampleCount ?? 0)")
            if row.status == .few { bounds.append("\(row.target.samplesNeeded) needed") }
            parts.append(bounds.joined(separator: ", "))
            if let worst = row.measurement?.worst { parts.append("worst: \(worst)") }
            return parts.joined(separator: "; ")
        }

        /// The text for the reader, whether the row passed or not.
        private var lines: [String] {
            [message] + [row.measurement?.remark, row.caveat].compactMap(\.self)
        }

        private static func content(_ lines: [String]) -> String {
            XMLText.content(lines.joined(separator: "\n"))
        }

        private var cells: Report.Cells { Report.Cells(row) }

        private var value: String {
            guard let actual = row.measurement?.actual, row.status != .few else {
                return row.status == .few ? "too few samples" : "nothing was measured"
            }
            return row.target.unit.text(actual)
        }

        private var seconds: String {
            guard row.target.unit == .nanoseconds, row.status != .few,
                let actual = row.measurement?.actual, actual.isFinite, actual >= 0,
                let nanoseconds = UInt64(exactly: actual.rounded())
            else { return "0" }
            return OutputNumbers.seconds(ofNanoseconds: nanoseconds)
        }
    }
}
