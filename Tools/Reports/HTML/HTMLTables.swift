import CommandLine
import ControlProtocol

/// The part of a page that needs no script.
enum HTMLTables {
    /// Everything between the tags of the body, data and script aside.
    static func body(of report: Report, _ columns: RecordColumns?) -> String {
        """
        <svg id="blank" width="0" height="0" aria-hidden="true"></svg>
        <header>
        <h1>rig \(HTMLText.escaped(report.verb))</h1>
        <p class="sub">\(HTMLText.escaped(circumstancesLine(report)))</p>
        <p class="chips">\(chips(report))</p>
        <p>\(HTMLText.escaped(report.summary)) Exit code \(report.exitCode.rawValue).</p>
        \(command(report))</header>
        <main>
        \(trouble(report))\(targets(report))\(courses(report))\(percentiles(report))\
        \(pictures(report, columns))\
        \(notes(report))\(circumstances(report))</main>
        <p id="trouble" role="alert" hidden></p>
        """
    }

    /// Link, seed, length and load, and when the run began, to the second.
    private static func circumstancesLine(_ report: Report) -> String {
        var parts = report.circumstances
        if let start = report.startedAt {
            parts.append(OutputNumbers.utc(start).prefix(19).replacing("T", with: " ") + " UTC")
        }
        return parts.joined(separator: ", ")
    }

    /// How many rows have each status, the worst first.
    private static func chips(_ report: Report) -> String {
        let order: [Status] = [.fail, .noData, .warn, .few, .pass, .known, .notBuilt]
        let chips = order.compactMap { status -> String? in
            let count = report.rows.count { $0.status == status }
            guard count > 0 else { return nil }
            let word = status == .known ? "no goal" : status.rawValue
            return "<span class=\"chip \(kind(status))\">\(count) \(word)</span>"
        }
        return chips.joined(separator: " ")
    }

    private static func trouble(_ report: Report) -> String {
        guard !report.isComplete else { return "" }
        return """
            <p class="notice"><strong>INCOMPLETE</strong>: the run ended early; what was measured is
            here.</p>

            """
    }

    private static func kind(_ status: Status) -> String {
        switch status {
        case .pass: "pass"
        case .warn: "warn"
        case .fail, .noData: "fail"
        case .few: "few"
        case .known, .notBuilt: "none"
        }
    }

    // MARK: Tables

    private static func targets(_ report: Report) -> String {
        guard !report.rows.isEmpty else { return "" }
        let rows = report.rows.map { row in
            let texts = Report.Cells(row)
            let status =
                "<span class=\"chip \(kind(row.status))\">\(row.status.rawValue)</span>"
                + (row.caveat.map { " " + HTMLText.escaped($0) } ?? "")
            return texts.all.map(HTMLText.escaped)
                + [status]
        }
        return section("Targets")
            + HTMLText.table(
                "Targets", heads: Report.heads, rows: rows, isNamed: true)
            + "</section>\n"
    }

    private static func percentiles(_ report: Report) -> String {
        let filled = report.latencies.filter { $0.histogram.count > 0 }
        guard !filled.isEmpty else { return "" }
        let rows = filled.map { series in
            let histogram = series.histogram
            let values =
                Report.columns.map { histogram[$0].map(figure) ?? "(few)" }
                + [histogram.maximumNanoseconds.map(figure) ?? "-"]
            return [HTMLText.escaped(series.name), "\(histogram.count)"] + values
                + [series.lastCell.map(HTMLText.escaped) ?? "-"]
        }
        let heads =
            ["ms", "n"] + Report.columns.map(\.name) + ["max", LatencySeries.lastHead(filled)]
        return section("Latency")
            + HTMLText.table(
                "Percentiles", heads: heads, rows: rows, numbers: 1..<heads.count - 1,
                stacks: true)
                + """
                <p class="small">Latency counts from \(HTMLText.escaped(report.latencyOrigin)).
                A percentile is told from 10/(1-p) samples on; (few) stands for fewer.</p>
                </section>

                """
    }

    /// Milliseconds as everywhere, with the exact nanoseconds for programs.
    private static func figure(_ nanoseconds: UInt64) -> String {
        "<data value=\"\(nanoseconds)\">\(Report.milliseconds(nanoseconds))</data>"
    }

    private static func courses(_ report: Report) -> String {
        report.courses.map { course in
            section(HTMLText.escaped("Course of \(course.title)")) + HTMLCourse(course: course).text
                + "</section>\n"
        }.joined()
    }

