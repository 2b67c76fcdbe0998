public import ControlKit
public import WatchProto

/// Everything a run has to say: the terminal report and every file are views of it.
public struct Report: Sendable {
    /// A target with what was measured for it.
    public struct Row: Sendable {
        /// What should be.
        public var target: Target
        /// What was measured; nil when nothing was.
        public var measurement: Measurement?
        /// How the two compare.
        public var status: Status { target.status(of: measurement) }
        /// What the measurement was taken to where the target asks for more.
        public var caveat: String?
    }

    /// A word for the run's kind: the verb of the command line.
    public var verb: String
    /// The link, as the title has it: `loopback`.
    public var link: String
    /// The seed that every random choice of the run followed from; nil where there was none.
    public var seed: UInt64?
    /// When the run began; nil where nobody noted it.
    public var startedAt: WallTime?
    /// How long the run took on the clock on the wall, in nanoseconds.
    public var durationNanoseconds: UInt64 = 0
    /// How long what was simulated took on its own clock, in nanoseconds; nil where nothing was.
    public var virtualDurationNanoseconds: UInt64?
    /// What was sent, for the title: `300 msg/s (open loop)`.
    public var load: [String] = []
    /// The program's version.
    public var version: String
    /// All targets, measured or not.
    public var rows: [Row] = []
    /// Latencies by percentile.
    public var latencies: [LatencySeries] = []
    /// Every record, for pictures; nil where the verb has none.
    public var detail: RunDetail?
    /// Since when a latency counts, as the end of a sentence.
    public var latencyOrigin = "the intended send time"
    /// Sentences below the tables.
    public var notes: [String] = []
    /// Exact counts, for files.
    public var counts = JSONObject()
    /// Facts about the machine, for files.
    public var host = JSONObject()
    /// Whether nobody else could read the link; nil where the run says nothing of it.
    public var isSealed: Bool? { host["sealed"]?.bool }
    /// Whether the run came to its end.
    public var isComplete = true
    /// How a run ends that did not come to its end.
    public var earlyCode = ExitCode.interrupted
    /// Which statuses fail the run.
    public var policy = GatePolicy()
    /// How a complete run ends in which a gate was not met.
    public var missedCode = ExitCode.targetMissed
    /// The command that repeats the run.
    public var repeatCommand = ""
    /// Files that were written, by name.
    public var outputs: [String] = []

    /// Makes a report without rows.
    public init(verb: String, link: String, seed: UInt64?, version: String) {
        self.verb = verb
        self.link = link
        self.seed = seed
        self.version = version
    }

    /// Appends a row for every target of `targets`, in order, taking what `measured` holds by id.
    ///
    /// - Parameters:
    ///   - targets: the targets to judge.
    ///   - measured: what was measured, by the ids of the targets; of two with one id the last
    ///     counts.
    ///   - notDurable: whether records of this run were not durable: rows whose target asks for
    ///     that
    ///     then say so.
    public mutating func addRows(
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
    public mutating func addRow(for target: Target, _ measurement: Measurement?) {
        rows.append(Row(target: target, measurement: measurement))
    }

    /// How a run with these rows ends: by its gates, or by what ended it early.
    public var exitCode: ExitCode {
        guard isComplete else { return earlyCode }
        return policy.fails(rows.map(\.status)) ? missedCode : .done
    }

    /// Whether every gate was met by a complete run.
    public var hasPassed: Bool { exitCode == .done }
}
