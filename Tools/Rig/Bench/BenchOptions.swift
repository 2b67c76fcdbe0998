import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation
import Reports
import Simulation
import WatchProtoCore

/// The settings of a bench, checked before anything is started.
struct BenchOptions {
    var conditions: NetworkConditions
    /// The kinds of records to send, each with its rate.
    var load: [(kind: LoadKind, rate: Rate)]
    var arrivals: BenchCommand.Arrivals
    var duration: Duration
    var warmUp: Duration
    var rounds: Int
    var seed: UInt64
    var placement: DemoCommand.Placement
    var datagramBytes: Int
    /// The targets to evaluate; nil for the product's targets.
    var thresholds: Thresholds?
    /// The alerts that were asked for; nil for none.
    var alerts: Alerts?
    /// The directories of the simulators; the second, if any, is the other build.
    var directories: [String]
    var listPath: String
    var timeout: Duration
    var isUnsealed: Bool
    /// Whether packets are listed, for the page.
    var keepsPackets: Bool
    var repeatCommand: String

    /// The most records of a run: its traces are held in memory, 1 kB each.
    static let mostRecords = 1_000_000.0

    /// - Throws: exit code 64 for what cannot be run, 65 and 66 for files.
    init(_ command: BenchCommand, _ invocation: Invocation) throws(RigFailure) {
        conditions = try command.conditions.conditions(invocation)
        if let changes = command.conditions.changes(invocation) {
            conditions.name += " with \(changes)"
        }
        let usual = Rate(
            perSecond: DefaultLoad.ratePerSecond(isConditioned: conditions.hasEffect))
        let common = invocation[command.rate] ?? usual
        let mix = invocation[command.mix] ?? .standard
        load = mix.parts.map { ($0.kind, $0.rate ?? common) }
        arrivals = invocation[command.arrivals] ?? .constant
        warmUp = invocation[command.warmUp] ?? .seconds(1)
        let other = invocation[command.against]
        rounds =
            invocation[command.rounds]
            ?? (other == nil ? 1 : Int(RoundComparison.roundsNeeded))
        duration =
            invocation[command.duration]
            ?? DefaultLoad.duration(
                leastPerSecond: load.map(\.rate.perSecond).min() ?? 0, rounds: rounds)
        seed = invocation[command.seed] ?? 42
        placement = invocation[command.placement] ?? .apart
        timeout = invocation[command.timeout] ?? .seconds(30)
        isUnsealed = invocation[command.unsealed]
        keepsPackets = command.output.writer(invocation).drawsPage
        datagramBytes =
            invocation[command.datagram] ?? ConditionedLink.datagramBytes(on: conditions)
        directories = [invocation[command.simulators] ?? DemoOptions.ownDirectory]
        if let other { directories.append(other) }
        listPath = try DemoOptions.givenBuiltInList()
        repeatCommand = invocation.commandLine(
            of: "rig", without: command.output.namesWithoutEffect)
        if let file = invocation[command.targets] {
            thresholds = try Thresholds.read(file: file, measuring: load.map(\.kind.series))
        }
        alerts = try AlertOption.alerts(invocation, measuring: load.map(\.kind.series))
        let (passes, fails) = (command.fewPasses, command.output.fewFails)
        if invocation[passes], thresholds == nil || invocation[fails] {
            throw RigFailure(
                .usage, "--few-passes goes with --targets, and not with --few-fails.",
                details: [
                    "Try: leave it out; without --targets TOO FEW fails with --few-fails alone."
                ])
        }
        try check(invocation.isGiven(command.datagram))
        try conditions.checkOpen()
        try RealRun.checkSimulators(in: directories[0])
        if let other {
            try RealRun.checkSimulators(in: other, advice: Self.advice(forOtherBuild: other))
        }
    }

    /// Whether the link model stands between the two.
    var isConditioned: Bool { conditions.hasEffect }

    /// As the report's title calls the link.
    var linkName: String {
        isConditioned ? "\(conditions.name), udp \(datagramBytes) B" : "loopback, unix stream"
    }

    /// How many records a round has, the warm-up's among them.
    var recordsOfRound: Double {
        let seconds = Double((duration + warmUp).nanosecondsClamped) / 1e9
        return load.map(\.rate.perSecond).reduce(0, +) * seconds
    }

    /// The advice about a directory without simulators: the name of a checkout stands for its
    /// build.
    private static func advice(forOtherBuild directory: String) -> String {
        guard Files.exists("\(directory)/Package.swift") else {
            return "name the directory of the other build's PhoneSim and WatchSim, such as "
                + "'.build/release' of its checkout."
        }
        let places = ["release", "debug"].map { "\(directory)/.build/\($0)" }
        guard let place = places.first(where: { Files.isExecutable("\($0)/PhoneSim") }) else {
            return "build that checkout ('swift build' in it), then --against \(places[1])."
        }
        return "--against \(place), where that checkout was built."
    }

    private func check(_ isDatagramGiven: Bool) throws(RigFailure) {
        func refuse(_ text: String) -> RigFailure { RigFailure(.usage, text) }
        guard warmUp >= .zero, warmUp <= .seconds(3600) else {
            throw refuse("--warm-up \(warmUp.meaning) must be at most 1 h.")
        }
        guard isConditioned || !isDatagramGiven else {
            throw refuse(
                "--datagram needs a link with datagrams: give --profile or --set; without them the "
                    + "two speak over a Unix stream.")
        }
        let count = recordsOfRound * Double(rounds * directories.count)
        guard count <= Self.mostRecords else {
            throw RigFailure(
                .usage,
                "The load is about \(Decimals.fixed(count, decimals: 0)) records; at most "
                    + "\(Decimals.fixed(Self.mostRecords, decimals: 0)) can be measured at once.",
                details: ["Try: a lower --rate, a shorter --duration or fewer --rounds."])
        }
    }
}