    private static func pictures(_ report: Report, _ columns: RecordColumns?) -> String {
        // A handful of samples is no curve.
        let hasCurves = report.latencies.contains { $0.histogram[.p50] != nil }
        guard let detail = report.detail, !detail.records.isEmpty else {
            return hasCurves ? picture("curves", "Latency by percentile") : ""
        }
        let isHalf = hasCurves && detail.series.count <= 3
        var text = hasCurves ? picture("curves", "Latency by percentile", isHalf: isHalf) : ""
        text += picture("intervals", "Latency over time", isHalf: isHalf)
        text += section("Stages of a record") + stages(detail)
        text += "</section>\n"
        let things = columns?.packets == nil ? "Records" : "Records and packets"
        text += picture("timeline", "\(things) on their way", before: notices(columns))
        if let face = detail.faceFigures {
            text += section("Age of the shown complication") + age(face, detail)
            text += "<div class=\"picture script\" id=\"age\"></div></section>\n"
        }
        return text + section("Slowest 20") + slowest(detail) + "</section>\n"
    }

    private static func notices(_ columns: RecordColumns?) -> String {
        let texts = [columns?.notice, columns?.packets?.notice].compactMap { $0 }
            .filter { !$0.isEmpty }
        let none =
            columns?.packets == nil
            ? "<p class=\"small\">The lines show records; no list of packets was kept.</p>\n" : ""
        return texts.map { "<p class=\"notice\">\($0)</p>\n" }.joined() + none
    }

    private static func age(_ face: RunDetail.FaceFigures, _ detail: RunDetail) -> String {
        let share = Decimals.fixed(face.upToDateShare * 100, decimals: 2)
        let sample =
            detail.face.count > FaceColumns.mostSpans
            ? " \(FaceColumns.mostSpans) of \(detail.face.count) values are drawn." : ""
        return """
            <p>The face showed the newest value \(share) % of the time. The longest that it showed
            one and the same outdated value was \(figure(face.longestOutdated)) ms; the oldest value
            was \(figure(face.oldest)) ms old when another replaced it.\
            \(sample)</p>

            """
    }

    private static func stages(_ detail: RunDetail) -> String {
        let rows = detail.stageMedians.map { row in
            [HTMLText.escaped(row.series.name), "\(row.count)"]
                + row.nanoseconds.map { $0.map(figure) ?? "(few)" }
        }
        return HTMLText.table(
            "Stages", heads: ["median, ms", "n"] + RunDetail.Stage.allCases.map(\.rawValue),
            rows: rows, numbers: 1..<6, stacks: true)
                + """
                <div class="picture script" id="stagebars"></div>
                <p class="small">queued: from when it was due until it was sent, the sender's own
                commit included where a record must not leave before it; air: until it had come
                whole; commit: until what its series counts, both journals or its display;
                applied: until the sender knew, which is no part of the latency and not drawn. Of
                one record the first three add up to its latency; medians do not add up to a
                median.</p>

                """
    }

    private static func slowest(_ detail: RunDetail) -> String {
        let rows = detail.slowest(20).enumerated().map { place, record in
            let due = Decimals.fixed(Double(record.intended) / 1e9, decimals: 2)
            let stages = record.stages.map { $0.map(figure) ?? "-" }
            return ["\(place + 1)", record.latencyNanoseconds.map(figure) ?? "-"] + stages
                + [
                    "\(due) s", "<span class=\"record\">\(HTMLText.escaped(record.name))</span>",
                    HTMLText.escaped(detail.series[record.series].name), record.outcome.word,
                ]
        }
        let heads = ["", "ms"] + RunDetail.Stage.allCases.map(\.rawValue)
        return HTMLText.table(
            "Slowest", heads: heads + ["due", "record", "series", "outcome"], rows: rows,
            numbers: 0..<7, stacks: true)
    }

    // MARK: The rest

    private static func notes(_ report: Report) -> String {
        guard !report.notes.isEmpty else { return "" }
        let items = report.notes.map { "<li>\(HTMLText.escaped($0))</li>\n" }.joined()
        return section("Notes") + "<ul>\n\(items)</ul>\n</section>\n"
    }

    private static func circumstances(_ report: Report) -> String {
        section("Link, host and versions")
            + "<dl>\n\(HTMLFacts.rows(of: report))</dl>\n</section>\n"
    }

    /// The command that repeats the run, with a button that copies it.
    private static func command(_ report: Report) -> String {
        """
        <div class="repeat"><code id="command" tabindex="0">\
        \(HTMLText.escaped(report.repeatCommand))</code>
        <button id="copy" class="script" type="button">Copy</button></div>

        """
    }

    private static func section(_ title: String) -> String {
        "<section>\n<h2>\(title)</h2>\n"
    }

    private static func picture(
        _ id: String, _ title: String, isHalf: Bool = false, before: String = ""
    ) -> String {
        """
        <section class="script\(isHalf ? " half" : "")">
        <h2>\(title)</h2>
        \(before)<div class="picture" id="\(id)"></div>
        </section>

        """
    }
}
