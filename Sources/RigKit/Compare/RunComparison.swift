import ControlKit
import WatchProto

/// Two runs beside each other: which percentiles differ by more than noise.
///
/// A percentile of n samples is itself uncertain: its true rank lies within z·√(n·p·(1−p)) of n·p
/// (the binomial distribution, normal approximation; z = 2.576 for 99 %). Two percentiles differ
/// where the values at the edges of these ranks do not overlap, and by more than a share that is
/// given: samples of one run share the machine of that minute, which no rank tells.
public struct RunComparison: Sendable {
    /// What became of a percentile.
    public enum Verdict: String, Sendable {
        /// No difference beyond noise.
        case same
        /// Faster, beyond noise.
        case faster
        /// Slower, beyond noise.
        case slower
    }

    /// One percentile of one series.
    public struct Row: Sendable {
        /// The series.
        public var series: String
        /// Which percentile.
        public var percentile: Percentile
        /// Its value in both runs, in nanoseconds.
        public var base: UInt64
        /// The same of the newer run.
        public var new: UInt64
        /// Between which values it lies with 99 % confidence, in nanoseconds.
        public var baseRange: ClosedRange<UInt64>
        /// The same of the newer run.
        public var newRange: ClosedRange<UInt64>
        /// Whether they differ.
        public var verdict: Verdict

        /// The newer value by the older one.
        public var ratio: Double { Double(new) / Double(max(1, base)) }
    }

    /// A target whose status changed, or whose figure did where it is missed in both runs.
    public struct Change: Hashable, Sendable {
        /// What the report calls the target.
        public var title: String
        /// Its status in the older run.
        public var base: Status
        /// Its status in the newer one.
        public var new: Status
        /// What was measured in the older run, as people read it; nil where nothing was.
        public var baseFigure: String?
        /// The same of the newer run.
        public var newFigure: String?
        /// Whether it was met, or nearly, and is missed now; or was judged, and is judged no more;
        /// or is missed by more.
        public var isWorse: Bool
    }

    /// What cannot be compared.
    public struct Gap: Hashable, Sendable {
        /// A series, some of its percentiles, or a target.
        public var what: String
        /// Why not.
        public var why: String
        /// Whether the older run has it: a newer run that measures less is not well.
        public var isLoss: Bool
    }

    /// Every percentile that both runs have samples for.
    public var rows: [Row] = []
    /// Targets whose status or figure changed.
    public var changes: [Change] = []
    /// What cannot be compared, in the order of the older run.
    public var gaps: [Gap] = []
    /// Whether both runs came to their end: figures of half a run are not those of a whole one.
    public var isComplete: Bool
    /// What the reader must know: circumstances that differ.
    public var remarks: [String] = []

    private static let confidence = 2.576

    /// Compares.
    ///
    /// - Parameter tolerance: the least share by which a percentile must differ to count.
    public init(base: RunResults, new: RunResults, tolerance: Double) {
        isComplete = base.isComplete && new.isComplete
        for (before, after) in zip(base.circumstances, new.circumstances)
        where before.value != after.value {
            let values = [before.value, after.value].map { Excerpt.of($0, limit: 100) }
            remarks.append("the runs differ in \(before.name): \(values[0]) and \(values[1])")
        }
        for run in [base, new] where !run.isComplete {
            remarks.append("\(run.file) is of a run that did not come to its end")
        }
        for old in base.series {
            let isMachine = old.name == LatencySeries.hiccupName
            guard let other = new.series.first(where: { $0.name == old.name }) else {
                gaps.append(
                    Gap(
                        what: old.name, why: "it was measured only in \(base.file)",
                        isLoss: !isMachine))
                continue
            }
            let found = Report.columns.compactMap { Self.row($0, old, other, tolerance) }
            if isMachine {
                compareMachines(found)
            } else {
                rows += found
                addGaps(old, other)
            }
        }
        for series in new.series where !base.series.contains(where: { $0.name == series.name }) {
            gaps.append(
                Gap(
                    what: series.name, why: "it was measured only in \(new.file)", isLoss: false))
        }
        compareTargets(base, new, tolerance)
    }

    /// Hiccups are the machine's, not the program's: a difference is a reason to measure again.
    /// Wakings come in bursts, so that their ranges are too narrow: less than twice is nothing.
    private mutating func compareMachines(_ found: [Row]) {
        for row in found where row.verdict != .same && (row.ratio >= 2 || row.ratio <= 0.5) {
            let values = [row.base, row.new].map { Decimals.table(Double($0) / 1e6) }
            remarks.append(
                "the machines differ: hiccup \(row.percentile.name) \(values[0]) ms and "
                    + "\(values[1]) ms; measure both again, or in turn ('rig bench --against')")
        }
    }

    /// Whether the newer run is worse: slower beyond noise, or worse in a target.
    public var isWorse: Bool {
        rows.contains { $0.verdict == .slower } || changes.contains(where: \.isWorse)
    }

    /// Whether nothing stands in the way of a verdict: both runs came to their end, something was
    /// compared, and nothing that the older run has is missing in the newer one.
    public var isWhole: Bool { isComplete && !rows.isEmpty && !gaps.contains(where: \.isLoss) }

    /// How a comparison ends: well only where all was compared and nothing is worse.
    public var exitCode: ExitCode { isWhole && !isWorse ? .done : .targetMissed }

    private static func row(
        _ percentile: Percentile, _ base: RunResults.Series, _ new: RunResults.Series,
        _ tolerance: Double
    ) -> Row? {
        guard let old = band(percentile, base), let now = band(percentile, new) else { return nil }
        var verdict = Verdict.same
        let least = Double(old.value) * (1 + tolerance)
        if now.range.lowerBound > old.range.upperBound, Double(now.value) > least {
            verdict = .slower
        }
        if old.range.lowerBound > now.range.upperBound,
            Double(now.value) * (1 + tolerance) < Double(old.value)
        {
            verdict = .faster
        }
        return Row(
            series: base.name, percentile: percentile, base: old.value, new: now.value,
            baseRange: old.range, newRange: now.range, verdict: verdict)
    }

    /// A percentile with its noise; nil where there are too few samples for it.
    private static func band(
        _ percentile: Percentile, _ series: RunResults.Series
    ) -> (value: UInt64, range: ClosedRange<UInt64>)? {
        guard series.count >= percentile.samplesNeeded else { return nil }
        let share = Double(percentile.partsPerMillion) / 1e6
        let count = Double(series.count)
        let spread = confidence * (count * share * (1 - share)).squareRoot()
        let rank = percentile.rank(in: series.count)
        let low = UInt64(max(1, (Double(rank) - spread).rounded(.down)))
        let high = min(series.count, UInt64((Double(rank) + spread).rounded(.up)))
        guard let value = series.value(atRank: rank), let least = series.value(atRank: low),
            let most = series.value(atRank: high)
        else { return nil }
        return (value, least...max(least, most))
    }
}
