import ControlKit
import PeerKit
import RigKit

/// What a run beside peers found, as a report.
extension PeersRun {
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
        for row in PeerTargets.rows {
            guard isMeasured(row.own, row.placement), isMeasured(row.against, row.placement) else {
                continue
            }
            report.addRow(for: row.target, ratio(row))
        }
        report.latencies = tallies.map(\.series)
        addDurable(to: &report)
        report.notes += tallies.compactMap(\.trouble) + skipped
        report.notes += [
            "each end is a thread with a CPU of its own, or both on one; a broker is a process that "
                + "the system places; ratios are medians of the turns' ratios of p50",
            "what is acknowledged was acknowledged \(Self.killCount) times to a sender whose "
                + "receiver was away; SIGKILL is no loss of power",
        ]
        report.latencyOrigin = "the moment a message was sent: the next waits for its echo"
        report.notes += Program.buildNotes()
        report.host = Program.host()
        report.host["sealed"] = true
        report.host["peers"] = .object(PeerPackage.versions)
        report.repeatCommand = repeatCommand
        return report
    }

    private func isMeasured(_ name: String, _ placement: DemoCommand.Placement) -> Bool {
        tallies.contains {
            $0.placement == placement && $0.contender.name == name && $0.isMeasured
        }
    }

    private func addDurable(to report: inout Report) {
        guard let durable else { return }
        if let trouble = durable.trouble { report.notes.append(trouble) }
        guard durable.product.histogram.count > 0 else { return }
        report.addRow(
            for: PeerTargets.durable,
            Self.measurement(
                Contender.floor.name, durable.medians.product, durable.medians.floor))
        let shares = durable.floodShares.sorted()
        if !shares.isEmpty {
            let rates = durable.floodRates.sorted()
            report.addRow(
                for: PeerTargets.flood,
                Measurement(
                    shares[shares.count / 2], sampleCount: UInt64(shares.count),
                    remark: "\(Decimals.fixed(rates[rates.count / 2], decimals: 0)) records/s"))
        }
        var (product, floor) = (durable.product, durable.floor)
        product.promise = DeliveryPromise("exactly once, in both files")
        floor.promise = DeliveryPromise("none: two files, one after the other's send")
        if let kill {
            product.promise?.killed = DeliveryPromise.Killed(
                acknowledged: kill.outcome.acknowledged, kept: kill.outcome.kept)
            report.addRow(
                for: PeerTargets.killed,
                Measurement(
                    Double(kill.findings.count), sampleCount: UInt64(kill.outcome.acknowledged),
                    remark: "\(kill.outcome.acknowledged) doses, \(Self.productKills) kills"))
            report.notes += kill.findings
        }
        report.latencies += [product, floor]
        report.notes.append(
            "a durable record counts from the moment it was to be sent until both files hold it, "
                + "one way; Redis' figure is a round trip, two messages, each in its one file")
    }

    /// The product by the row's contender, turn by turn; the middle one counts.
    private func ratio(_ row: PeerTargets.Row) -> Measurement? {
        func medians(_ name: String) -> [UInt64?]? {
            tallies.first { $0.placement == row.placement && $0.contender.name == name }?.medians
        }
        guard let own = medians(row.own), let other = medians(row.against) else { return nil }
        return Self.measurement(row.against, own, other)
    }

    private static func measurement(
        _ name: String, _ own: [UInt64?], _ other: [UInt64?]
    ) -> Measurement? {
        let comparison = RoundComparison([(name, own, other)])
        guard let found = comparison.rows.first, let median = found.median,
            let least = found.ratios.first, let most = found.ratios.last
        else { return nil }
        let ends = [least, most].map { Decimals.fixed($0, decimals: 2) }
        return Measurement(
            median, sampleCount: UInt64(found.ratios.count),
            remark: "\(ends[0]) to \(ends[1]) in \(found.ratios.count) turns")
    }
}
