/// The course of a scenario over time, for a picture of the page: rows with spans and moments.
/// Times count from the begin of the scenario.
package struct RunCourse: Sendable {
    /// The condition of a span.
    package enum Condition: String, Sendable {
        /// The device runs, or the link carries.
        case works
        /// The device is away, or the link is down.
        case away
    }

    /// A time in which something held.
    package struct Span: Sendable {
        package var range: Range<Duration>
        package var condition: Condition
        package var label: String

        /// Makes a span.
        package init(_ range: Range<Duration>, _ condition: Condition, _ label: String = "") {
            self.range = range
            self.condition = condition
            self.label = label
        }
    }

    /// Something that happened at a moment.
    package struct Moment: Sendable {
        package var at: Duration
        package var label: String

        /// Makes a moment.
        package init(_ at: Duration, _ label: String) {
            self.at = at
            self.label = label
        }
    }

    /// A row of the picture.
    package struct Row: Sendable {
        package var name: String
        package var spans: [Span]
        package var moments: [Moment]

        /// Makes a row.
        package init(_ name: String, spans: [Span] = [], moments: [Moment] = []) {
            self.name = name
            self.spans = spans
            self.moments = moments
        }
    }

    /// The scenario.
    package var title: String
    /// How long it took.
    package var duration: Duration
    /// The rows, from the top.
    package var rows: [Row]

    /// Makes a course; rows with nothing in them are left out.
    package init(_ title: String, duration: Duration, rows: [Row]) {
        self.title = title
        self.duration = duration
        self.rows = rows.filter { !$0.spans.isEmpty || !$0.moments.isEmpty }
    }
}
