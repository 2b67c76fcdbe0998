import Bench
import CommandLine
import ControlProtocol
import Simulation
import WatchProtoCore
import WatchProtoSecurity

/// `rig lab baseline`: how near the sealed peer comes to physics, link by link.
struct BaselineCommand {
    let profile = CommandOption<String>(
        "profile", value: "names", completion: .words(Self.linkProfiles.map(\.name)),
        help: "Only these link profiles, commas between; without it, all that carry anything.")
    let cell = CommandOption<String>(
        "cell", value: "names", completion: .words(BaselineCell.allCases.map(\.rawValue)),
        help: "Only these cells, commas between.")
    let trials = CommandOption<Int>(
        "trials", value: "n", default: 10_000, in: 1...1_000_000,
        help: "Trials of each cell on each link; of a transfer one in 500, but 20.")
    let seed = SharedOptions.seed(default: 1)
    let reading = CommandOption<Readings>(
        "reading", value: "which", default: .rtt,
        help: "Whether a profile's latency is the round trip or that of each direction: rtt, "
            + "one-way or both.")
    let datagram = CommandOption<Int>(
        "datagram", value: "bytes", in: 244...65_536,
        help: "The largest datagram; without it 1200, and 244 over Bluetooth Low Energy.")
    let commit = CommandOption<Duration>(
        "commit", value: "time", default: .zero, in: .zero...(.seconds(60)),
        help: "How long each journal takes over a batch.")
    let commits = CommandFlag(
        "commits",
        help: "Count the commits that come between a reconnection and what comes first after it, "
            + "with journals that take 5 and 20 ms over a batch.")
    let jobs = CommandOption<Int>(
        "jobs", value: "n", in: 1...256,
        help: "Pairs of peers at once; without it, one per processor.")

    enum Readings: String, ArgumentChoice {
        case rtt
        case oneWay = "one-way"
        case both

        var all: [LinkProfile.Reading] {
            switch self {
            case .rtt: [.roundTrip]
            case .oneWay: [.oneWay]
            case .both: [.roundTrip, .oneWay]
            }
        }
    }

    var verb: Verb {
        var verb = Verb(
            "baseline",
            overview: "Measures in virtual time how near the peer comes to physics on every link.")
        verb.discussion = [
            "Two paired peers with sealed sessions exchange over two link models; every trial is "
                + "set beside the same bytes on an ideal line: one datagram that is never lost, or "
                + "packets whose loss the sender knows of at once. The cost is bytes of both sides "
                + "over those of the ideal.",
            "Cells: \(BaselineCell.allCases.map(\.rawValue).joined(separator: ", ")). "
                + "Deterministic: the same seed gives the same figures.",
            "Ends with exit code 2 when a goal is missed; one with too few trials (TOO FEW: p50 "
                + "needs "
                + "20, p90 100, p95 200, p99 1000) or with nothing to be set beside (NODATA: a "
                + "cold "
                + "start without the warm one) is missed, and so is one whose ideal never ends.",
            "--commits runs each trial also on journals that take no time, and divides the "
                + "difference by the time of a commit. After a reconnection the first face and the "
                + "first record take none, the first committed one, and after a cut at most two. "
                + "A process that starts takes one, and none if the link is there later than that.",
            "complication-bulk reports updates and goodput from one run. bulk-64k allows datagrams "
                + "of up to 64 KiB; how large its packets were stands behind its name.",
        ]
        verb.add(profile)
        verb.add(cell)
        verb.add(trials)
        verb.add(seed)
        verb.add(reading)
        verb.add(datagram)
        verb.add(commit)
        verb.add(commits)
        verb.add(jobs)
        RunFiles.add(to: &verb)
        verb.add(SharedOptions.json)
        verb.add(SharedOptions.quiet)
        Progress.add(to: &verb)
        verb.examples = [
            CommandExample("rig lab baseline --profile 3g --trials 1000", "one link, quickly"),
            CommandExample("rig lab baseline --cell change,bulk", "two cells, every link"),
            CommandExample("rig lab baseline --commits --trials 1000", "what slow journals cost"),
            CommandExample("rig lab baseline --profile edge --json", "for programs"),
        ]
        return verb
    }

