import CommandLine
import ControlProtocol
import Glibc
import NetworkEmulation
import Reports
import WatchProtoCore

/// The settings of a demo, checked before anything is started.
struct DemoOptions {
    var importPath: String
    var isOwnImport: Bool
    var conditions: NetworkConditions
    var rate: Rate
    var duration: Duration
    var seed: UInt64
    var placement: DemoCommand.Placement
    var phonePath: String
    var watchPath: String
    var timeout: Duration
    /// Medications in the measured store.
    var storeCount: Int
    /// The alerts that were asked for; nil for none.
    var alerts: Alerts?
    /// The link is to be unsealed.
    var isUnsealed: Bool
    /// Whether packets are listed, for the page.
    var keepsPackets: Bool
    var repeatCommand: String

    /// - Throws: exit code 66 for a missing file or missing simulators.
    init(_ command: DemoCommand, _ invocation: Invocation) throws(RigFailure) {
        conditions = try command.network.conditions(invocation)
        if let changes = command.network.changes(invocation) {
            conditions.name += " with \(changes)"
        }
        try conditions.checkOpen()
        let isSlow = conditions.hasEffect
        rate = invocation[command.rate] ?? Rate(perSecond: isSlow ? 20 : 300)
        duration = invocation[command.duration] ?? .seconds(isSlow ? 60 : 4)
        seed = invocation[command.seed] ?? 42
        placement = invocation[command.placement] ?? .apart
        timeout = invocation[command.timeout] ?? .seconds(isSlow ? 30 : 10)
        storeCount = invocation[command.store] ?? StoreCommand.fullCount
        alerts = try AlertOption.alerts(invocation, measuring: DemoRun.load.map(\.series))
        isUnsealed = invocation[command.unsealed]
        keepsPackets = command.output.writer(invocation).drawsPage
        isOwnImport = invocation.isGiven(command.importFile)
        let directory = invocation[command.simulators] ?? Self.ownDirectory
        phonePath = "\(directory)/PhoneSim"
        watchPath = "\(directory)/WatchSim"
        try RealRun.checkSimulators(in: directory)
        importPath = try Self.list(invocation[command.importFile])
        repeatCommand = command.repeatCommand(invocation)
    }

    /// As the report's title calls the link.
    var linkName: String {
        let bytes = ConditionedLink.datagramBytes(on: conditions)
        return conditions.hasEffect
            ? "\(conditions.name), udp \(bytes) B" : "loopback, unix stream"
    }

    /// How many lines of trace a simulator must keep: the lines of the load, and room for the rest.
    var traceLimit: Int {
        let perKind = rate.perSecond * (Double(duration.nanosecondsClamped) / 1e9 + 1)
        return 20_000 + Int(perKind * 6)
    }

    /// The file to import; without one that was given, the list that comes with the package.
    ///
    /// - Throws: exit code 66 where it is not there.
    static func list(_ given: String?) throws(RigFailure) -> String {
        guard let given else { return try givenBuiltInList() }
        guard !Files.isDirectory(given) else {
            throw RigFailure(
                .missingInput, "'\(given)' is a directory, not a file to import.",
                details: ["Try: name one file in it; rig imports one file at a time."])
        }
        guard Files.exists(given) else {
            throw RigFailure(
                .missingInput, "There is no file '\(given)' to import.",
                details: ["Try: check the path; without --import the built-in list is used."])
        }
        return given
    }

    /// The list that comes with the package.
    static let builtInName = "Fixtures/medications/list.json"

    /// The directory of this program.
    static var ownDirectory: String {
        let path = Files.ownExecutable ?? CommandLine.arguments.first ?? "."
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return parts.isEmpty ? "." : parts.joined(separator: "/")
    }

    /// The path of the built-in list.
    ///
    /// - Throws: exit code 66 where it is not above this program.
    static func givenBuiltInList() throws(RigFailure) -> String {
        if let found = builtInList(near: ownDirectory) { return found }
        throw RigFailure(
            .missingInput,
            "The built-in medication list is not where it should be: \(builtInName) above "
                + "\(ownDirectory).",
            details: ["Try: run inside the package; rig demo takes a list with --import."])
    }

    static func builtInList(near start: String) -> String? {
        var directory = start
        for _ in 0..<8 {
            let path = "\(directory)/\(builtInName)"
            if Files.exists(path) { return path }
            directory += "/.."
        }
        return nil
    }
}
