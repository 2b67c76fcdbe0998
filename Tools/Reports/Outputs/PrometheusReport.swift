import CommandLine
import ControlProtocol
import WatchProtoCore

/// A run in Prometheus' text format, version 0.0.4: `metrics.prom`.
///
/// Base units throughout: seconds, bytes, ratios. Every sample has the labels `verb` and `link`, so
/// that files of several runs can be collected together.
struct PrometheusReport {
    private let report: Report
    private var lines: PrometheusLines

    /// The whole file.
    static func text(_ report: Report) -> String {
        var file = PrometheusReport(report)
        if !report.isComplete { file.lines.comment("INCOMPLETE: the run ended early.") }
        file.addRun()
        file.addTargets()
        file.addTallies()
        file.lines.histograms(
            "duration_seconds", "Latency, by series.",
            zip(report.seriesKeys, report.latencies).map { key, series in
                ([("series", key)], series.histogram)
            })
        return file.lines.text
    }

    private init(_ report: Report) {
        self.report = report
        lines = PrometheusLines(labels: [("verb", report.verb), ("link", report.link)])
    }

    // MARK: Families

    private mutating func addRun() {
        lines.gauge(
            "run_complete", "Whether the run came to its end.", [([], report.isComplete ? 1 : 0)])
        lines.gauge(
            "run_passed", "Whether the run was complete and every gate was met.",
            [([], report.hasPassed ? 1 : 0)])
        lines.gauge(
            "run_exit_code", "How the run ended.",
            [([], Double(report.exitCode.rawValue))])
        lines.gauge(
            "run_length_seconds", "How long the run took.",
            [([], Double(report.durationNanoseconds) / 1e9)])
        if let start = report.startedAt {
            lines.gauge(
                "run_start_time_seconds", "When the run began, since 1970-01-01T00:00Z.",
                [([], Double(start.milliseconds) / 1000)])
        }
        // An empty label is as good as none.
        let facts = [
            ("version", report.version), ("seed", report.seed.map { "\($0)" } ?? ""),
            ("sealed", report.isSealed.map { "\($0)" } ?? ""), ("repeat", report.repeatCommand),
        ]
        lines.gauge("run_info", "The facts of the run; always 1.", [(facts, 1)])
    }

    private mutating func addTargets() {
        let rows = report.rows.filter { $0.status != .notBuilt }
        func values(_ value: (Report.Row) -> Double?) -> [PrometheusLines.Sample] {
            rows.compactMap { row in
                value(row).map { number in
                    let unit = row.target.unit
                    let labels = [("metric", row.target.id), ("unit", unit.prometheusName)]
                    return (labels, unit.inPrometheus(number))
                }
            }
        }
        lines.gauge(
            "target_actual", "The value measured for a target.",
            values { $0.status == .few ? nil : $0.measurement?.actual })
        lines.gauge("target_goal", "The goal of a target.", values(\.target.goal))
        lines.gauge("target_limit", "The hard limit of a target.", values(\.target.limit))
        func counts(_ count: (Report.Row) -> UInt64) -> [PrometheusLines.Sample] {
            rows.map { ([("metric", $0.target.id)], Double(count($0))) }
        }
        lines.gauge(
            "target_samples", "How many samples the measured value has.",
            counts { $0.measurement?.sampleCount ?? 0 })
        lines.gauge(
            "target_samples_needed", "How many samples the target's statistic needs.",
            counts(\.target.samplesNeeded))
        lines.gauge(
            "target_failed", "Whether a target fails the run.",
            counts { report.policy.fails([$0.status]) ? 1 : 0 })
        lines.gauge(
            "target_status", "The status word of a target; always 1.",
            report.rows.map { row in
                ([("metric", row.target.id), ("status", row.status.rawValue)], 1)
            })
    }

    /// The report's counts: numbers by group and name, such as `phone to watch` and `lost`.
    private mutating func addTallies() {
        var samples: [PrometheusLines.Sample] = []
        func add(_ object: JSONObject, _ path: [String]) {
            for member in object.members {
                let place = path + [member.name]
                if let inner = member.value.object {
                    add(inner, place)
                } else if let number = member.value.number {
                    let group = place.dropLast().joined(separator: "/")
                    samples.append(([("group", group), ("name", member.name)], number))
                }
            }
        }
        add(report.counts, [])
        lines.gauge("run_tally", "Exact counts of the run, by group and name.", samples)
    }
}

extension Target.Unit {
    /// The base unit's name, as Prometheus' conventions have it.
    fileprivate var prometheusName: String {
        switch self {
        case .nanoseconds: "seconds"
        case .bytes, .megabytes: "bytes"
        case .percent: "ratio"
        case .perSecond: "per_second"
        case .count: "count"
        }
    }

    /// `value` in that unit.
    fileprivate func inPrometheus(_ value: Double) -> Double {
        switch self {
        case .nanoseconds: value / 1e9
        case .percent: value / 100
        case .bytes, .megabytes, .perSecond, .count: value
        }
    }
}
