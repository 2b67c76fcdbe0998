import Reports
import Simulation
import WatchProtoCore

extension BaselineRow {
    /// The goals that need no other rows.
    var ownGoals: [BaselineGoal] { ratioGoals + goodputGoals + targetGoals + wholenessGoals }

    private func goal(
        _ percentile: Percentile, of name: String = "ideal", _ ours: [UInt64],
        over ideal: [UInt64], _ bound: Double
    ) -> BaselineGoal {
        BaselineGoal(
            name: "\(percentile.name) / \(name)", actual: Self.ratio(percentile, ours, ideal),
            bound: bound, needs: Int(percentile.samplesNeeded), count: min(ours.count, ideal.count),
            hasEndlessIdeal: percentile.value(of: ideal) == BaselineSamples.never)
    }

    private var ratioGoals: [BaselineGoal] {
        let hasLittleLoss = settings.profile.loss <= 0.02
        let late = hasLittleLoss ? 1.1 : 1.3
        func goal(_ percentile: Percentile, _ bound: Double) -> BaselineGoal {
            self.goal(percentile, samples.ours, over: samples.ideal, bound)
        }
        switch cell {
        case .complication:
            return (hasLittleLoss ? [goal(.p50, 1.02)] : []) + [goal(.p99, late)]
        case .complicationBursts:
            return (hasLittleLoss ? [goal(.p50, 1.02)] : []) + [goal(.p99, Self.burstBound)]
        case .complicationEarly, .complicationRestart:
            return (hasLittleLoss ? [goal(.p50, 1.07)] : []) + [goal(.p99, late)]
        case .complicationSecond: return [goal(.p50, 1.1)]
        case .change: return hasLittleLoss ? [goal(.p99, 1.3)] : []
        case .offline, .transition: return [goal(.p50, 1.1)]
        case .complicationBulk:
            var idle = self.goal(
                .p99, of: "idle ideal", samples.ours, over: samples.ideal, late)
            idle.baseline = Self.ratio(.p99, samples.sharedIdeal, samples.ideal)
            let shared = self.goal(
                .p99, of: "shared ideal", samples.ours, over: samples.sharedIdeal, late)
            return [idle, shared]
        case .hundredWarm: return [goal(.p50, 1.05), goal(.p90, 1.15)]
        default: return []
        }
    }

    /// A run of losses takes every copy of an update: the one that is sent again leaves when the
    /// loss is noticed, a round trip later, and arrives another half later. 3 times the ideal, and
    /// the tenth that a timer is allowed.
    static var burstBound: Double { 3.3 }

    /// Evaluates the row by how many commits more it took than the same trials on journals that
    /// take no time. The bound is `BaselineCell.commits`, and a twentieth for a longer packet.
    public mutating func evaluate(byInstantCommits instant: BaselineSamples) {
        guard let bound = cell.commits, settings.commitTime > .zero else { return }
        // A lost packet costs more time than a commit.
        let isWorst = cell == .committedCut && settings.profile.loss == 0
        let percentile = isWorst ? Percentile.p99 : .p50
        var paid: Double?
        if let ours = percentile.value(of: samples.ours),
            let theirs = percentile.value(of: instant.ours)
        {
            paid =
                ours == BaselineSamples.never || theirs == BaselineSamples.never
                ? .infinity
                : (Double(ours) - Double(theirs)) / Double(settings.commitTime.nanosecondsClamped)
        }
        let goal = BaselineGoal(
            name: "commits, \(percentile.name)", actual: paid, bound: Double(bound) + 0.05,
            needs: Int(percentile.samplesNeeded),
            count: min(samples.ours.count, instant.ours.count))
        goals = [goal] + wholenessGoals
    }

    private var goodputGoals: [BaselineGoal] {
        guard cell.hasGoodput else { return [] }
        let goodput = goodput
        let loss = settings.profile.loss
        let little = cell.datagramBytes(settings) >= 1000 ? 0.9 : 0.85
        return [
            BaselineGoal(
                name: "goodput / rate", actual: goodput?.ours,
                bound: loss <= 0.01 ? little : loss <= 0.02 ? 0.85 : 0.75, isLeast: true,
                baseline: goodput?.baseline, needs: Self.filesNeeded, count: files)
        ]
    }

    private var targetGoals: [BaselineGoal] {
        guard let target = cell.target else { return [] }
        func milliseconds(_ samples: [UInt64]) -> Double? {
            Percentile.p95.value(of: samples).map {
                $0 == BaselineSamples.never ? .infinity : Double($0) / 1e6
            }
        }
        var goals = [
            BaselineGoal(
                name: "p95, target", actual: milliseconds(samples.ours), bound: target.goal,
                hardLimit: target.limit, baseline: milliseconds(samples.limit), unit: "ms",
                needs: Int(Percentile.p95.samplesNeeded), count: samples.ours.count)
        ]
        if cell == .list {
            let bytes = samples.tallies.reduce(0) { $0 + $1.bytes }
            goals.append(
                BaselineGoal(
                    name: "mean, on the wire",
                    actual: Double(bytes) / Double(max(1, samples.ours.count)) / 1000,
                    bound: 1000, unit: "kB"))
        }
        return goals
    }

    /// All complete, nothing twice, ordered channels in order.
    private var wholenessGoals: [BaselineGoal] {
        let broken = samples.unfinished + samples.repeated + samples.disordered
        var goals: [BaselineGoal] = []
        if broken > 0 || cell.isHard {
            goals.append(
                BaselineGoal(name: "not over, twice or astray", actual: Double(broken), bound: 0))
        }
        // The blackouts last longer than the scheme is patient; all other ideals end.
        if samples.idealNever > 0, !cell.isHard {
            goals.append(
                BaselineGoal(
                    name: "ideals that never end", actual: Double(samples.idealNever), bound: 0,
                    hasEndlessIdeal: true))
        }
        return goals
    }

    /// Evaluates a cold start by the warm one on the same link; nil where that was not measured.
    mutating func evaluate(byWarm warm: BaselineRow?) {
        guard cell == .hundredCold else { return }
        goals.removeAll { $0.name.hasSuffix(" / warm") }
        for percentile in [Percentile.p50, .p90] {
            goals.append(
                goal(
                    percentile, of: "warm", samples.ours, over: warm?.samples.ours ?? [], 1.1))
        }
    }
}
