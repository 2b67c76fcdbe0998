import Bench
import ControlProtocol
import NetworkEmulation
import Reports

extension BenchRun {
    /// The findings as a report.
    func report() -> Report {
        var report = Report(
            verb: "bench", link: options.linkName, seed: options.seed, version: Program.version)
        report.durationNanoseconds = end - min(end, start)
        report.startedAt = startedAt
        report.load = [loadName]
        addRows(to: &report)
        addSeries(to: &report)
        report.detail = tallies.first?.detail
        report.notes = remarks
        report.counts = tallies.first?.counts ?? JSONObject()
        if tallies.count > 1 {
            var against = tallies[1].counts
            against["p50_ratios"] = .object(comparison.json)
            report.counts["against"] = .object(against)
        }
        options.alerts?.addRows(to: &report, health)
        report.host = host
        report.repeatCommand = options.repeatCommand
        return report
    }

    /// `20/s sync, 20/s complication (open loop, 60 s)`.
    private var loadName: String {
        let kinds = options.load.map { "\($0.rate.meaning) \($0.kind.series)" }
        var manner = options.arrivals == .constant ? "open loop" : "open loop, poisson"
        if options.rounds > 1 { manner += ", \(options.rounds) rounds" }
        return kinds.joined(separator: ", ") + " (\(manner), \(options.duration.meaning))"
    }

    /// Figures are the simulators': it counts how they were built, and of what.
    private var host: JSONObject {
        let programs = options.directories.map { "\($0)/PhoneSim" }
        var host = Program.host(build: builds.first ?? "unknown", executable: programs.first)
        host["placement"] = .string(options.placement.rawValue)
        host["sealed"] = .bool(isSealed)
        host["journals"] = journalsAreInMemory ? "memory" : "disk"
        host["conditions"] = options.isConditioned ? options.conditions.json : .null
        if builds.count > 1 {
            host["against"] = [
                "build": .string(builds[1]),
                "commit": HostFacts.commit(of: programs[1]).map { .string($0) } ?? .null,
            ]
        }
        return host
    }

    // MARK: Rows

    private func addRows(to report: inout Report) {
        guard let tally = tallies.first else { return }
        defer { if tallies.count > 1 { report.rows += comparison.reportRows } }
        if let thresholds = options.thresholds {
            for row in thresholds.rows {
                let target = row.target
                let series = options.load.first { $0.kind.series == row.series }
                    .flatMap { tally.response[$0.kind] }
                let measurement = series.map { target.measurement(of: $0) } ?? tally.delivery
                report.addRow(for: target, measurement)
            }
            // A refused record has no moment to count from: no percentile includes it.
            if tally.refused > 0, !thresholds.rows.contains(where: \.isDelivery) {
                addDelivery(of: tally, to: &report)
            }
            return
        }
        for (kind, _) in options.load {
            guard let target = kind.target.flatMap(TargetTable.target),
                let series = tally.response[kind]
            else { continue }
            report.addRow(for: target, target.measurement(of: series))
        }
        addDelivery(of: tally, to: &report)
    }

    private func addDelivery(of tally: BenchTally, to report: inout Report) {
        guard let target = TargetTable.target("delivery.exact") else { return }
        report.addRow(for: target, tally.delivery)
    }

    private func addSeries(to report: inout Report) {
        for (place, tally) in tallies.enumerated() {
            let whose = place == 0 ? "" : ", against"
            for (kind, _) in options.load {
                guard let response = tally.response[kind] else { continue }
                report.latencies.append(response.renamed(response.name + whose))
            }
            for (kind, _) in options.load where place == 0 {
                guard let service = tally.service[kind] else { continue }
                report.latencies.append(service.renamed("\(service.name), service time"))
            }
        }
        report.latencies.append(schedulingDelays)
    }

    // MARK: Notes

    private var remarks: [String] {
        var notes = options.isConditioned ? options.conditions.meaning : []
        notes += linkLines.map { "link: \($0)" }
        notes += tallies.first.map { $0.notes + $0.detail.stageNotes } ?? []
        if tallies.count > 1 {
            notes += tallies[1].notes.map { "against: \($0)" }
            notes += Program.buildNotes(of: builds[1]).map { "against: \($0)" }
            notes += comparison.lines
        }
        notes += self.notes
        notes.append(
            "syncs and doses are measured until both journals hold them, all others until they "
                + "were "
                + "seen; service time counts from the moment a record was taken; the first list "
                + "and "
                + "the warm-up are in no series")
        notes.append(
            "scheduling delay: by how much a thread that wakes every millisecond woke late")
        if journalsAreInMemory {
            notes.append(
                "the temporary directory is IN MEMORY: commits wait for no disk there; name one "
                    + "on a "
                    + "disk by TMPDIR")
        }
        if !isSealed {
            notes.append(
                "the link is UNSEALED (wire version 0, for development): nothing on it is "
                    + "encrypted "
                    + "or authenticated")
        }
        return notes + Program.buildNotes(of: builds.first ?? "unknown")
    }

    private var comparison: RoundComparison {
        RoundComparison(
            options.load.map { part in
                (
                    part.kind.series, tallies[0].medians[part.kind] ?? [],
                    tallies[1].medians[part.kind] ?? []
                )
            })
    }
}
