import ControlProtocol

/// A run as JUnit XML, for what shows test results: `junit.xml`.
///
/// The form is Ant's (`testsuites`, `testsuite`, `testcase`), which has no schema of its own; what
/// is used of it is what Jenkins and GitLab read. Times are seconds.
enum JUnitReport {
    /// The whole file.
    static func text(_ report: Report) -> String {
        let cases = report.rows.map { Case($0, report) }
        // A run that ended early must not look green, whatever it had measured by then.
        let isCutShort = !report.isComplete
        let counts = attributes([
            ("tests", "\(cases.count + (isCutShort ? 1 : 0))"),
            ("failures", "\(cases.count { $0.outcome == .failure })"),
            ("errors", isCutShort ? "1" : "0"),
            ("skipped", "\(cases.count { $0.outcome == .skipped })"),
            ("time", OutputNumbers.seconds(ofNanoseconds: report.durationNanoseconds)),
        ])
        let name = attributes([("name", "rig \(report.verb)")])
        let start = report.startedAt.map { attributes([("timestamp", OutputNumbers.utc($0))]) }
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#, "<testsuites\(name)\(counts)>",
            "  <testsuite\(name)\(counts)\(start ?? "")>", "    <properties>",
        ]
        lines += properties(report).map { "      <property\(attributes($0))/>" }
        lines.append("    </properties>")
        for item in cases { lines += item.lines(className: className(report)) }
        if isCutShort { lines += cutShort(report) }
        if !report.notes.isEmpty {
            let notes = report.notes.map { "note: \($0)" }.joined(separator: "\n")
            lines.append("    <system-out>\(XMLText.content(notes))</system-out>")
        }
        lines += ["  </testsuite>", "</testsuites>"]
        return lines.map { $0 + "\n" }.joined()
    }

    static func attributes(_ members: [(name: String, value: String)]) -> String {
        members.map { " \($0.name)=\"\(XMLText.attribute($0.value))\"" }.joined()
    }

    private static func className(_ report: Report) -> String { "\(report.verb)/\(report.link)" }

    private static func properties(_ report: Report) -> [[(String, String)]] {
        var members = [
            ("version", report.version), ("link", report.link),
            ("complete", "\(report.isComplete)"), ("passed", "\(report.hasPassed)"),
            ("repeat", report.repeatCommand),
        ]
        if let seed = report.seed { members.insert(("seed", "\(seed)"), at: 1) }
        members += report.load.map { ("load", $0) }
        members += report.host.members.map { member in
            ("host.\(member.name)", member.value.string ?? JSONWriter.text(member.value))
        }
        return members.map { [("name", $0.0), ("value", $0.1)] }
    }

    private static func cutShort(_ report: Report) -> [String] {
        let place = attributes([("classname", className(report)), ("name", "run complete")])
        let message = attributes([
            ("message", "the run ended early; what was measured is here"), ("type", "INCOMPLETE"),
        ])
        return [
            "    <testcase\(place) time=\"0\">",
            "      <error\(message)>\(XMLText.content("repeat: \(report.repeatCommand)"))</error>",
            "    </testcase>",
        ]
    }
}
