import CommandLine
import ControlProtocol
import WatchProtoCore

/// The course of a scenario as a picture and a table, both without scripts.
struct HTMLCourse {
    let course: RunCourse

    /// Picture and table.
    var text: String { picture + notice + table }

    private var notice: String {
        let isCut = course.rows.contains {
            max($0.spans.count, $0.moments.count) > Self.mostMarks
        }
        return isCut
            ? "<p class=\"small\">The first \(Self.mostMarks) marks of each row are drawn.</p>\n"
            : ""
    }

    // MARK: The picture

    private static let width = 1000.0
    private static let left = 150.0
    private static let right = 12.0
    private static let rowHeight = 26.0
    private static let top = 8.0
    /// Spans and moments of one row that are drawn at most: the page stays small.
    static let mostMarks = 50

    private var seconds: Double {
        max(0.001, Double(course.duration.nanosecondsClamped) / 1e9)
    }

    private func x(_ time: Duration) -> Double {
        let share = Double(time.nanosecondsClamped) / 1e9 / seconds
        return Self.left + (Self.width - Self.left - Self.right) * min(1, max(0, share))
    }

    private static func number(_ value: Double) -> String { Decimals.fixed(value, decimals: 1) }

    private var picture: String {
        let bottom = Self.top + Double(course.rows.count) * Self.rowHeight
        var parts: [String] = []
        for tick in ticks {
            let place = Self.number(x(tick))
            let label = Decimals.fixed(Double(tick.nanosecondsClamped) / 1e9, decimals: decimals)
            parts.append(
                "<line class=\"grid\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(Self.top)\" "
                    + "y2=\"\(bottom)\"/><text class=\"middle\" x=\"\(place)\" "
                    + "y=\"\(bottom + 16)\">\(label) s</text>")
        }
        for (place, row) in course.rows.enumerated() {
            parts.append(draw(row, Self.top + Double(place) * Self.rowHeight))
        }
        let name = HTMLText.escaped("Course of \(course.title)")
        return """
            <div class="picture"><svg role="img" aria-label="\(name)" width="100%" \
            viewBox="0 0 \(Int(Self.width)) \(Int(bottom) + 24)">
            \(parts.joined(separator: "\n"))
            </svg></div>

            """
    }

    private func draw(_ row: RunCourse.Row, _ y: Double) -> String {
        var text =
            "<text class=\"name end\" x=\"\(Self.left - 10)\" y=\"\(y + 17)\">"
            + HTMLText.escaped(row.name) + "</text>"
        for span in row.spans.prefix(Self.mostMarks) {
            let (from, to) = (x(span.range.lowerBound), x(span.range.upperBound))
            // Away is thin, too: colour is not the only sign.
            let (above, height) = span.condition == .works ? (4.0, 18.0) : (10.0, 6.0)
            text +=
                "<rect class=\"course \(span.condition.rawValue)\" x=\"\(Self.number(from))\" "
                + "y=\"\(y + above)\" width=\"\(Self.number(max(1.5, to - from)))\" "
                + "height=\"\(height)\">"
                + "<title>\(HTMLText.escaped(words(span)))</title></rect>"
            guard !span.label.isEmpty, to - from > Double(span.label.count) * 7 else { continue }
            text +=
                "<text x=\"\(Self.number(from + 5))\" y=\"\(y + 17)\">"
                + HTMLText.escaped(span.label) + "</text>"
        }
        for moment in row.moments.prefix(Self.mostMarks) {
            text +=
                "<circle class=\"dot s0\" r=\"4.5\" cx=\"\(Self.number(x(moment.at)))\" "
                + "cy=\"\(y + 13)\"><title>\(HTMLText.escaped(words(moment)))</title></circle>"
        }
        return text
    }

    private func words(_ span: RunCourse.Span) -> String {
        let state = span.condition == .works ? "" : "away"
        let label = [span.label, state].filter { !$0.isEmpty }.joined(separator: ", ")
        return "\(Self.time(span.range.lowerBound)) to \(Self.time(span.range.upperBound))"
            + (label.isEmpty ? "" : ": \(label)")
    }

    private func words(_ moment: RunCourse.Moment) -> String {
        "\(Self.time(moment.at)): \(moment.label)"
    }

    private static func time(_ time: Duration) -> String {
        Decimals.fixed(Double(time.nanosecondsClamped) / 1e9, decimals: 3) + " s"
    }

    /// The distance of two ticks: 1, 2 or 5 of a power of ten, at most ten of them.
    private var step: Double {
        var step = 0.001
        while seconds / step > 10 {
            let digit = Int((step / Self.power(below: step)).rounded())
            step *= digit == 2 ? 2.5 : 2
        }
        return step
    }

    private static func power(below value: Double) -> Double {
        var power = 0.001
        while power * 10 <= value * 1.0001 { power *= 10 }
        return power
    }

    private var decimals: Int { step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3 }

    private var ticks: [Duration] {
        (0...Int(seconds / step + 0.0001)).map { .nanoseconds(Int64(Double($0) * step * 1e9)) }
    }

    // MARK: The table

    /// Rows of the table; a longer course is cut, and says so.
    static let mostRows = 100

    private var table: String {
        var moments: [(at: Duration, row: String, label: String)] = []
        for row in course.rows {
            moments += row.moments.map { ($0.at, row.name, $0.label) }
        }
        moments.sort { $0.at < $1.at }
        guard !moments.isEmpty else { return "" }
        let left = moments.count - Self.mostRows
        let more = left > 0 ? "<p class=\"small\">\(left) later rows are left out.</p>\n" : ""
        return "<details><summary>\(Counted.words(moments.count, "moment"))</summary>\n"
            + HTMLText.table(
                "Course", heads: ["s", "", ""],
                rows: moments.prefix(Self.mostRows).map { moment in
                    [
                        Decimals.fixed(Double(moment.at.nanosecondsClamped) / 1e9, decimals: 3),
                        HTMLText.escaped(moment.row), HTMLText.escaped(moment.label),
                    ]
                }, numbers: 0..<1) + more + "</details>\n"
    }
}
