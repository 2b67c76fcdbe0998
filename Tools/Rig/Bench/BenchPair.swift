import Bench
import CommandLine
import ControlProtocol
import NetworkEmulation
import Reports
import Simulation
import WatchProtoCore

/// Two simulators of one build, paired, with a list of medications and the link between them.
final class BenchPair {
    let phone: SimulatorProcess
    let watch: SimulatorProcess
    private let conditioner: LinkConditioner?
    private let supervisor: Supervisor
    private let progress: Progress
    let timeout: Duration
    private let directory: String
    /// The traces as ``keepTraces()`` read them last.
    var kept = PairTraces()
    /// When the last ``drain(_:)`` asked last; nanoseconds of CLOCK_MONOTONIC.
    private(set) var quiet = UInt64.max
    /// Latencies of the load that is being sent, as far as the senders know them.
    private var latencies = LatencyHistogram()
    /// The simulators that send a load and have not reported its end.
    private var senders: [SimulatorProcess] = []
    /// How many records of its loads were refused.
    private(set) var refusedCount: UInt64 = 0

    /// Starts the simulators in `directory`, whose journals are in `files`.
    ///
    /// - Parameter place: sets the pair apart from others of this run.
    /// - Throws: exit code 69 where the link cannot be had, 70 where a simulator does not start.
    init(
        _ options: BenchOptions, in directory: String, files: String, place: UInt16,
        _ supervisor: Supervisor, _ progress: Progress
    ) throws(RigFailure) {
        self.supervisor = supervisor
        self.progress = progress
        self.directory = directory
        timeout = options.timeout
        var links = (near: "unix:\(files)/link", far: "unix:\(files)/link")
        if options.isConditioned {
            // Blackouts count from the load, not from the pairing before it.
            var calm = options.conditions
            (calm.up.blackout, calm.down.blackout) = (nil, nil)
            let link = try ConditionedLink(
                calm, datagramBytes: options.datagramBytes, pair: place, seed: options.seed)
            conditioner = link.conditioner
            links = ("\(link.phone)", "\(link.watch)")
        } else {
            conditioner = nil
        }
        func simulator(_ name: String, _ link: String, cpu: Int?) throws(RigFailure)
            -> SimulatorProcess
        {
            var arguments = [
                "--link", link, "--control", "stdio", "--seed", "\(options.seed)",
                "--journal", "\(files)/\(name).journal", "--trace-limit",
                "\(Int(options.recordsOfRound) * options.rounds + 10_000)",
            ]
            if let cpu { arguments += ["--cpu", "\(cpu)"] }
            if options.isUnsealed { arguments.append("--unsealed") }
            return try SimulatorProcess(
                name, executable: "\(directory)/\(name)", arguments: arguments,
                supervisor: supervisor)
        }
        let cpus = options.placement.cpus
        watch = try simulator("WatchSim", links.far, cpu: cpus?.watch)
        phone = try simulator("PhoneSim", links.near, cpu: cpus?.phone)
    }

    var both: [SimulatorProcess] { [phone, watch] }

    /// Whether both say that nobody else can read their link.
    var isSealed: Bool { both.allSatisfy { $0.ready?["sealed"]?.bool == true } }

    /// The counters of the link model; nil without one.
    var counters: ConditionerCounters? { conditioner?.counters }

    /// Waits for both, pairs them, and brings the list to the watch.
    func prepare(list: String) throws(RigFailure) {
        for simulator in both { try simulator.awaitReady(timeout: timeout) }
        let start = MonotonicClock.nowNanoseconds
        try SimulatorProcess.pair(watch, phone, timeout: timeout) { self.tell(start, "pairing") }
        try waitUntil("reach the other") { $0["reachable"] == true }
        try phone.call("import", ["path": .string(list)], timeout: timeout)
        try phone.call("sync", timeout: timeout)
        try drain("The sync of the list")
    }

    /// Sends one round of load and waits until it was sent.
    ///
    /// - Parameter look: called now and then with what both sides still have under way.
    /// - Returns: what the simulators refused, in words.
    func send(
        _ options: BenchOptions, seed: UInt64, _ look: (UInt64) -> Void
    ) throws(RigFailure) -> [String] {
        let length = options.warmUp + options.duration
        latencies = LatencyHistogram()
        // Each look asks both sides, which takes measured time: one look a second at most.
        let pace = Pace(.seconds(1))
        senders = []
        for (simulator, side) in [(phone, LoadKind.Side.phone), (watch, .watch)] {
            let own = options.load.filter { $0.kind.side == side }
            guard !own.isEmpty else { continue }
            senders.append(simulator)
            let mix = own.map { part -> JSONValue in
                [
                    "kind": .string(part.kind.recordKind),
                    "rate_per_s": .number(part.rate.perSecond),
                ]
            }
            try simulator.call(
                "load.start",
                [
                    "mix": .array(mix), "seed": .whole(side == .phone ? seed : ~seed),
                    "duration_ms": .whole(length.nanosecondsClamped / 1_000_000),
                    "warmup_ms": .whole(options.warmUp.nanosecondsClamped / 1_000_000),
                    "arrivals": .string(options.arrivals.rawValue),
                ], timeout: timeout)
        }
        let limit = MonotonicClock.nowNanoseconds + UInt64((length + timeout).nanosecondsClamped)
        try supervisor.rest(options.warmUp)
        conditioner?.set(options.conditions, restartsBlackouts: [.up, .down])
        for simulator in senders {
            while !simulator.hasEvent("load.done"), MonotonicClock.nowNanoseconds < limit {
                try supervisor.rest(.milliseconds(200))
                if pace.isDue() { look(MonotonicClock.nowNanoseconds) }
            }
        }
        return try takeRefusals(within: .zero)
    }

