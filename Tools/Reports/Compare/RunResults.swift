package import CommandLine
import ControlProtocol

/// The content of a run's `results.json`, as far as two runs are compared by it.
package struct RunResults: Sendable {
    /// The latencies of one kind of record.
    package struct Series: Sendable {
        /// The measured value.
        package var name: String
        /// How many.
        package var count: UInt64
        /// The filled slots of the histogram, ascending: the largest value each stands for, in
        /// nanoseconds, and how many were counted.
        package var slots: [(nanoseconds: UInt64, count: UInt64)]
        /// The figures of each round, or of each of several runs; nil where the file has no rounds.
        package var rounds: [LatencySeries.Round]?
        /// Whether ``rounds`` are whole runs.
        var isOfRuns = false

        /// The value that `rank` values do not exceed, from 1, in nanoseconds.
        func value(atRank rank: UInt64) -> UInt64? {
            var seen: UInt64 = 0
            for slot in slots {
                seen += slot.count
                if seen >= rank { return slot.nanoseconds }
            }
            return slots.last?.nanoseconds
        }
    }

    /// A target and how it was met.
    package struct Row: Hashable, Sendable {
        /// Its stable name.
        package var id: String
        /// The report's name of it.
        package var title: String
        /// The outcome.
        package var status: Status
        /// The unit of its numbers.
        package var unit: Target.Unit
        /// When a number is good.
        package var sense: Target.Sense
        /// Which number stands for many samples: `p99`, `total`.
        package var statistic: String
        /// The series that the number is of; nil where it is of none, or nobody said.
        package var series: String?
        /// The goal, in units; nil for none.
        package var goal: Double?
        /// The hard limit, in units; nil for none.
        package var limit: Double?
        /// The measured value, in units; nil where nothing was.
        package var actual: Double?

        /// Whether a number was held against a goal.
        var isEvaluated: Bool { [.pass, .warn, .fail].contains(status) }
    }

    /// The file it was read from, or the directory of several runs.
    package var file: String
    /// How many runs it is of.
    var runCount = 1
    /// When they began, in nanoseconds since 1970; of those that tell it.
    var starts: [UInt64] = []
    /// The circumstances that must agree for two runs to be alike: verb, link, load, seed,
    /// placement, processors, network conditions, where the journals are, and how and of what the
    /// programs were built.
    package var circumstances: [(name: String, value: String)]
    /// Whether the run came to its end.
    package var isComplete: Bool
    /// All latencies.
    package var series: [Series]
    /// All targets that were measured.
    package var rows: [Row]

    /// The verb that measured it; nil where the file does not say.
    package var verb: String? {
        let found = circumstances.first { $0.name == "verb" }?.value
        return found == "unknown" ? nil : found
    }

    /// Reads the results at `path`: a file, a directory that holds `results.json`, or one of such
    /// directories, several runs of one build.
    ///
    /// - Throws: exit code 66 where there is none, 65 where it is something else, or where the runs
    ///   are of several verbs or links.
    package init(path: String) throws(RigFailure) {
        let hint =
            "Try: a directory that a run wrote with --out, its results.json, or a directory of "
            + "several such directories."
        var runs: [RunResults] = []
        for file in try Self.files(at: path, hint: hint) {
            runs.append(try RunResults(file: file, hint: hint))
        }
        try Self.checkAlike(runs, of: path)
        self.init(runs, of: path)
    }

    private init(file: String, hint: String) throws(RigFailure) {
        let shown = Excerpt.line(file)
        if let kind = Files.kindUnlessRegular(file) {
            throw RigFailure(
                .missingInput, "Cannot read results: '\(shown)' is \(kind), not a file.",
                details: [hint])
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(file)
        } catch {
            throw RigFailure(
                .missingInput, "Cannot read results: \(Excerpt.line("\(error)")).", details: [hint])
        }
        let json: JSONValue
        do throws(JSONErrors) {
            json = try JSONParser.parse(bytes).value
        } catch {
            let faults = error.errors.prefix(3).map { fault in
                "\(shown):\(fault.position): error: expected \(fault.expected), found "
                    + "\(fault.found)"
            }
            throw RigFailure(
                .badInput, "'\(shown)' is not JSON.", details: faults + [hint])
        }
        guard json["schema"]?.string == Report.schema else {
            let found = json["schema"].map { Excerpt.of(JSONWriter.text($0)) } ?? "nothing"
            throw RigFailure(
                .badInput,
                "'\(shown)' holds no results: its schema is \(found), expected "
                    + "\"\(Report.schema)\".", details: [hint])
        }
        self.file = file
        let reader = ResultsReader(file: shown, hint: hint)
        try reader.checkCircumstances(json)
        circumstances = Self.circumstances(json)
        isComplete = try reader.complete(json)
        series = try reader.latencies(json)
        rows = try reader.metrics(json)
        starts = [json["started_unix_ns"]?.unsigned].compactMap(\.self)
    }

    private static func circumstances(_ json: JSONValue) -> [(name: String, value: String)] {
        let load = json["load"]?.array?.compactMap(\.string).joined(separator: ", ")
        let values: [(String, String?)] = [
            ("verb", json["verb"]?.string), ("link", json["link"]?.string), ("load", load),
            ("seed", json["seed"].map { JSONWriter.text($0) }),
            ("placement", json["host"]?["placement"]?.string),
            ("processors", json["host"]?["cpus"].map { JSONWriter.text($0) }),
            ("sealed", json["host"]?["sealed"].map { JSONWriter.text($0) }),
            ("conditions", json["host"]?["conditions"].map { JSONWriter.text($0) }),
            ("journals", json["host"]?["journals"]?.string),
            ("build", json["host"]?["build"]?.string),
            ("commit", json["host"]?["commit"]?.string),
            ("compiler", json["host"]?["swift"]?.string),
            ("processor", json["host"]?["cpu_model"]?.string),
            ("kernel", json["host"]?["kernel"]?.string),
            ("version", json["rig"]?.string),
        ]
        return values.map { ($0, $1 ?? "unknown") }
    }
}
