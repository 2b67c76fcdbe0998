import ControlProtocol

/// Which percentiles differ: rounds are held against rounds.
extension RunComparison {
    /// A percentile of both runs, not yet evaluated; nil where one has too few samples for it.
    static func row(
        _ percentile: Percentile, _ base: RunResults.Series, _ new: RunResults.Series,
        areRuns: Bool = false
    ) -> Row? {
        guard let before = base.value(of: percentile), let now = new.value(of: percentile) else {
            return nil
        }
        var row = Row(series: base.name, percentile: percentile, base: before, new: now)
        let rounds = [base, new].map { $0.rounds(areRuns: areRuns) }
        row.baseRounds = Self.figures(percentile, rounds[0])
        row.newRounds = Self.figures(percentile, rounds[1])
        row.lack = Self.lack(row, rounds[0], rounds[1], areRuns: areRuns)
        return row
    }

    private static func figures(
        _ percentile: Percentile, _ rounds: [LatencySeries.Round]?
    ) -> [UInt64] {
        rounds?.compactMap { $0.nanoseconds[percentile] }.sorted() ?? []
    }

    /// Why there can be no verdict; nil where there can.
    private static func lack(
        _ row: Row, _ base: [LatencySeries.Round]?, _ new: [LatencySeries.Round]?, areRuns: Bool
    ) -> String? {
        let advice = areRuns ? "measure each build \(advisedRounds) times" : advisedOption
        guard let base, let new else {
            let whose =
                base == nil
                ? (new == nil ? "both runs tell" : "the older run tells") : "the newer run tells"
            return "\(whose) no rounds; \(advice)"
        }
        guard base.count >= fewestRounds, new.count >= fewestRounds else {
            let word = areRuns ? "runs" : "rounds"
            return "too few \(word) to tell (\(base.count) and \(new.count)); \(advice)"
        }
        guard row.baseRounds.count >= fewestRounds, row.newRounds.count >= fewestRounds else {
            let least = (base + new).map(\.count).min() ?? 0
            return "too few records in a \(areRuns ? "run" : "round") to tell (\(least), "
                + "\(row.percentile.samplesNeeded) needed); a longer --duration"
        }
        return nil
    }

    /// Evaluates all rows together, since one of many is soon far off by chance.
    ///
    /// - Parameter areInTurn: whether the rounds of one side lie among those of the other. Where
    ///   they do not, what the machine did meanwhile stands between them, which no round of either
    ///   tells: then the rounds must lie wholly apart as well.
    mutating func evaluate(_ tolerance: Double, areInTurn: Bool) {
        let known = rows.indices.filter { rows[$0].lack == nil }
        for place in known {
            let (base, new) = (rows[place].baseRounds.count, rows[place].newRounds.count)
            let least = RankSum.leastChance(base, new) * Double(known.count)
            guard least > ManyTests.greatestError else { continue }
            rows[place].lack =
                "too few rounds to tell (\(base) and \(new) for \(known.count) figures); "
                + Self.advisedOption
        }
        let chances = ManyTests.adjusted(
            known.map { RankSum(rows[$0].baseRounds, rows[$0].newRounds).chance })
        for place in rows.indices where rows[place].lack != nil {
            rows[place].verdict = Self.grossVerdict(rows[place])
        }
        for (place, chance) in zip(known, chances) where rows[place].lack == nil {
            rows[place].chance = chance
            rows[place].verdict = Self.verdict(rows[place], tolerance, areInTurn: areInTurn)
        }
    }

    /// Of too few rounds only a gross difference is told: a median or a 90th percentile that
    /// differs by a factor of three, which was chosen. (The tail of one run may be another's by
    /// chance.)
    private static func grossVerdict(_ row: Row) -> Verdict {
        guard row.percentile == .p50 || row.percentile == .p90 else { return .untold }
        if row.ratio >= grossRatio { return .slower }
        return row.ratio <= 1 / grossRatio ? .faster : .untold
    }

    private static func verdict(_ row: Row, _ tolerance: Double, areInTurn: Bool) -> Verdict {
        guard let chance = row.chance, chance <= ManyTests.greatestError else { return .same }
        func exceeds(_ more: UInt64, _ less: UInt64) -> Bool {
            Double(more) > Double(less) * (1 + tolerance)
        }
        func isAbove(_ high: [UInt64], _ low: [UInt64]) -> Bool {
            guard let least = high.first, let most = low.last else { return false }
            return areInTurn ? high[high.count / 2] > low[low.count / 2] : least > most
        }
        // The figures of the whole runs must differ in the same direction.
        if exceeds(row.new, row.base), isAbove(row.newRounds, row.baseRounds) { return .slower }
        if exceeds(row.base, row.new), isAbove(row.baseRounds, row.newRounds) { return .faster }
        return .same
    }

    /// From here on two figures differ, however few rounds they are of.
    static let grossRatio = 3.0
    /// The fewest rounds a side for a verdict.
    package static let fewestRounds = 6
    private static let advisedRounds = 10
    private static let advisedOption = "rig bench --rounds \(advisedRounds)"
}

extension RunResults.Series {
    /// The percentile, in nanoseconds; nil where there are too few samples for it.
    func value(of percentile: Percentile) -> UInt64? {
        guard count >= percentile.samplesNeeded else { return nil }
        return value(atRank: percentile.rank(in: count))
    }

    /// The figures of the whole series, as one round.
    var whole: LatencySeries.Round {
        var figures: [Percentile: UInt64] = [:]
        for percentile in Report.columns { figures[percentile] = value(of: percentile) }
        return LatencySeries.Round(count: count, nanoseconds: figures)
    }

    /// The rounds; where whole runs are held against each other one run is one.
    fileprivate func rounds(areRuns: Bool) -> [LatencySeries.Round]? {
        areRuns && !isOfRuns ? [whole] : rounds
    }
}
