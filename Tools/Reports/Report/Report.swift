package import CommandLine
package import ControlProtocol
package import WatchProtoCore

/// Everything a run has to say: the terminal report and every file are views of it.
package struct Report: Sendable {
    /// A target with what was measured for it.
    package struct Row: Sendable {
        /// The target.
        package var target: Target
        /// The measured value; nil when nothing was.
        package var measurement: Measurement?
        /// How the two compare.
        package var status: Status { target.status(of: measurement) }
        /// A remark where the target asks for durable records, and the run had none.
        package var caveat: String?
    }

    /// A word for the run's kind: the verb of the command line.
    package var verb: String
    /// The link, as the title has it: `loopback`.
    package var link: String
    /// The seed that every random choice of the run followed from; nil where there was none.
    package var seed: UInt64?
    /// When the run began; nil where nobody noted it.
    package var startedAt: WallTime?
    /// How long the run took on the clock on the wall, in nanoseconds.
    package var durationNanoseconds: UInt64 = 0
    /// How long what was simulated took on its own clock, in nanoseconds; nil where nothing was.
    package var virtualDurationNanoseconds: UInt64?
    /// The load, for the title: `300 msg/s (open loop)`.
    package var load: [String] = []
    /// The program's version.
    package var version: String
    /// All targets, measured or not.
    package var rows: [Row] = []
    /// Latencies by percentile.
    package var latencies: [LatencySeries] = []
    /// Every record, for pictures; nil where the verb has none.
    package var detail: RunDetail?
    /// The courses of scenarios, for pictures.
    package var courses: [RunCourse] = []
    /// Since when a latency counts, as the end of a sentence.
    package var latencyOrigin = "the intended send time"
    /// Sentences below the tables.
    package var notes: [String] = []
    /// Those of the notes that a short report has as well.
    package var cautions: [String] = []
    /// The ids of the rows of a short report on the terminal; nil for a whole one. Missed rows are
    /// always shown, and files are always whole.
    package var headline: Set<String>?
    /// Exact counts, for files.
    package var counts = JSONObject()
    /// Facts about the machine, for files.
    package var host = JSONObject()
    /// Whether nobody else could read the link; nil where the run says nothing of it.
    package var isSealed: Bool? { host["sealed"]?.bool }
    /// Whether the run came to its end.
    package var isComplete = true
    /// How a run ends that did not come to its end.
    package var earlyCode = ExitCode.interrupted
    /// Which statuses fail the run.
    package var policy = GatePolicy()
    /// How a complete run ends in which a gate was not met.
    package var missedCode = ExitCode.targetMissed
    /// The command that repeats the run.
    package var repeatCommand = ""
    /// Files that were written, by name.
    package var outputs: [String] = []

    /// Makes a report without rows.
    package init(verb: String, link: String, seed: UInt64?, version: String) {
        self.verb = verb
        self.link = link
        self.seed = seed
        self.version = version
    }

    /// Appends a row for every target of `targets`, in order, taking what `measured` holds by id.
    ///
    /// - Parameters:
    ///   - targets: the targets to evaluate.
    ///   - measured: what was measured, by the ids of the targets; of two with one id the last
    ///     counts.
    ///   - notDurable: whether records of this run were not durable: rows whose target asks for
    ///     that
    ///     then say so.
    package mutating func addRows(
        for targets: [Target], measured: [(id: String, measurement: Measurement)], notDurable: Bool
    ) {
        for target in targets {
            let measurement = measured.last { $0.id == target.id }?.measurement
            let caveat =
                target.asksForDurable && notDurable && target.isBuilt
                ? "not durable yet" : nil
            rows.append(Row(target: target, measurement: measurement, caveat: caveat))
        }
    }

    /// Appends a row for `target`.
    package mutating func addRow(for target: Target, _ measurement: Measurement?) {
        rows.append(Row(target: target, measurement: measurement))
    }

    /// How a run with these rows ends: by its gates, or by what ended it early.
    package var exitCode: ExitCode {
        guard isComplete else { return earlyCode }
        return policy.fails(rows.map(\.status)) ? missedCode : .done
    }

    /// Whether every gate was met by a complete run.
    package var hasPassed: Bool { exitCode == .done }
}
