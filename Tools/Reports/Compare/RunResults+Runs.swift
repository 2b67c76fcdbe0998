import CommandLine
import ControlProtocol

/// Several runs of one build, each of which counts as a round.
extension RunResults {
    /// The files that `path` names: itself, the `results.json` in it, or those in the directories
    /// in it, by name.
    ///
    /// - Throws: exit code 66 where there is none.
    static func files(at path: String, hint: String) throws(RigFailure) -> [String] {
        let shown = Excerpt.line(path)
        guard Files.isDirectory(path) else {
            if Files.exists(path) { return [path] }
            throw RigFailure(.missingInput, "There is no file '\(shown)'.", details: [hint])
        }
        if Files.exists("\(path)/results.json") { return ["\(path)/results.json"] }
        let files = Files.names(in: path).sorted().map { "\(path)/\($0)/results.json" }
            .filter(Files.exists)
        guard files.isEmpty else { return files }
        throw RigFailure(
            .missingInput, "There is no results.json in '\(shown)'.", details: [hint])
    }

    /// The directories in the directory `path` of several runs that hold no results: a run that did
    /// not get as far as to write any, say.
    package static func notCounted(at path: String) -> [String] {
        guard Files.isDirectory(path), !Files.exists("\(path)/results.json") else { return [] }
        return Files.names(in: path).sorted().map { "\(path)/\($0)" }
            .filter { Files.isDirectory($0) && !Files.exists("\($0)/results.json") }
    }

    /// Checks that all of `runs` measured the same: others are no rounds of one run.
    static func checkAlike(_ runs: [RunResults], of path: String) throws(RigFailure) {
        for name in ["verb", "link"] {
            func value(_ run: RunResults) -> String? {
                run.circumstances.first { $0.name == name }?.value
            }
            guard let first = runs.first,
                let other = runs.first(where: { value($0) != value(first) })
            else { continue }
            let places = [first, other].map {
                "\(Excerpt.line($0.file)): \(name) \(Excerpt.line(value($0) ?? "unknown"))"
            }
            throw RigFailure(
                .badInput, "The runs in '\(Excerpt.line(path))' differ in their \(name).",
                details: places + ["Try: a directory for the runs of each \(name)."])
        }
    }

    /// Lays `runs`, never none, together: of targets the worst counts.
    init(_ runs: [RunResults], of path: String) {
        self = runs[0]
        guard runs.count > 1 else { return }
        file = "\(path) (\(Counted.words(runs.count, "run")))"
        starts = runs.flatMap(\.starts)
        runCount = runs.count
        isComplete = runs.allSatisfy(\.isComplete)
        for place in circumstances.indices {
            var values: [String] = []
            for run in runs where !values.contains(run.circumstances[place].value) {
                values.append(run.circumstances[place].value)
            }
            circumstances[place].value = values.joined(separator: " or ")
        }
        series = Self.names(runs.flatMap(\.series)).map { name in
            Series(runs.compactMap { run in run.series.first { $0.name == name } })
        }
        rows = Self.worst(runs.map(\.rows))
    }

    private static func names(_ series: [Series]) -> [String] {
        var names: [String] = []
        for one in series where !names.contains(one.name) { names.append(one.name) }
        return names
    }

    private static func worst(_ runs: [[Row]]) -> [Row] {
        let order: [Status] = [.notBuilt, .known, .pass, .warn, .few, .noData, .fail]
        var rows = runs[0]
        for other in runs.dropFirst() {
            for row in other {
                guard let place = rows.firstIndex(where: { $0.id == row.id }) else {
                    rows.append(row)
                    continue
                }
                let places = [rows[place], row].map { order.firstIndex(of: $0.status) ?? 0 }
                if places[1] > places[0] { rows[place] = row }
            }
        }
        return rows
    }
}

extension RunResults.Series {
    /// The same series of several runs, never none.
    init(_ runs: [RunResults.Series]) {
        self = runs[0]
        isOfRuns = true
        rounds = runs.map(\.whole)
        count = runs.map(\.count).reduce(0, +)
        var counts: [UInt64: UInt64] = [:]
        for slot in runs.flatMap(\.slots) { counts[slot.nanoseconds, default: 0] += slot.count }
        slots = counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
