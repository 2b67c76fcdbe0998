import Bench
import CommandLine
import ControlProtocol
import Glibc
import Reports
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// `rig lab durable`: what it costs that a record survives, beside a bare loop of the same calls.
struct DurableCommand {
    let samples = CommandOption<Int>(
        "samples", value: "n", default: 2_000, in: 100...1_000_000,
        help: "Records measured one by one, on each path.")
    let records = CommandOption<Int>(
        "records", value: "n", default: 200_000, in: 10_240...10_000_000,
        help: "Records of the floods, on each path, in five turns.")
    let directory = CommandOption<String>(
        "directory", value: "path", default: ".",
        help: "Where the files go: the disk that the figures are about.")
    let logPagesAhead = CommandOption<Int>(
        "log-pages-ahead", value: "n", default: DurableLoad.logPagesAhead, in: 0...65_536,
        help: "Pages of room that the journals keep behind their logs; 0 shows what it is worth.")
    let unsealed = CommandFlag(
        "unsealed",
        help: "For development: nothing on the link is encrypted or authenticated. The report says "
            + "so.")
    let output = OutputOptions()

    /// Records of one path before the other has its turn: other work of the machine at a moment
    /// falls on both.
    private static let turn = 50
    /// Turns of the floods.
    private static let floodTurns = 5