    /// Counts what the senders of the load refused of it, and sets them free for the next.
    ///
    /// - Parameter patience: how long each may take to say so.
    /// - Returns: what they refused, in words.
    private func takeRefusals(within patience: Duration) throws(RigFailure) -> [String] {
        var refusals: [String] = []
        while let simulator = senders.first {
            let done = try simulator.event("load.done", timeout: patience)
            senders.removeFirst()
            for member in done["refused"]?.object?.members ?? [] {
                let count = member.value.unsigned ?? 0
                refusedCount += count
                refusals.append(
                    "\(simulator.name) refused \(count) of its load: \(member.name); they have no "
                        + "latency and count as not delivered")
            }
        }
        return refusals
    }

    /// Asks both sides to send no more.
    ///
    /// - Returns: what they had refused by then, in words.
    func stopLoad() -> [String] {
        for simulator in both {
            _ = try? simulator.request("load.stop", timeout: .milliseconds(500))
        }
        return (try? takeRefusals(within: .seconds(2))) ?? []
    }

    /// Asks both sides how far their load has come; of a build that does not know the question, and
    /// of a side that is silent, nothing is counted.
    func count(_ load: inout LoadProgress) {
        for simulator in both {
            guard
                let reply = try? simulator.request("load.progress", timeout: .milliseconds(500)),
                reply["ok"] == true
            else { continue }
            load.sent += reply["sent"]?.unsigned ?? 0
            load.acknowledged += reply["settled"]?.unsigned ?? 0
            for latency in reply["latencies_ns"]?.array ?? [] {
                latency.unsigned.map { latencies.record($0) }
            }
        }
        load.inFlight = (try? outstanding()) ?? 0
        load.latencies = latencies
    }

    /// How many records are under way, both ways.
    func outstanding() throws(RigFailure) -> UInt64 {
        var count: UInt64 = 0
        for simulator in both {
            count += try simulator.outstanding(timeout: timeout)
        }
        return count
    }

    /// Waits until neither side has anything under way.
    ///
    /// - Throws: exit code 75 when that takes too long.
    func drain(_ what: String) throws(RigFailure) {
        let start = MonotonicClock.nowNanoseconds
        let limit = MonotonicClock.nowNanoseconds + UInt64(timeout.nanosecondsClamped)
        while true {
            quiet = MonotonicClock.nowNanoseconds
            let count = try outstanding()
            guard count > 0 else { return }
            guard MonotonicClock.nowNanoseconds < limit else {
                throw RigFailure(
                    .timedOut, "\(what) was not over after \(timeout.meaning).",
                    details: [
                        "Records still under way: \(count).",
                        "Try: a lower --rate for this link, or a longer --timeout.",
                    ])
            }
            tell(start, "\(Counted.words(count, "record")) under way")
            try supervisor.rest(.milliseconds(10))
        }
    }

    /// Shows the subject of a long wait, its length so far, and its limit.
    private func tell(_ start: UInt64, _ what: String) {
        let seconds = (MonotonicClock.nowNanoseconds - start) / 1_000_000_000
        progress.pace("\(what), \(seconds) s of \(timeout.meaning)")
    }

    private func waitUntil(
        _ what: String, _ isOver: (JSONValue) -> Bool
    ) throws(RigFailure) {
        let start = MonotonicClock.nowNanoseconds
        let limit = MonotonicClock.nowNanoseconds + UInt64(timeout.nanosecondsClamped)
        for simulator in both {
            while !isOver(try simulator.call("status", timeout: timeout)) {
                guard MonotonicClock.nowNanoseconds < limit else {
                    throw RigFailure(
                        .unreachable,
                        "\(simulator.name) did not \(what) within \(timeout.meaning).")
                }
                tell(start, "waiting for \(simulator.name) to \(what)")
                try supervisor.rest(.milliseconds(5))
            }
        }
    }

    /// Ends both and the link.
    func end() {
        phone.quit()
        watch.quit()
        conditioner?.close()
    }
}
