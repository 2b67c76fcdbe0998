import CommandLine
import ReferenceDevice
import Reports
import WatchProtoCore

/// `rig lab store`: the store's rows of the report, alone.
struct StoreCommand {
    let count = CommandOption<Int>(
        "medications", value: "n", default: StoreCommand.fullCount, in: StoreCommand.counts,
        help: "Medications in the measured store, each with ten dose events.")
    let output = OutputOptions()

    /// The number of medications that the targets mean.
    static let fullCount = 10_000
    /// Fewer tell nothing, and more are no list of a person.
    static let counts = 1_000...100_000

    var verb: Verb {
        var verb = Verb("store", overview: "Measures the queries and migrations of a store.")
        verb.discussion = [
            "Fills a sealed file in a temporary directory with medications and ten dose events of "
                + "each, then measures queries, a batch of changes, and migrations on it."
        ]
        verb.add(count)
        output.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab store", "10,000 medications and 100,000 doses"),
            CommandExample(
                "rig lab store --medications 1000 --json --quiet", "fewer, for programs"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let writer = output.writer(invocation)
        try writer.prepare()
        let count = invocation[self.count] ?? Self.fullCount
        guard let path = DemoOptions.builtInList(near: DemoOptions.ownDirectory) else {
            throw RigFailure(
                .missingInput, "The built-in medication list is not where it should be.",
                details: ["Try: run inside the package."])
        }
        let list = try DemoList(path: path, name: DemoOptions.builtInName)
        let progress = try Progress("store", invocation)
        let begin = MonotonicClock.nowNanoseconds
        let startedAt = CalendarClock.now
        let bench = try Self.measure(list.medications, count, progress)
        progress.finish()
        var report = Report(verb: "lab store", link: "no link", seed: nil, version: Program.version)
        report.startedAt = startedAt
        report.durationNanoseconds = MonotonicClock.nowNanoseconds - begin
        let rows = TargetTable.all.filter { row in
            ["store.", "migrate.", "timeline", "face.render"].contains { row.id.hasPrefix($0) }
        }
        report.addRows(for: rows, measured: bench.measured, notDurable: false)
        report.latencies = bench.series
        report.latencyOrigin = "the start of each operation"
        report.notes = bench.notes + Self.remark(count)
        report.host = Program.host()
        return output.write(&report, invocation, with: writer)
    }

    /// The note of a report on a store that is smaller than the full size.
    static func remark(_ count: Int) -> [String] {
        count >= fullCount
            ? []
            : [
                "store rows are of a SMALLER STORE than their targets mean: \(count) medications "
                    + "instead of \(fullCount)"
            ]
    }

    /// Fills and measures a store in a temporary directory, which is removed.
    ///
    /// - Throws: exit code 73.
    static func measure(
        _ list: [Medication], _ count: Int, _ progress: Progress
    ) throws(RigFailure) -> StoreBench {
        let directory = try TemporaryPlace.make("rig-store")
        defer { Files.removeDirectory(directory) }
        return try measure(list, count, progress, in: directory)
    }

    /// The same in a directory that is there.
    static func measure(
        _ list: [Medication], _ count: Int, _ progress: Progress, in directory: String
    ) throws(RigFailure) -> StoreBench {
        do {
            let bench = try StoreBench(list, count: count, path: "\(directory)/store.journal")
            try bench.run(progress)
            return bench
        } catch let failure as RigFailure {
            throw failure
        } catch {
            throw RigFailure(.cannotWrite, "The store could not be measured: \(error)")
        }
    }
}
