package import CommandLine
import ControlProtocol
import WatchProtoCore

/// Two runs beside each other: which percentiles differ by more than noise.
///
/// The figures of a run differ from those of another run of the same build by far more than its
/// samples tell. So its rounds are held against the rounds of the other: a percentile differs where
/// the rank-sum test of the rounds' figures says so (Mann and Whitney 1947), at an error of 5 % for
/// all figures of a comparison together (Holm 1979), and by more than a share that is given. Of two
/// single runs, one after the other, the rounds must lie wholly apart as well: no round shows what
/// the machine did between the runs. Below six rounds a side there is no verdict.
package struct RunComparison: Sendable {
    /// The outcome for a percentile.
    package enum Verdict: String, Sendable {
        /// No difference beyond noise.
        case same
        /// Faster, beyond noise.
        case faster
        /// Slower, beyond noise.
        case slower
        /// Too few rounds, or too few records in them.
        case untold
    }

    /// One percentile of one series.
    package struct Row: Sendable {
        /// The series.
        package var series: String
        /// Which percentile.
        package var percentile: Percentile
        /// Its value in both runs, in nanoseconds.
        package var base: UInt64
        /// The same of the newer run.
        package var new: UInt64
        /// Its value in each round of the older run that has enough samples, ascending.
        package internal(set) var baseRounds: [UInt64] = []
        /// The same of the newer run.
        package internal(set) var newRounds: [UInt64] = []
        /// How likely rounds of one build differ so, all figures considered; nil where untold.
        package internal(set) var chance: Double?
        /// Why there is no verdict; nil where there is one.
        package internal(set) var lack: String?
        /// Whether they differ.
        package internal(set) var verdict = Verdict.untold

        /// The newer value by the older one.
        package var ratio: Double { Double(new) / Double(max(1, base)) }
    }

    /// A target whose status changed, or whose figure did where it is missed in both runs.
    package struct Change: Hashable, Sendable {
        /// The report's name of the target.
        package var title: String
        /// Its status in the older run.
        package var base: Status
        /// Its status in the newer one.
        package var new: Status
        /// The measured value in the older run, as people read it; nil where nothing was.
        package var baseFigure: String?
        /// The same of the newer run.
        package var newFigure: String?
        /// Whether it was met, or nearly, and is missed now; or was evaluated, and is evaluated no
        /// more; or is missed by more.
        package var isWorse: Bool
    }

    /// A figure or target that cannot be compared.
    package struct Gap: Hashable, Sendable {
        /// A series, some of its percentiles, or a target.
        package var what: String
        /// Why not.
        package var why: String
        /// Whether the older run has it: a newer run that measures less is not well.
        package var isLoss: Bool
    }

    /// Every percentile that both runs have samples for.
    package var rows: [Row] = []
    /// Targets whose status or figure changed.
    package var changes: [Change] = []
    /// The figures and targets that cannot be compared, in the order of the older run.
    package var gaps: [Gap] = []
    /// Whether both runs came to their end: figures of half a run are not those of a whole one.
    package var isComplete: Bool
    /// The facts that the reader must know: circumstances that differ.
    package var remarks: [String] = []

    /// Whether what is held against each other are whole runs rather than rounds.
    let areRuns: Bool
    /// Whether the runs of one side lie among those of the other in time.
    let areInTurn: Bool

    /// Compares.
    ///
    /// - Parameters:
    ///   - base: the older run, or runs.
    ///   - new: the newer one.
    ///   - tolerance: the least share by which a percentile must differ to count.
    package init(base: RunResults, new: RunResults, tolerance: Double) {
        isComplete = base.isComplete && new.isComplete
        areRuns = base.runCount > 1 || new.runCount > 1
        areInTurn = areRuns && Self.areInTurn(base.starts, new.starts)
        for (before, after) in zip(base.circumstances, new.circumstances)
        where before.value != after.value {
            let values = [before.value, after.value].map { Excerpt.of($0, limit: 100) }
            remarks.append("the runs differ in \(before.name): \(values[0]) and \(values[1])")
        }
        for run in [base, new] where !run.isComplete {
            remarks.append("\(run.file) is of a run that did not come to its end")
        }
        for old in base.series {
            let isMachine = old.name == LatencySeries.schedulingDelayName
            guard let other = new.series.first(where: { $0.name == old.name }) else {
                gaps.append(
                    Gap(
                        what: old.name, why: "it was measured only in \(base.file)",
                        isLoss: !isMachine))
                continue
            }
            let found = Report.columns.compactMap {
                Self.row($0, old, other, areRuns: areRuns)
            }
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
        evaluate(tolerance, areInTurn: areInTurn)
        compareTargets(base, new, tolerance)
        if rows.contains(where: { $0.verdict == .slower || $0.verdict == .faster }), !areInTurn {
            remarks.append(
                "runs that were not taken in turn measure the machine of their time as well; 'rig "
                    + "bench --against' takes two builds in turn")
        }
    }

    /// Whether the side changed from run to run about as often as chance would have it, at least
    /// as often as the smaller side has runs: then what the machine did meanwhile met both.
    private static func areInTurn(_ base: [UInt64], _ new: [UInt64]) -> Bool {
        let runs = (base.map { ($0, true) } + new.map { ($0, false) }).sorted { $0.0 < $1.0 }
        let changes = zip(runs, runs.dropFirst()).count { $0.1 != $1.1 }
        return changes > 1 && changes >= min(base.count, new.count)
    }

    /// Scheduling delays are the machine's, not the program's: a difference is a reason to measure
    /// again. Wakings come in bursts: less than twice is nothing.
    private mutating func compareMachines(_ found: [Row]) {
        for row in found where row.ratio >= 2 || row.ratio <= 0.5 {
            let values = [row.base, row.new].map { Decimals.table(Double($0) / 1e6) }
            remarks.append(
                "the machines differ: scheduling delay \(row.percentile.name) \(values[0]) ms and "
                    + "\(values[1]) ms; measure both again, or in turn ('rig bench --against')")
        }
    }

    /// Whether the newer run is worse: slower beyond noise, or worse in a target.
    package var isWorse: Bool {
        rows.contains { $0.verdict == .slower } || changes.contains(where: \.isWorse)
    }

    /// Whether nothing stands in the way of a verdict: both runs came to their end, something was
    /// compared, and nothing that the older run has is missing in the newer one.
    package var isWhole: Bool { isComplete && !rows.isEmpty && !gaps.contains(where: \.isLoss) }

    /// How a comparison ends: well only where all was compared and nothing is worse.
    package var exitCode: ExitCode { isWhole && !isWorse ? .done : .targetMissed }
}
