import ControlKit
import PeerKit
import RigKit
import WatchProto

/// `rig bench --peers`: round trips of the product, of the floor and of what else is installed, in
/// turns of one run, on CPUs of their own and on one; and what each keeps of what it acknowledged.
final class PeersRun {
    private let turns: Int
    private let placements: [DemoCommand.Placement]
    private let progress: Progress
    private let repeatCommand: String

    private var contenders: [Contender] = []
    private var skipped: [String] = []
    private var tallies: [PeerTally] = []
    private var kills: [(name: String, outcome: KillOutcome)] = []
    private let start = MonotonicClock.nowNanoseconds
    private let startedAt = CalendarClock.now

    /// Round trips of one contender before the next has its turn, and those before, unmeasured.
    private static let roundsPerTurn = 400
    private static let warmUpRounds = 50
    /// Messages that a peer acknowledges before it is killed.
    private static let killCount = 200

    init(
        turns: Int, placements: [DemoCommand.Placement], progress: Progress, repeatCommand: String
    ) {
        self.turns = turns
        self.placements = placements
        self.progress = progress
        self.repeatCommand = repeatCommand
    }

    /// Whether there is anything to report.
    var hasFindings: Bool { !tallies.isEmpty }

    /// Runs all turns, and leaves no process and no file.
    ///
    /// - Returns: what ended the run early; nil when it came to its end.
    func perform() -> RigFailure? {
        defer {
            for contender in contenders { contender.end() }
            progress.finish()
        }
        gather()
        tallies = placements.flatMap { placement in
            contenders.map { PeerTally($0, placement) }
        }
        for turn in 0..<turns {
            progress.step("turn \(turn + 1) of \(turns)")
            for index in TurnOrder.places(inTurn: turn, of: tallies.count) {
                guard !Interrupts.isRequested else { return Interrupts.failure }
                tallies[index].take(
                    rounds: Self.roundsPerTurn, warmUp: Self.warmUpRounds, since: start)
            }
        }
        killAll()
        return Interrupts.isRequested ? Interrupts.failure : nil
    }

    /// What takes part: the floor and the product always, each peer where it is installed.
    private func gather() {
        progress.step("starting what is installed")
        contenders = [.product, .floor]
        join(ZeroMQPeer.package, "ZeroMQ") { () throws(PeerFailure) in try ZeroMQPeer() }
        for quality in MosquittoPeer.Quality.allCases {
            join(MosquittoPeer.package, "mosquitto QoS \(quality.rawValue)") {
                () throws(PeerFailure) in try MosquittoPeer(quality)
            }
        }
        join(NATSPeer.package, "NATS JetStream") { () throws(PeerFailure) in try NATSPeer() }
        for sync in RedisPeer.Sync.allCases {
            join(RedisPeer.package, "Redis Streams, appendfsync \(sync.rawValue)") {
                () throws(PeerFailure) in try RedisPeer(sync)
            }
        }
        joinGRPC()
    }

    private func joinGRPC() {
        let package = GRPCPeer.package
        guard Files.exists(package.file) else {
            skipped.append(Self.missing(package, Contender.grpc.name))
            return
        }
        contenders.append(.grpc)
    }

    private static func missing(_ package: PeerPackage, _ name: String) -> String {
        "\(name): skipped, \(package.file) is not there; apt-get install \(package.package)"
    }

    private func join(
        _ package: PeerPackage, _ name: String,
        _ make: () throws(PeerFailure) -> some EchoPeer
    ) {
        guard Files.exists(package.file) else {
            skipped.append(Self.missing(package, name))
            return
        }
        do throws(PeerFailure) {
            contenders.append(Contender(try make()))
        } catch {
            skipped.append("\(name): skipped, \(error)")
        }
    }

    private func killAll() {
        progress.step("ending brokers by SIGKILL")
        let count = Self.killCount
        if Files.exists(MosquittoPeer.package.file) {
            kill("mosquitto QoS 1, persistence, autosave at its default") {
                () throws(PeerFailure) in try MosquittoPeer.kill(count: count, isCareful: false)
            }
            kill("mosquitto QoS 1, autosave_on_changes, interval 1") {
                () throws(PeerFailure) in try MosquittoPeer.kill(count: count, isCareful: true)
            }
        }
        if Files.exists(NATSPeer.package.file) {
            kill("NATS JetStream, file") { () throws(PeerFailure) in
                try NATSPeer.kill(count: count)
            }
        }
        for sync in RedisPeer.Sync.allCases where Files.exists(RedisPeer.package.file) {
            kill("Redis Streams, appendfsync \(sync.rawValue)") { () throws(PeerFailure) in
                try RedisPeer.kill(count: count, sync)
            }
        }
    }

    private func kill(_ name: String, _ act: () throws(PeerFailure) -> KillOutcome) {
        guard !Interrupts.isRequested else { return }
        do throws(PeerFailure) {
            kills.append((name, try act()))
        } catch {
            skipped.append("\(name): not killed, \(error)")
        }
    }

    // MARK: The report

    /// What was found, as a report.
    func report() -> Report {
        var report = Report(
            verb: "bench", link: "peers", seed: nil, version: Program.version)
        report.durationNanoseconds = MonotonicClock.nowNanoseconds - start
        report.startedAt = startedAt
        report.load = [
            "round trips of \(Contender.payloadBytes) B (closed loop, \(turns) turns of "
                + "\(Self.roundsPerTurn))"
        ]
        for row in PeerTargets.rows { report.addRow(for: row.target, ratio(row)) }
        report.latencies = tallies.map(\.series)
        for (name, guarantee) in contenders.map({ ($0.name, $0.guarantee) }) {
            report.notes.append("\(name): \(guarantee)")
        }
        for (name, outcome) in kills {
            report.notes.append(
                "\(name): kept \(outcome.kept) of \(outcome.acknowledged) acknowledged messages "
                    + "when it was ended by SIGKILL")
            report.counts[name] = [
                "acknowledged": .whole(outcome.acknowledged), "kept": .whole(outcome.kept),
            ]
        }
        report.notes += tallies.compactMap(\.trouble) + skipped
        report.notes += [
            "each end is a thread with a CPU of its own, or both on one; a broker is a process that "
                + "the system places; ratios are medians of the turns' ratios of p50",
            "what WatchProto keeps across SIGKILL is 'rig crash kill'; what a durable record costs "
                + "is 'rig durable'",
        ]
        report.latencyOrigin = "the moment a message was sent: the next waits for its echo"
        report.notes += Program.buildNotes()
        report.host = Program.host()
        report.host["sealed"] = true
        report.host["peers"] = .object(PeerPackage.versions)
        report.repeatCommand = repeatCommand
        return report
    }

    /// The product by the row's contender, turn by turn; the middle one counts.
    private func ratio(_ row: PeerTargets.Row) -> Measurement? {
        func medians(_ name: String) -> [UInt64?]? {
            tallies.first { $0.placement == row.placement && $0.contender.name == name }?.medians
        }
        guard let own = medians(Contender.product.name), let other = medians(row.against) else {
            return nil
        }
        let comparison = RoundComparison([(row.against, own, other)])
        guard let found = comparison.rows.first, let median = found.median,
            let least = found.ratios.first, let most = found.ratios.last
        else { return nil }
        let ends = [least, most].map { Decimals.fixed($0, decimals: 2) }
        return Measurement(
            median, sampleCount: UInt64(found.ratios.count),
            remark: "\(ends[0]) to \(ends[1]) in \(found.ratios.count) turns")
    }
}
