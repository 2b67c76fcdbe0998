import Bench
import CommandLine
import ControlProtocol
import Reports

/// Reports the findings of a run beside other brokers.
extension PeersRun {
    /// The findings as a report.
    func report() -> Report {
        var report = Report(
            verb: "lab brokers", link: "brokers", seed: nil, version: Program.version)
        report.durationNanoseconds = MonotonicClock.nowNanoseconds - start
        report.startedAt = startedAt
        report.load = [
            "round trips of \(Broker.payloadBytes) B (closed loop, \(turns) "
                + "\(turns == 1 ? "turn" : "turns") of \(Self.roundsPerTurn))"
        ]
        let isEvaluated = placements.allSatisfy { $0.note == nil }
        for row in PeerTargets.rows
        where placements.contains(row.placement) && !absent.contains(row.against) {
            report.addRow(for: row.target(isEvaluated: isEvaluated), ratio(row))
        }
        report.notes += placements.compactMap(\.note)
        report.latencies = tallies.map(\.series)
        report.host = Program.host()
        addDurable(to: &report)
        report.notes += tallies.compactMap(\.trouble) + skipped
        report.notes += [
            "each end is a thread with a CPU of its own, or both on one; a broker is a process "
                + "that "
                + "the system places; ratios are medians of the turns' ratios of p50",
            "what is acknowledged was acknowledged \(Self.killCount) times to a sender whose "
                + "receiver was away; SIGKILL is no loss of power",
        ]
        report.latencyOrigin = "the moment a message was sent: the next waits for its echo"
        report.notes += Program.buildNotes()
        report.host["sealed"] = true
        report.host["peers"] = .object(PeerPackage.versions)
        report.repeatCommand = repeatCommand
        return report
    }

    /// A measurement that failed keeps its row: it was asked for.
    private func addDurable(to report: inout Report) {
        if let trouble = durable?.trouble { report.notes.append(trouble) }
        let medians = durable?.medians ?? (baseline: [], product: [])
        let isOnDisk = durable.map { !Files.isInMemory($0.directory) } ?? true
        report.addRow(
            for: PeerTargets.durable(isEvaluated: isOnDisk),
            Self.measurement(Broker.baseline.name, medians.product, medians.baseline))
        report.addRow(for: PeerTargets.flood(isEvaluated: isOnDisk), flood)
        report.host["journals"] = isOnDisk ? "disk" : "memory"
        if !isOnDisk {
            report.notes.append(
                "the temporary directory is IN MEMORY: nothing waits for a disk there, neither the "
                    + "product nor a broker, and no ratio of it is evaluated; name one on a "
                    + "disk by "
                    + "TMPDIR")
        }
        report.addRow(
            for: PeerTargets.killed,
            kill.map {
                Measurement(
                    Double($0.findings.count), sampleCount: UInt64($0.outcome.acknowledged),
                    remark: "\($0.outcome.acknowledged) doses, \(Self.productKills) kills")
            })
        report.notes += kill?.findings ?? []
        guard let durable, durable.product.histogram.count > 0 else { return }
        var (product, baseline) = (durable.product, durable.baseline)
        product.promise = DeliveryPromise("exactly once, in both files")
        baseline.promise = DeliveryPromise("none: two files, one after the other's send")
        product.promise?.killed = kill.map {
            DeliveryPromise.Killed(acknowledged: $0.outcome.acknowledged, kept: $0.outcome.kept)
        }
        report.latencies += [product, baseline]
        report.notes.append(
            "a durable record counts from the moment it was to be sent until both files hold it, "
                + "one way; Redis' figure is a round trip, two messages, each in its one file")
    }

    /// The middle share of the lower bound's rate.
    private var flood: Measurement? {
        guard let durable, let share = RoundComparison.median(of: durable.floodShares),
            let rate = RoundComparison.median(of: durable.floodRates)
        else { return nil }
        return Measurement(
            share, sampleCount: UInt64(durable.floodShares.count),
            remark: "\(Decimals.fixed(rate, decimals: 0)) records/s")
    }

    /// The product by the row's broker, turn by turn; the middle one counts.
    private func ratio(_ row: PeerTargets.Row) -> Measurement? {
        func medians(_ name: String) -> [UInt64?]? {
            tallies.first { $0.placement == row.placement && $0.broker.name == name }?.medians
        }
        guard let own = medians(row.own), let other = medians(row.against) else { return nil }
        return Self.measurement(row.against, own, other)
    }

    private static func measurement(
        _ name: String, _ own: [UInt64?], _ other: [UInt64?]
    ) -> Measurement? {
        RoundComparison([(name, own, other)]).rows.first?.measurement
    }
}
