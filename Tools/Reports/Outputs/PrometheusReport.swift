import CommandLine
import ControlProtocol
import WatchProtoCore

/// A run in Prometheus' text format, version 0.0.4: `metrics.prom`.
///
/// Base units throughout: seconds, bytes, ratios. Every sample has the labels `verb` and `link`, so
/// that files of several runs can be collected together.
struct PrometheusReport {
    /// The upper edges of buckets in nanoseconds: 1, 2 and 5 in every decade from 1 µs to 100 s.
    static let edges: [UInt64] = {
        var edges: [UInt64] = []
        var decade: UInt64 = 1000
        while decade < 100_000_000_000 {
            edges += [decade, 2 * decade, 5 * decade]
            decade *= 10
        }
        return edges + [decade]
    }()

    private let report: Report
    private let labels: [(name: String, value: String)]
    private var text = ""

    /// The whole file.
    static func text(_ report: Report) -> String {
        var file = PrometheusReport(report)
        if !report.isComplete { file.text += "# INCOMPLETE: the run ended early.\n" }
        file.addRun()
        file.addTargets()
        file.addTallies()
        for (key, series) in zip(report.seriesKeys, report.latencies) {
            file.addHistogram(key, series)
        }
        return file.text
    }

    private init(_ report: Report) {
        self.report = report
        labels = [("verb", report.verb), ("link", report.link)]
    }

    // MARK: Families

    private mutating func addRun() {
        gauge("run_complete", "Whether the run came to its end.", [([], report.isComplete ? 1 : 0)])
        gauge(
            "run_passed", "Whether the run was complete and every gate was met.",
            [([], report.hasPassed ? 1 : 0)])
        gauge(
            "run_exit_code", "How the run ended.",
            [([], Double(report.exitCode.rawValue))])
        gauge(
            "run_length_seconds", "How long the run took.",
            [([], Double(report.durationNanoseconds) / 1e9)])
        if let start = report.startedAt {
            gauge(
                "run_start_time_seconds", "When the run began, since 1970-01-01T00:00Z.",
                [([], Double(start.milliseconds) / 1000)])
        }
        // An empty label is as good as none.
        let facts = [
            ("version", report.version), ("seed", report.seed.map { "\($0)" } ?? ""),
            ("sealed", report.isSealed.map { "\($0)" } ?? ""), ("repeat", report.repeatCommand),
        ]
        gauge("run_info", "What was run; always 1.", [(facts, 1)])
    }

    private mutating func addTargets() {
        let rows = report.rows.filter { $0.status != .notBuilt }
        func values(_ value: (Report.Row) -> Double?) -> [Sample] {
            rows.compactMap { row in
                value(row).map { number in
                    let unit = row.target.unit
                    let labels = [("metric", row.target.id), ("unit", unit.prometheusName)]
                    return (labels, unit.inPrometheus(number))
                }
            }
        }
        gauge(
            "target_actual", "What was measured for a target.",
            values { $0.status == .few ? nil : $0.measurement?.actual })
        gauge("target_goal", "What a target asks for.", values(\.target.goal))
        gauge("target_limit", "The hard limit of a target.", values(\.target.limit))
        func counts(_ count: (Report.Row) -> UInt64) -> [Sample] {
            rows.map { ([("metric", $0.target.id)], Double(count($0))) }
        }
        gauge(
            "target_samples", "How many samples stand behind what was measured.",
            counts { $0.measurement?.sampleCount ?? 0 })
        gauge(
            "target_samples_needed", "How many samples the target's statistic needs.",
            counts(\.target.samplesNeeded))
        gauge(
            "target_failed", "Whether a target fails the run.",
            counts { report.policy.fails([$0.status]) ? 1 : 0 })
        gauge(
            "target_status", "The status word of a target; always 1.",
            report.rows.map { row in
                ([("metric", row.target.id), ("status", row.status.rawValue)], 1)
            })
    }

    /// The report's counts: numbers by group and name, such as `phone to watch` and `lost`.
    private mutating func addTallies() {
        var samples: [Sample] = []
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
        gauge("run_tally", "Exact counts of the run, by group and name.", samples)
    }

    /// A slot of the histogram counts where its upper edge does: no bucket claims a value to be
    /// shorter than it was, and one within a thousandth above an edge may count in the next bucket.
    private mutating func addHistogram(_ key: String, _ series: LatencySeries) {
        let name = "watchproto_\(key)_duration_seconds"
        head(name, "histogram", "Latency of '\(series.name)'.")
        let histogram = series.histogram
        let most = histogram.maximumNanoseconds ?? 0
        var slots = histogram.filledSlots[...]
        var count: UInt64 = 0
        for edge in Self.edges {
            while let slot = slots.first, min(slot.nanoseconds.upperBound, most) <= edge {
                count += slot.count
                slots = slots.dropFirst()
            }
            let seconds = OutputNumbers.seconds(ofNanoseconds: edge)
            sample("\(name)_bucket", [("le", seconds)], "\(count)")
        }
        sample("\(name)_bucket", [("le", "+Inf")], "\(histogram.count)")
        let sum = OutputNumbers.seconds(ofNanoseconds: histogram.sumNanoseconds)
        sample("\(name)_sum", [], sum)
        sample("\(name)_count", [], "\(histogram.count)")
    }

    // MARK: Lines

    private typealias Sample = (labels: [(String, String)], value: Double)

    private mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
        let samples = samples.filter(\.value.isFinite)
        guard !samples.isEmpty else { return }
        head("watchproto_\(name)", "gauge", help)
        for (labels, value) in samples {
            let number = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
            sample("watchproto_\(name)", labels, number)
        }
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    private mutating func sample(_ name: String, _ own: [(String, String)], _ value: String) {
        let pairs = (labels + own).map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }
        text += "\(name){\(pairs.joined(separator: ","))} \(value)\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        let lines = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return quotes ? lines.replacing("\"", with: "\\\"") : lines
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
