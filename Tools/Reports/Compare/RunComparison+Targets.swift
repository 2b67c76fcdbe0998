import ControlProtocol

/// Targets of two runs, and what one of them lacks.
extension RunComparison {
    /// Percentiles that not both runs have enough samples for.
    mutating func addGaps(_ base: RunResults.Series, _ new: RunResults.Series) {
        var lacking: [String] = []
        for percentile in Report.columns {
            let needed = percentile.samplesNeeded
            let what = "\(base.name) \(percentile.name)"
            switch (base.count >= needed, new.count >= needed) {
            case (true, true): continue
            case (false, false): lacking.append(percentile.name)
            case (true, false):
                let why = "the newer run has n=\(new.count), \(needed) needed"
                gaps.append(Gap(what: what, why: why, isLoss: true))
            case (false, true):
                let why = "the older run has n=\(base.count), \(needed) needed"
                gaps.append(Gap(what: what, why: why, isLoss: false))
            }
        }
        guard !lacking.isEmpty else { return }
        gaps.append(
            Gap(
                what: "\(base.name) \(lacking.joined(separator: ", "))",
                why: "too few samples in both runs (n=\(base.count) and n=\(new.count))",
                isLoss: false))
    }

    /// Holds every target of one run against the same of the other: of several that share a name
    /// the first against the first.
    mutating func compareTargets(_ base: RunResults, _ new: RunResults, _ tolerance: Double) {
        var seen: [String: Int] = [:]
        for row in base.rows {
            let place = seen[row.id, default: 0]
            seen[row.id] = place + 1
            let others = new.rows.filter { $0.id == row.id }
            guard place < others.count else {
                let why = "it was evaluated only in \(base.file)"
                gaps.append(
                    Gap(what: "the target '\(row.title)'", why: why, isLoss: row.isEvaluated))
                continue
            }
            let other = others[place]
            if (row.goal, row.limit) != (other.goal, other.limit) {
                remarks.append(
                    "the runs differ in the bounds of '\(row.title)': \(row.bounds) and "
                        + other.bounds)
            }
            if let change = change(row, other, tolerance) { changes.append(change) }
        }
        for row in new.rows where !base.rows.contains(where: { $0.id == row.id }) {
            let why = "it was evaluated only in \(new.file)"
            gaps.append(Gap(what: "the target '\(row.title)'", why: why, isLoss: false))
        }
    }

    private func change(
        _ base: RunResults.Row, _ new: RunResults.Row, _ tolerance: Double
    ) -> Change? {
        var change = Change(
            title: base.title, base: base.status, new: new.status, baseFigure: base.figure,
            newFigure: new.figure, isWorse: false)
        guard base.status == new.status else {
            let missed: [Status] = [.fail, .noData]
            change.isWorse =
                base.isEvaluated && !new.isEvaluated
                || missed.contains(new.status) && !missed.contains(base.status)
            return change
        }
        // A target met in both runs has not changed. One missed in both may be missed by more.
        guard base.status == .fail, let trend = trend(base, new, tolerance) else { return nil }
        change.isWorse = trend == .slower
        return change
    }

    /// Where a figure has gone: `slower` stands for worse, `faster` for better; nil for neither.
    private func trend(
        _ base: RunResults.Row, _ new: RunResults.Row, _ tolerance: Double
    ) -> Verdict? {
        guard let before = base.actual, let now = new.actual, before != now else { return nil }
        // A percentile of a series that stands above was evaluated there, with its noise.
        let same = rows.first {
            $0.series == base.series && base.series == new.series
                && $0.percentile.name == base.statistic
        }
        if let same { return [.slower, .faster].contains(same.verdict) ? same.verdict : nil }
        let loss =
            switch new.sense {
            case .atMost: now - before
            case .atLeast: before - now
            case .exactly: abs(now - (new.goal ?? 0)) - abs(before - (base.goal ?? 0))
            }
        // Counts are exact, and so are shares of counts; everything else has noise.
        let isExact =
            base.unit == .percent
            || base.unit == .count
                && [before, now].allSatisfy {
                    $0 == $0.rounded()
                }
        guard abs(loss) > (isExact ? 0 : tolerance * abs(before)) else { return nil }
        return loss > 0 ? .slower : .faster
    }
}

extension RunResults.Row {
    /// The measured value, as people read it; nil where nothing was, or too little.
    var figure: String? { status == .few ? nil : actual.map { unit.text($0) } }

    fileprivate var bounds: String {
        let goal = goal.map { "\(sense.sign) \(unit.text($0))" } ?? "no goal"
        return goal + (limit.map { ", max \(unit.text($0))" } ?? "")
    }
}
