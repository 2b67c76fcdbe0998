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
    let rounds = CommandOption<Int>(
        "rounds", value: "n", default: 2_000, in: 100...1_000_000,
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
    let quiet = CommandFlag("quiet", help: "Print no progress.")

    /// Records of one path before the other has its turn: what the machine does in a moment falls
    /// on both.
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
            "Ends with exit code 2 when the median is over \(DurableLoad.latencyLimit) times the loop's, "
                + "or the flood under \(DurableLoad.throughputLimit) times; a debug build is not judged.",
        ]
        verb.add(rounds)
        verb.add(records)
        verb.add(directory)
        verb.add(logPagesAhead)
        verb.add(unsealed)
        verb.add(quiet)
        verb.add(Progress.option)
        verb.examples = [
            CommandExample("rig lab durable", "on the disk of this directory, about a minute"),
            CommandExample(
                "rig lab durable --directory /dev/shm --rounds 200", "without a disk, quickly"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let rounds = invocation[rounds] ?? 2_000
        let records = invocation[records] ?? 200_000
        let place = invocation[directory] ?? "."
        let ahead = invocation[logPagesAhead] ?? DurableLoad.logPagesAhead
        guard Files.isDirectory(place) else {
            throw RigFailure(
                .cannotWrite, "There is no directory '\(place)' for the files.",
                details: ["Try: make it first, or give another --directory."])
        }
        let progress = Progress("durable", invocation, isQuiet: invocation[quiet])
        do {
            defer { progress.finish() }
            guard !invocation[unsealed] else {
                let setting = DurablePath<NullSecurity>.Setting.unsealed(
                    in: place, logPagesAhead: ahead)
                return try measure(rounds, records, setting, progress)
            }
            let setting = try DurablePath<NoiseSecurity>.Setting.paired(
                in: place, logPagesAhead: ahead)
            return try measure(rounds, records, setting, progress)
        } catch let failure as RigFailure {
            throw failure
        } catch let failure as PairingFailure {
            throw RigFailure(.software, "Cannot pair the two: \(failure).")
        } catch {
            throw RigFailure(.cannotWrite, "\(error)", details: ["Try: another --directory."])
        }
    }

    private func measure<Security: PeerSecurity>(
        _ rounds: Int, _ records: Int, _ setting: DurablePath<Security>.Setting,
        _ progress: Progress
    ) throws -> ExitCode {
        let place = setting.directory
        let path = try DurablePath(setting)
        defer { path.close() }
        var floor = LatencyHistogram()
        var roomy = LatencyHistogram()
        var ours = LatencyHistogram()
        let turns = max(1, rounds / Self.turn)
        for turn in 0...turns {
            progress.count(UInt64(turn), of: UInt64(turns), "turns one by one")
            var options = DurableLoad.floor(rounds: Self.turn, in: place)
            let bare = try DurableFloor.run(options)
            options.hasRoom = true
            let overwriting = try DurableFloor.run(options)
            let whole = try path.latencies(Self.turn, every: DurableLoad.intervalNanoseconds)
            // The first turn warms both up.
            guard turn > 0 else { continue }
            for sample in bare { floor.record(sample) }
            for sample in overwriting { roomy.record(sample) }
            for sample in whole { ours.record(sample) }
        }
        progress.step("floods, in turns")
        var options = DurableLoad.floor(rounds: Self.turn, in: place)
        options.floodRecords = records / Self.floodTurns
        let before = path.commits
        var floods: [Flood] = []
        for turn in 0..<Self.floodTurns {
            progress.pace("floods, turn \(turn + 1) of \(Self.floodTurns)")
            let bare = try DurableFloor.flood(options)
            floods.append(Flood(bare: bare, whole: try path.flood(options.floodRecords)))
        }
        try ExploreCommand.print(DurablePath<Security>.linkNote + "\n")
        let outcome = try report(floor, roomy, ours, floods)
        let commits = zip(path.commits, before).map { $0 - $1 }
        let groups = options.floodRecords / options.floodGroup * Self.floodTurns
        try ExploreCommand.print(
            "       commits: \(commits[0]) on the phone, \(commits[1]) on the watch, "
                + "\(groups) on each side of the bare loop\n")
        return outcome
    }

    /// Records a second of one turn.
    private struct Flood {
        var bare: Double
        var whole: Double
        var share: Double { whole / max(1, bare) }
    }

    private func report(
        _ floor: LatencyHistogram, _ roomy: LatencyHistogram, _ ours: LatencyHistogram,
        _ floods: [Flood]
    ) throws(RigFailure) -> ExitCode {
        var text = "                            p50        p90        p99        max\n"
        for (name, histogram) in [
            ("bare loop", floor), ("bare, length given", roomy), ("durable record", ours),
        ] {
            text += Self.column(name, 20)
            for value in [
                histogram[.p50], histogram[.p90], histogram[.p99], histogram.maximumNanoseconds,
            ] {
                text += Self.microseconds(value)
            }
            text += "   (n=\(histogram.count))\n"
        }
        let ratio = Double(ours[.p50] ?? 0) / Double(max(1, floor[.p50] ?? 0))
        let overwriting = Double(ours[.p50] ?? 0) / Double(max(1, roomy[.p50] ?? 0))
        let median = { (rates: [Double]) in RoundComparison.median(of: rates) ?? 0 }
        let share = median(floods.map(\.share))
        let shares = floods.map { Decimals.fixed($0.share, decimals: 2) }.joined(separator: " ")
        text +=
            "latency p50: \(Decimals.fixed(ratio, decimals: 2)) x the bare loop "
            + "(at most \(DurableLoad.latencyLimit)); "
            + "\(Decimals.fixed(overwriting, decimals: 2)) x one whose files do not grow\n"
        text +=
            "flood: \(Decimals.fixed(median(floods.map(\.whole)), decimals: 0)) records/s, "
            + "\(Decimals.fixed(share, decimals: 2)) x the bare loop's "
            + "\(Decimals.fixed(median(floods.map(\.bare)), decimals: 0)) "
            + "(at least \(DurableLoad.throughputLimit); medians of \(floods.count) turns: \(shares))\n"
        try ExploreCommand.print(text)
        #if DEBUG
            try ExploreCommand.print("a debug build: these figures mean nothing\n")
            return .done
        #else
            return ratio <= DurableLoad.latencyLimit && share >= DurableLoad.throughputLimit
                ? .done : .targetMissed
        #endif
    }

    private static func microseconds(_ nanoseconds: UInt64?) -> String {
        let text = nanoseconds.map { Decimals.fixed(Double($0) / 1000, decimals: 1) + " us" } ?? "-"
        return String(repeating: " ", count: max(1, 11 - text.count)) + text
    }

    private static func column(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
