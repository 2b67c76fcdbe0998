import Bench
import CommandLine
import Reports
import WatchProtoCore

/// `rig lab brokers`: round trips of the product, of the lower bound and of what else is installed,
/// in turns of one run, on CPUs of their own and on one; and what each keeps of what it
/// acknowledged.
final class PeersRun {
    let turns: Int
    let placements: [DemoCommand.Placement]
    private let progress: Progress
    let repeatCommand: String

    var brokers: [Broker] = []
    var skipped: [String] = []
    var tallies: [PeerTally] = []
    var durable: DurableTurns?
    /// The fate of the product's durable records when its processes were ended; nil where that was
    /// not tried, or did not come to its end.
    var kill: (outcome: KillOutcome, findings: [String])?
    /// The brokers that take no part because it is not installed.
    private(set) var absent: Set<String> = []
    private let programs: String
    let start = MonotonicClock.nowNanoseconds
    let startedAt = CalendarClock.now

    /// Round trips of one broker before the next has its turn, and those before, unmeasured.
    static let roundsPerTurn = 400
    private static let warmUpRounds = 50
    /// Messages that a peer acknowledges before it is killed.
    static let killCount = 200
    /// How often a process of the product is killed.
    static let productKills = 4

    init(
        turns: Int, placements: [DemoCommand.Placement], programs: String, progress: Progress,
        repeatCommand: String
    ) {
        self.turns = turns
        self.programs = programs
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
            for broker in brokers { broker.end() }
            durable?.end()
            progress.finish()
        }
        do throws(RigFailure) {
            // All of them but TCP's meet at a socket there.
            try TemporaryPlace.check(Files.temporaryBase, named: "TMPDIR", "rig-peer", "socket")
        } catch {
            return error
        }
        gather()
        tallies = placements.flatMap { placement in
            brokers.map { PeerTally($0, placement) }
        }
        for turn in 0..<turns {
            progress.step("turn \(turn + 1) of \(turns)")
            for index in TurnOrder.places(inTurn: turn, of: tallies.count) {
                guard !Interrupts.isRequested else { return Interrupts.failure }
                tallies[index].take(
                    rounds: Self.roundsPerTurn, warmUp: Self.warmUpRounds, since: start)
            }
            durable?.take(turn: turn, since: start)
        }
        killAll()
        return Interrupts.isRequested ? Interrupts.failure : nil
    }

    /// The participants: the lower bound and the product always, each peer where it is installed.
    private func gather() {
        progress.step("starting what is installed")
        do {
            durable = try DurableTurns()
        } catch {
            skipped.append("durable records: skipped, \(error)")
        }
        brokers = [.product, .sleepingProduct, .baseline]
        join(ZeroMQPeer.package, ZeroMQPeer.name) { () throws(PeerFailure) in
            Broker(try ZeroMQPeer())
        }
        for quality in MosquittoPeer.Quality.allCases { join(quality, savesEachChange: false) }
        join(.one, savesEachChange: true)
        join(NATSPeer.package, "NATS JetStream") { () throws(PeerFailure) in
            Broker(try NATSPeer()) { count throws(PeerFailure) in
                try NATSPeer.kill(count: count)
            }
        }
        for sync in RedisPeer.Sync.allCases {
            join(RedisPeer.package, "Redis Streams, appendfsync \(sync.rawValue)") {
                () throws(PeerFailure) in
                Broker(try RedisPeer(sync)) { count throws(PeerFailure) in
                    try RedisPeer.kill(count: count, sync)
                }
            }
        }
        join(GRPCPeer.package, Broker.grpc.name) { .grpc }
    }

    private func join(_ quality: MosquittoPeer.Quality, savesEachChange: Bool) {
        let name = MosquittoPeer.name(quality, savesEachChange: savesEachChange)
        join(MosquittoPeer.package, name) { () throws(PeerFailure) in
            let peer = try MosquittoPeer(quality, savesEachChange: savesEachChange)
            // At most once nothing is acknowledged.
            guard quality != .zero else { return Broker(peer) }
            return Broker(peer) { count throws(PeerFailure) in
                try MosquittoPeer.kill(
                    count: count, quality, savesEachChange: savesEachChange)
            }
        }
    }

    private func join(
        _ package: PeerPackage, _ name: String, _ make: () throws(PeerFailure) -> Broker
    ) {
        guard Files.exists(package.file) else {
            absent.insert(name)
            skipped.append(
                "\(name): skipped, \(package.file) is not there; "
                    + "apt-get install \(package.package)")
            return
        }
        do throws(PeerFailure) {
            brokers.append(try make())
        } catch {
            skipped.append("\(name): skipped, \(error)")
        }
    }

    /// Ends by SIGKILL what acknowledges, set up as it was measured, and looks what it kept.
    private func killAll() {
        for broker in brokers {
            guard let kill = broker.kill, !Interrupts.isRequested else { continue }
            progress.step("ending \(broker.name) by SIGKILL")
            do throws(PeerFailure) {
                let outcome = try kill(Self.killCount)
                for index in tallies.indices where tallies[index].broker.name == broker.name {
                    tallies[index].series.promise?.killed = DeliveryPromise.Killed(
                        acknowledged: outcome.acknowledged, kept: outcome.kept)
                }
            } catch {
                skipped.append("\(broker.name): not killed, \(error)")
            }
        }
        guard !Interrupts.isRequested, durable != nil else { return }
        killProduct()
    }

    /// PhoneSim and WatchSim under load, some times ended by SIGKILL in the midst of it.
    private func killProduct() {
        progress.step("ending PhoneSim and WatchSim by SIGKILL")
        do throws(RigFailure) {
            var options = CrashRun.Options(programs: programs)
            options.count = Self.productKills
            let run = try CrashRun(options, progress: progress)
            var findings = try run.perform()
            if !findings.isEmpty { findings.append("The files are kept in \(run.directory).") }
            let promised = run.doses.promised.count
            kill = (
                KillOutcome(
                    acknowledged: promised, kept: promised - run.doses.missing.count),
                findings
            )
        } catch {
            skipped.append("WatchProto, durable: not killed, \(error.message)")
            skipped += error.details
        }
    }
}
