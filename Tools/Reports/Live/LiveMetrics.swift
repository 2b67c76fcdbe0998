package import CommandLine
import Locks

/// The figures of a run that goes on, for programs that ask meanwhile.
package final class LiveMetrics: Sendable {
    private struct State {
        var step = "starting"
        var counted: (done: UInt64, total: UInt64, unit: String, failing: Int?)?
        var load: LoadProgress?
    }

    private let verb: String
    private let start = MonotonicClock.nowNanoseconds
    private let state = Mutex(State())

    /// Makes the figures of a run of `verb`.
    package init(verb: String) { self.verb = verb }

    /// Notes what the run is doing.
    package func step(_ text: String) {
        state.withLock { state in
            state.step = text
            state.counted = nil
        }
    }

    /// Notes how far a count has come.
    package func count(_ done: UInt64, of total: UInt64, _ unit: String, failing: Int?) {
        state.withLock { $0.counted = (done, total, unit, failing) }
    }

    /// Notes how far a load has come.
    package func load(_ progress: LoadProgress) { state.withLock { $0.load = progress } }

    /// All of it in Prometheus' text format, with the figures of `processes`.
    package func text(_ processes: [ProcessFigures]) -> String {
        let state = state.withLock(\.self)
        var lines = PrometheusLines(labels: [("verb", verb)])
        lines.gauge("live_step", "The step of the run; always 1.", [([("step", state.step)], 1)])
        let elapsed = Double(MonotonicClock.nowNanoseconds - start) / 1e9
        lines.gauge("live_elapsed_seconds", "How long the run has taken.", [([], elapsed)])
        if let (done, total, unit, failing) = state.counted {
            let labels = [("unit", unit)]
            lines.gauge("live_done", "How many are done.", [(labels, Double(done))])
            lines.gauge("live_total", "How many there are.", [(labels, Double(total))])
            if let failing {
                lines.gauge("live_failing", "How many fail.", [(labels, Double(failing))])
            }
        }
        if let load = state.load { Self.add(load, to: &lines) }
        Self.add(processes, to: &lines)
        return lines.text
    }

    private static func add(_ load: LoadProgress, to lines: inout PrometheusLines) {
        let labels = [
            ("link", load.link), ("round", "\(load.round.number)"),
            ("build", load.isOtherBuild ? "other" : "this"),
        ]
        func one(_ number: UInt64) -> [PrometheusLines.Sample] { [(labels, Double(number))] }
        lines.counter("live_sent_total", "Records that were sent.", one(load.sent))
        lines.counter(
            "live_acknowledged_total", "Records whose outcome the sender knows.",
            one(load.acknowledged))
        lines.gauge("live_in_flight", "Records under way, both ways.", one(load.inFlight))
        lines.histograms(
            "live_latency_seconds", "From when a record was due until its sender knew its outcome.",
            [(labels, load.latencies)])
    }

    private static func add(_ processes: [ProcessFigures], to lines: inout PrometheusLines) {
        func samples(_ value: (ProcessFigures) -> Double) -> [PrometheusLines.Sample] {
            processes.map { one in
                ([("process", one.name), ("pid", "\(one.pid)")], value(one))
            }
        }
        lines.gauge(
            "process_resident_bytes", "Resident set of a process.",
            samples { Double($0.residentBytes) })
        lines.gauge(
            "process_peak_bytes", "Largest resident set of a process.",
            samples { Double($0.peakBytes) })
        lines.counter(
            "process_cpu_seconds_total", "Processor time of a process.",
            samples(\.processorSeconds))
        lines.counter(
            "process_wakeups_total", "How often a thread of a process was woken after waiting.",
            samples { Double($0.wakeUps) })
    }
}