    func run(_ invocation: Invocation) throws(RigFailure) -> ExitCode {
        let profiles = try chosenProfiles(invocation)
        let cells = try chosenCells(invocation)
        let files = try RunFiles("baseline", invocation)
        let trials = invocation[trials] ?? 10_000
        let workers = invocation[jobs] ?? Files.processorCount
        let bench = try Self.makeBench()
        let (progress, console) = (try Progress("baseline", invocation), Console(invocation))
        var reports: [BaselineReport] = []
        let readings = (invocation[reading] ?? .rtt).all
        // The hard cases have a link of their own, of which there is one reading.
        let links = profiles.flatMap { profile in
            (profile == BaselineCell.hardProfile ? [.roundTrip] : readings).map { (profile, $0) }
        }
        for (profile, reading) in links {
            var instant: [BaselineCell: BaselineSamples] = [:]
            for commit in commitTimes(invocation) {
                let settings = settings(profile, reading, commit, invocation)
                var report = BaselineReport(settings)
                for cell in cells where cell.runs(on: profile) {
                    let count = cell.trials(of: trials)
                    let name = "\(profile.name), \(cell.rawValue)"
                    let samples = try Blocking.wait {
                        await bench.run(cell, settings, trials: count, jobs: workers) { done in
                            progress.pace("\(name), \(done)/\(count)")
                        }
                    }
                    var row = BaselineRow(cell, settings, samples)
                    if invocation[commits] {
                        instant[cell] = instant[cell] ?? samples
                        row.evaluate(byInstantCommits: instant[cell] ?? samples)
                    }
                    report.add(row)
                }
                progress.finish()
                // Journals that take no time are there for comparison.
                if invocation[commits], commit == .zero { continue }
                try console.show(report.text(console.columns))
                reports.append(report)
            }
        }
        let json: JSONValue = [
            "schema": "rig.baseline/1", "rows": .array(reports.flatMap(\.json)),
        ]
        try console.give(json)
        try files.write(reports.map { $0.text() }.joined(), json)
        return reports.contains { $0.isMissed } ? .targetMissed : .done
    }

    static func makeBench() throws(RigFailure) -> BaselineBench {
        let devices: SimulatedPair
        do throws(PairingFailure) {
            devices = try SimulatedPair(seed: 1)
        } catch {
            throw RigFailure(.software, "Cannot pair two simulated devices: \(error).")
        }
        return BaselineBench { role, life in devices.security(of: role, life: life) }
    }

    private func commitTimes(_ invocation: Invocation) -> [Duration] {
        invocation[commits]
            ? [.zero, .milliseconds(5), .milliseconds(20)] : [invocation[commit] ?? .zero]
    }

    private func settings(
        _ profile: LinkProfile, _ reading: LinkProfile.Reading, _ commit: Duration,
        _ invocation: Invocation
    ) -> BaselineSettings {
        var settings = BaselineSettings(profile)
        settings.reading = reading
        if let bytes = invocation[datagram] { settings.datagramBytes = bytes }
        settings.commitTime = commit
        settings.seed = invocation[seed] ?? 1
        return settings
    }

    private func chosenProfiles(_ invocation: Invocation) throws(RigFailure) -> [LinkProfile] {
        // A line with an interval adds its own waits to those for a commit.
        let all =
            invocation[commits]
            ? Self.linkProfiles.filter { $0.sendInterval == .zero }
            : Self.linkProfiles + [BaselineCell.hardProfile]
        guard let wanted = invocation[profile] else { return all }
        return try Self.profiles(named: wanted, among: all)
    }

    /// The profiles that carry anything.
    static var linkProfiles: [LinkProfile] {
        LinkProfile.all.filter { $0.rateBitsPerSecond != 0 }
    }

    /// The profiles of these names, commas between.
    ///
    /// - Throws: exit code 64 for a name that is none of them, or none at all.
    static func profiles(
        named wanted: String, among all: [LinkProfile]
    ) throws(RigFailure) -> [LinkProfile] {
        var chosen: [LinkProfile] = []
        for name in wanted.split(separator: ",", omittingEmptySubsequences: false) {
            guard let profile = all.first(where: { $0.name == name }) else {
                if LinkProfile.named(String(name))?.rateBitsPerSecond == 0 {
                    throw RigFailure(.usage, "The profile '\(name)' carries nothing to measure.")
                }
                throw unknown("profile", String(name), among: all.map(\.name))
            }
            chosen.append(profile)
        }
        return chosen
    }

    /// One cell in virtual time, on all processors.
    static func simulate(
        _ cell: BaselineCell, _ settings: BaselineSettings, trials: Int
    ) throws(RigFailure) -> BaselineSamples {
        let (bench, count) = (try makeBench(), cell.trials(of: trials))
        return try Blocking.wait {
            await bench.run(cell, settings, trials: count, jobs: Files.processorCount)
        }
    }

    private func chosenCells(_ invocation: Invocation) throws(RigFailure) -> [BaselineCell] {
        let isCounting = invocation[commits]
        let all = BaselineCell.allCases.filter {
            isCounting ? $0.commits != nil : !$0.isOnlyForCommits
        }
        guard let wanted = invocation[cell] else { return all }
        var chosen: [BaselineCell] = []
        for name in wanted.split(separator: ",").map(String.init) {
            guard let cell = BaselineCell(rawValue: name), !isCounting || cell.commits != nil else {
                let names = (isCounting ? all : BaselineCell.allCases).map(\.rawValue)
                throw Self.unknown("cell", name, among: names)
            }
            chosen.append(cell)
        }
        return chosen
    }

    private static func unknown(_ what: String, _ name: String, among names: [String]) -> RigFailure
    {
        let hint = Spelling.nearest(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return RigFailure(
            .usage, "There is no \(what) '\(name)'.\(hint)",
            details: ["There are: \(names.joined(separator: ", "))."])
    }
}
