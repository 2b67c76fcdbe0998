package import CommandLine
import ControlProtocol

/// The alerts of a run, from a file of JSON.
///
///     {
///       "format": "watchproto.alerts/1",
///       "alerts": {
///         "sync p95": {"above": "1s"},
///         "crash-free": {"below": "99.5%"},
///         "wake-ups": null
///       }
///     }
///
/// A measure that the file does not name has its default; null takes the alert out.
package struct Alerts: Hashable, Sendable {
    /// The required text of `format`.
    package static let format = "watchproto.alerts/1"

    /// The measures that are no latency of a load.
    package enum Measure: String, Hashable, Sendable, CaseIterable {
        /// The longest time from the start of a device's program to its first state.
        case launch
        /// The share of the devices' processes that did not crash.
        case crashFree = "crash-free"
        /// How often threads of the watch's program were woken, a second, under load.
        case wakeUps = "wake-ups"
    }

    /// One alert.
    package struct Rule: Hashable, Sendable {
        /// Its name in the file.
        package var name: String
        /// The series whose percentile it is about; nil for a ``Measure``.
        package var series: String?
        /// Its bound: the alert is raised where the goal is missed.
        package var target: Target
    }

    /// The defaults, as a file of alerts has them.
    static let defaults: [(name: String, bound: String)] = [
        ("sync p95", "1s"), ("message p95", "200ms"), ("complication p95", "100ms"),
        ("launch", "3s"), ("crash-free", "99.5%"), ("wake-ups", "3000/s"),
    ]

    /// In the order of the defaults, and then of the file.
    package private(set) var rules: [Rule]

    /// Reads the file of the name `file`.
    ///
    /// - Parameters:
    ///   - file: its path.
    ///   - series: the names of the measured latencies.
    /// - Throws: exit code 66 where it cannot be read, 65 for what is wrong in it.
    package static func read(
        file: String, measuring series: [String]
    ) throws(RigFailure) -> Alerts {
        let bytes = try Thresholds.bytes(
            of: file, noun: "alerts",
            hint: "see share/alerts.json, which holds the defaults.")
        do throws(Thresholds.Refusal) {
            return try Alerts(bytes, measuring: series)
        } catch {
            throw RigFailure(.badInput, text: error.description(file: file, source: bytes))
        }
    }

    /// Reads the bytes of a file.
    ///
    /// - Throws: all that is wrong with them.
    package init(_ bytes: [UInt8], measuring series: [String]) throws(Thresholds.Refusal) {
        var reader = AlertReader(series: series)
        try reader.read(bytes)
        rules = reader.rules
    }

    /// The facts that a run has of its devices.
    package struct Health: Hashable, Sendable {
        /// How long each launch took, in nanoseconds.
        package var launches: [UInt64] = []
        /// How many processes were started.
        package var started = 0
        /// How many of them crashed.
        package var crashed = 0
        /// Wake-ups a second; nil where nobody counted.
        package var wakeUpsPerSecond: Double?

        /// Makes the knowledge of nothing.
        package init() {}

        func measurement(of measure: Measure) -> Measurement? {
            switch measure {
            case .launch:
                return launches.max().map {
                    Measurement(Double($0), sampleCount: UInt64(launches.count))
                }
            case .crashFree:
                guard started > 0 else { return nil }
                let processes = "\(started) \(started == 1 ? "process" : "processes")"
                return Measurement(
                    100 * Double(started - crashed) / Double(started),
                    remark: "\(crashed) of \(processes) crashed")
            case .wakeUps: return wakeUpsPerSecond.map { Measurement($0) }
            }
        }
    }

    /// Appends a row for each alert to `report`, and a caution for each that is raised.
    package func addRows(to report: inout Report, _ health: Health) {
        for rule in rules {
            let measurement =
                if let series = rule.series {
                    report.latencies.first { $0.name == series }
                        .flatMap { rule.target.measurement(of: $0) }
                } else {
                    Measure(rawValue: rule.name).flatMap(health.measurement)
                }
            let row = Report.Row(target: rule.target, measurement: measurement)
            report.rows.append(row)
            guard row.status == .fail else { continue }
            let cells = Report.Cells(row)
            let text = "ALERT: \(rule.name) is \(cells.actual), asked for is \(cells.goal)"
            report.notes.append(text)
            report.cautions.append(text)
        }
    }
}