    var verb: Verb {
        var verb = Verb(
            "durable", overview: "Measures durable records beside a bare loop of the same calls.")
        verb.discussion = [
            "The bare loop writes a record to a file, sends it over a Unix socket and calls "
                + "fdatasync, while the other side reads it, writes it to its own file and calls "
                + "fdatasync. The product sends the same bytes as a durable record from a phone to "
                + "a watch, each with its journal file. Both take turns in one run, at 500 records "
                + "a second; latency counts from the intended send until both files hold the "
                + "record. Then each is flooded, in groups of 1,024 records: the loop writes, "
                + "sends and synchronizes a group at once, the product is given one at once.",
            "The loop's files grow, as an appended log does; the product's write-ahead log has its "
                + "length before it is needed, which spares it the file system's bookkeeping. So a "
                + "second loop is shown whose files have their length too. The record goes alone, "
                + "with no store's change. The product's link is sealed, with keys made in this "
                + "process; its files are not, and nothing of the loop is.",
            "Ends with exit code 2 when the median is over \(DurableLoad.latencyLimit) times "
                + "the loop's, "
                + "or the flood under \(DurableLoad.throughputLimit) times; a debug build is "
                + "not evaluated.",
        ]
        verb.formerOptions = ["rounds": "--samples"]
        verb.add(samples)
        verb.add(records)
        verb.add(directory)
        verb.add(logPagesAhead)
        verb.add(unsealed)
        output.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab durable", "on the disk of this directory, about a minute"),
            CommandExample(
                "rig lab durable --directory /dev/shm --samples 200", "without a disk, quickly"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let samples = invocation[samples] ?? 2_000
        let records = invocation[records] ?? 200_000
        let place = invocation[directory] ?? "."
        let ahead = invocation[logPagesAhead] ?? DurableLoad.logPagesAhead
        guard Files.isDirectory(place) else {
            throw RigFailure(
                .cannotWrite, "There is no directory '\(place)' for the files.",
                details: ["Try: make it first, or give another --directory."])
        }
        let writer = output.writer(invocation)
        try writer.prepare()
        let progress = try Progress("durable", invocation)
        var report = Report(
            verb: "lab durable", link: "unix socket", seed: nil, version: Program.version)
        report.startedAt = CalendarClock.now
        let begin = MonotonicClock.nowNanoseconds
        do {
            defer { progress.finish() }
            let setting =
                try invocation[unsealed]
                ? DurablePath.Setting.unsealed(in: place, logPagesAhead: ahead)
                : DurablePath.Setting.paired(in: place, logPagesAhead: ahead)
            try measure(samples, records, setting, progress, into: &report)
        } catch let failure as RigFailure {
            throw failure
        } catch let failure as PairingFailure {
            throw RigFailure(.software, "Cannot pair the two: \(failure).")
        } catch {
            throw RigFailure(.cannotWrite, "\(error)", details: ["Try: another --directory."])
        }
        report.durationNanoseconds = MonotonicClock.nowNanoseconds - begin
        report.latencyOrigin = "the moment a record was due until both files held it"
        report.notes += Program.buildNotes()
        report.host = Program.host()
        return output.write(&report, invocation, with: writer)
    }

    private func measure(
        _ samples: Int, _ records: Int, _ setting: DurablePath.Setting,
        _ progress: Progress, into report: inout Report
    ) throws {
        let place = setting.directory
        let path = try DurablePath(setting)
        defer { path.close() }
        var series = ["bare loop", "bare loop, length given", "durable record"].map {
            LatencySeries($0)
        }
        let begin = MonotonicClock.nowNanoseconds
        let turns = max(1, samples / Self.turn)
        for turn in 0...turns {
            try Interrupts.check()
            progress.count(UInt64(turn), of: UInt64(turns), "turns one by one")
            var options = DurableLoad.baseline(rounds: Self.turn, in: place)
            let bare = try DurableBaseline.run(options)
            options.hasRoom = true
            let overwriting = try DurableBaseline.run(options)
            let whole = try path.latencies(Self.turn, every: DurableLoad.intervalNanoseconds)
            // The first turn warms both up.
            guard turn > 0 else { continue }
            let now = MonotonicClock.nowNanoseconds - begin
            for (index, found) in [bare, overwriting, whole].enumerated() {
                for sample in found {
                    series[index].record(sample, message: "turn \(turn)", atNanoseconds: now)
                }
            }
        }
        progress.step("floods, in turns")
        var options = DurableLoad.baseline(rounds: Self.turn, in: place)
        options.floodRecords = records / Self.floodTurns
        let before = path.commits
        var floods: [Flood] = []
        for turn in 0..<Self.floodTurns {
            try Interrupts.check()
            progress.pace("floods, turn \(turn + 1) of \(Self.floodTurns)")
            let bare = try DurableBaseline.flood(options)
            floods.append(Flood(bare: bare, whole: try path.flood(options.floodRecords)))
        }
        addRows(series, floods, to: &report)
        report.latencies = series
        let commits = zip(path.commits, before).map { $0 - $1 }
        let groups = options.floodRecords / options.floodGroup * Self.floodTurns
        report.load = ["\(samples) records one by one", "\(records) in floods"]
        report.notes += [
            path.linkNote,
            "commits of the floods: \(commits[0]) on the phone, \(commits[1]) on the watch, "
                + "\(groups) on each side of the bare loop",
        ]
        if Files.isInMemory(place) {
            report.notes.append(
                "the directory is IN MEMORY: nothing waits for a disk there; name one on a disk "
                    + "with --directory")
        }
    }

    /// Records a second of one turn.
    private struct Flood {
        var bare: Double
        var whole: Double
        var share: Double { whole / max(1, bare) }
    }

    private func addRows(_ series: [LatencySeries], _ floods: [Flood], to report: inout Report) {
        let medians = series.map { Double($0.histogram[.p50] ?? 0) }
        func ratio(to index: Int) -> Measurement {
            Measurement(
                medians[2] / max(1, medians[index]), sampleCount: series[2].histogram.count)
        }
        #if DEBUG
            let (latency, throughput): (Double?, Double?) = (nil, nil)
        #else
            let (latency, throughput): (Double?, Double?) = (
                DurableLoad.latencyLimit, DurableLoad.throughputLimit
            )
        #endif
        report.addRow(
            for: .expectation(
                "durable.ratio", "durable record / bare loop, p50", .count, .atMost, goal: latency),
            ratio(to: 0))
        report.addRow(
            for: .expectation(
                "durable.ratio.room", "durable record / bare loop with length given, p50", .count,
                .atMost, goal: nil), ratio(to: 1))
        let rate = RoundComparison.median(of: floods.map(\.whole)) ?? 0
        report.addRow(
            for: .expectation(
                "durable.flood", "flood, share of the bare loop's rate", .count, .atLeast,
                goal: throughput),
            Measurement(
                RoundComparison.median(of: floods.map(\.share)),
                sampleCount: UInt64(floods.count),
                remark: "median of \(floods.count) turns, "
                    + "\(Decimals.fixed(rate, decimals: 0)) records/s"))
    }
}
