import CommandLine
import ControlProtocol
import Reports

/// The measured value of one build: latencies of each kind, and what became of its records.
struct BenchTally {
    /// From the moment each record was due.
    var response: [LoadKind: LatencySeries] = [:]
    /// From the moment it was taken.
    var service: [LoadKind: LatencySeries] = [:]
    var counts = JSONObject()
    var notes: [String] = []
    var total: UInt64 = 0
    var wrong: UInt64 = 0
    /// Records of the load that a simulator did not take.
    let refused: UInt64
    /// Every record that was measured.
    var detail: RunDetail

    /// - Parameters:
    ///   - rounds: when each round's load was sent, in nanoseconds of CLOCK_MONOTONIC.
    ///   - periods: the same, until nothing of a round was under way any more.
    ///   - span: the run; moments count from its begin.
    ///   - refused: records of the load that a simulator did not take.
    ///   - isComplete: whether what is missing is lost, rather than cut off.
    init(
        _ traces: (down: TraceJoin, up: TraceJoin), _ options: BenchOptions,
        rounds: [Range<UInt64>], periods: [Range<UInt64>], of span: Range<UInt64>,
        refused: UInt64, isComplete: Bool
    ) {
        let (start, end) = (span.lowerBound, span.upperBound)
        self.refused = refused
        detail = RunDetail(of: span, isComplete: isComplete)
        for (kind, _) in options.load {
            let join = kind.side == .phone ? traces.down : traces.up
            var whole = LatencySeries(kind.series)
            var taken = LatencySeries(kind.series)
            var missing = 0
            for span in rounds {
                var round = LatencyHistogram()
                var takenRound = LatencyHistogram()
                let entries = join.entries(kind: kind.recordKind, in: span)
                detail.add(
                    entries, series: kind.series, isFromWatch: kind.side == .watch,
                    until: kind.isDurable ? \.durable : \.visible, countsWaits: true)
                for entry in entries {
                    let (latency, hasArrived) = entry.response(
                        isDurable: kind.isDurable, until: end)
                    if !hasArrived { missing += 1 }
                    let at = entry.record.intended - min(start, entry.record.intended)
                    let late =
                        entry.record.accepted
                        - min(
                            entry.record.accepted, entry.record.intended)
                    let name = entry.record.name
                    let service = latency - min(latency, late)
                    round.record(latency)
                    takenRound.record(service)
                    whole.record(latency, message: name, atNanoseconds: at)
                    taken.record(service, message: name, atNanoseconds: at)
                }
                whole.rounds.append(LatencySeries.Round(round))
                taken.rounds.append(LatencySeries.Round(takenRound))
            }
            response[kind] = whole
            service[kind] = taken
            guard missing > 0 else { continue }
            let what = kind.isDurable ? "were not in both journals" : "had not arrived"
            notes.append(
                "\(kind.series): \(missing) of \(whole.histogram.count) \(what) when the run "
                    + "ended; "
                    + "they count with their wait until then, and would have waited longer")
        }
        detail.addFace(traces.down, in: periods)
        let ways: [(String, TraceJoin, LoadKind.Side)] = [
            ("phone to watch", traces.down, .phone), ("watch to phone", traces.up, .watch),
        ]
        for (name, join, side) in ways {
            count(name, join, isComplete: isComplete, since: start)
            let kinds = options.load.filter { $0.kind.side == side }.map(\.kind.recordKind)
            evaluate(join, kinds, from: rounds.first?.lowerBound ?? .max, isComplete: isComplete)
        }
        // Refused records were due and not delivered, and no percentile includes them.
        total += refused
        wrong += refused
        counts["refused"] = .whole(refused)
    }

    /// How records end with their link: as far as is known, or not even that.
    private static let givenUp: Set<String> = ["not_delivered", "outcome_unknown"]

    private mutating func count(
        _ name: String, _ join: TraceJoin, isComplete: Bool, since start: UInt64
    ) {
        let superseded = join.entries.count(where: \.isSuperseded)
        var object: JSONObject = [
            "records": .whole(join.entries.count), "superseded": .whole(superseded),
            "twice": .whole(join.twice.count), "unknown": .whole(join.unknown.count),
        ]
        let givenUp = join.lost.count { Self.givenUp.contains($0.settled ?? "") }
        object["given_up"] = .whole(givenUp)
        // Records under way at the end of an interrupted run are not lost; repeats are repeats in
        // any run.
        object[isComplete ? "lost" : "under_way"] = .whole(join.lost.count)
        counts[name] = .object(object)
        guard !join.entries.isEmpty else { return }
        notes.append(
            "\(name): \(Counted.words(join.entries.count, "record")), \(join.lost.count) "
                + (isComplete ? "lost" : "under way at the end")
                + ", \(join.twice.count) twice, \(superseded) replaced by a newer value")
        // An interactive record does not outlive its link: its sender is told, and may try again.
        if givenUp > 0 {
            notes.append(
                "\(name): \(givenUp) of those were given up when the link closed, and their sender "
                    + "was told (interactive records do not outlive their link)")
        }
        for record in join.lost.prefix(5) where isComplete {
            let at = Decimals.fixed(
                Double(record.intended - min(start, record.intended)) / 1e9, decimals: 2)
            notes.append("lost: \(record.name), due at \(at) s")
        }
        notes += join.twice.prefix(5).map { "twice: \($0.name)" }
        notes += join.unknown.prefix(5).map { "from nowhere: \($0.identity)" }
    }

    /// Counts the records of the load, the warm-up's among them, and which of them were delivered
    /// exactly once. One that a run which was cut off left under way is neither; of the list, which
    /// comes before, each that had the wrong fate counts.
    private mutating func evaluate(
        _ join: TraceJoin, _ kinds: [String], from begin: UInt64, isComplete: Bool
    ) {
        for entry in join.entries {
            let isWrong = entry.deliveryCount > 1 || entry.isMissing
            let isOfLoad =
                entry.record.intended >= begin && kinds.contains(entry.record.kind ?? "")
            guard isOfLoad || isWrong, isComplete || !entry.isMissing else { continue }
            total += 1
            wrong += isWrong ? 1 : 0
        }
        total += UInt64(join.unknown.count)
        wrong += UInt64(join.unknown.count)
    }

    /// The medians of each round, in nanoseconds; nil where a round had too few.
    var medians: [LoadKind: [UInt64?]] {
        response.mapValues { $0.rounds.map { $0.nanoseconds[.p50] } }
    }

    /// The share of records that were delivered exactly once.
    var delivery: Measurement? {
        guard total > 0 else { return nil }
        return Measurement(
            100 * Double(total - min(total, wrong)) / Double(total), sampleCount: total,
            remark: wrong > 0 ? "\(wrong) of \(total) wrong" : "\(total) records")
    }
}
