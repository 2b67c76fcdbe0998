package import CommandLine
package import ControlProtocol
import WatchProtoCore

/// Two simulators that are to become a pair.
extension SimulatorProcess {
    /// How the programs of `simulators` say that they were built: `release`, `debug`, both where
    /// they differ, or `unknown` of one that does not say.
    package static func build(of simulators: [SimulatorProcess]) -> String {
        let builds = simulators.map { $0.ready?["build"]?.string ?? "unknown" }
        return Set(builds).sorted().joined(separator: " and ")
    }

    /// Whether it knows a device that it speaks with, or speaks unsealed with anybody.
    package var isPaired: Bool {
        ready?["sealed"]?.bool != true || ready?["paired"]?.bool == true
    }

    /// Starts a phone and a watch, each with a journal, and pairs them.
    ///
    /// - Parameters:
    ///   - programs: where PhoneSim and WatchSim are.
    ///   - link: the address at which they meet.
    ///   - directory: where their journals go, each under the name of its program.
    ///   - phone: further arguments of PhoneSim.
    ///   - watch: further arguments of WatchSim.
    ///   - supervisor: ends them with this process.
    ///   - timeout: how long each step may take.
    /// - Throws: exit code 69 where the two do not meet, 70 where one does not start.
    package static func startPair(
        _ programs: String, link: String, journalsIn directory: String, phone: [String] = [],
        watch: [String] = [], _ supervisor: Supervisor, timeout: Duration
    ) throws(RigFailure) -> (phone: SimulatorProcess, watch: SimulatorProcess) {
        func start(_ name: String, _ further: [String]) throws(RigFailure) -> SimulatorProcess {
            try SimulatorProcess(
                name, executable: "\(programs)/\(name)",
                arguments: [
                    "--link", link, "--control", "stdio", "--journal",
                    "\(directory)/\(name).journal",
                ] + further, supervisor: supervisor)
        }
        let watch = try start("WatchSim", watch)
        let phone = try start("PhoneSim", phone)
        for simulator in [watch, phone] { try simulator.awaitReady(timeout: timeout) }
        try pair(watch, phone, timeout: timeout)
        return (phone, watch)
    }

    /// Pairs two simulators through their control channels, where they are not a pair yet: one
    /// shows a code, the other is told it, and both confirm.
    ///
    /// - Parameters:
    ///   - displaying: shows the code.
    ///   - entering: is told it.
    ///   - timeout: how long it may take in all.
    ///   - look: called several times a second while it is not over.
    /// - Throws: exit code 69 when it fails or takes too long.
    package static func pair(
        _ displaying: SimulatorProcess, _ entering: SimulatorProcess, timeout: Duration,
        _ look: () -> Void = {}
    ) throws(RigFailure) {
        if displaying.isPaired, entering.isPaired { return }
        let shown = try displaying.call("pair.show", ["confirmed": true], timeout: timeout)
        guard let code = shown["code"] else {
            throw RigFailure(
                .software, "\(displaying.name) showed no code: \(JSONWriter.text(shown))")
        }
        try entering.call("pair.enter", ["code": code, "confirmed": true], timeout: timeout)
        for (simulator, other) in [(entering, displaying), (displaying, entering)] {
            try simulator.awaitPairing(with: other.name, timeout: timeout, look)
        }
    }

    /// The difference of versions that an event reports, and which of the two simulators to update;
    /// nil for every other event.
    ///
    /// - Parameters:
    ///   - event: a `pairing.advice`, a `link.closed` or a `notice` that this simulator told.
    ///   - other: the name of the one it speaks with.
    package func versionSkew(_ event: JSONValue, with other: String) -> String? {
        guard let version = event["version"]?.integer, let own = event["own_version"]?.integer,
            version != own
        else { return nil }
        let what = event["event"]?.string == "pairing.advice" ? "pairing" : "wire"
        return "\(other) speaks \(what) version \(version), \(name) version \(own): update "
            + (version > own ? name : other)
    }

    /// Waits for the end of a pairing with the simulator of the name `other`.
    ///
    /// - Throws: exit code 69 when it failed, does not end in time, or the two are of different
    ///   versions.
    @discardableResult
    package func awaitPairing(
        with other: String, timeout: Duration, _ look: () -> Void = {}
    ) throws(RigFailure) -> JSONValue {
        let deadline = deadline(timeout)
        while true {
            if let done = takeEvents("pairing.done").first { return done }
            for advice in takeEvents("pairing.advice") {
                guard let skew = versionSkew(advice, with: other) else { continue }
                throw RigFailure(.unreachable, "\(name) did not pair: \(skew).")
            }
            let end = takeEvents("pairing.ended").first ?? takeEvents("pairing.failed").first
            if let end {
                throw RigFailure(
                    .unreachable, "\(name) did not pair: \(JSONWriter.text(end))",
                    details: ["Try: 'rig pair --help' says how two simulators are paired."])
            }
            guard MonotonicClock.nowNanoseconds < deadline else {
                throw RigFailure(
                    .unreachable, "\(name) did not pair with \(other) within \(timeout.meaning).",
                    details: [
                        "\(name) is running (pid \(pid)); pairing takes several round trips of "
                            + "the link, and more where packets are lost.",
                        "Try: a link with less delay and loss, or a longer --timeout where the "
                            + "verb has it; 'rig doctor' checks the rest.",
                    ])
            }
            look()
            try supervisor.pump(
                until: min(deadline, MonotonicClock.nowNanoseconds + 200_000_000))
        }
    }
}
