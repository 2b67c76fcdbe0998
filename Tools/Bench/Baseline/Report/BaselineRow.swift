package import Reports
import Simulation
import WatchProtoCore

/// The results of one cell on one link.
package struct BaselineRow: Sendable {
    /// The measured value.
    package var cell: BaselineCell
    /// On which link.
    package var settings: BaselineSettings
    /// The trials.
    package var samples: BaselineSamples
    /// The goals that evaluate it; empty where it has none.
    package var goals: [BaselineGoal] = []

    /// The percentiles that are told.
    package static let percentiles: [Percentile] = [.p50, .p90, .p99]

    /// Makes the row, evaluated by what can be evaluated without other rows.
    package init(_ cell: BaselineCell, _ settings: BaselineSettings, _ samples: BaselineSamples) {
        self.cell = cell
        self.settings = settings
        self.samples = samples
        goals = ownGoals
    }

    /// Whether a goal is missed that physics allows, or has too few trials.
    package var isMissed: Bool { goals.contains { $0.isMissed } }

    /// A percentile of ours over the same of the ideal; nil where there are too few trials,
    /// infinite where too many never ended.
    package func ratio(_ percentile: Percentile) -> Double? {
        Self.ratio(percentile, samples.ours, samples.ideal)
    }

    static func ratio(
        _ percentile: Percentile, _ ours: [UInt64], _ ideal: [UInt64]
    ) -> Double? {
        guard let ours = percentile.value(of: ours), let ideal = percentile.value(of: ideal)
        else { return nil }
        // Nothing is measured against what never ends.
        if ideal == BaselineSamples.never { return nil }
        if ours == ideal { return 1 }
        if ours == BaselineSamples.never || ideal == 0 { return .infinity }
        return Double(ours) / Double(ideal)
    }

    /// Payload bits a second over the rate of the line, at the median, from the moment the file is
    /// given to the peer until it is durable; beside updates, of all files from the end of one to
    /// that of another. And the most that physics allows: the payload alone on the line, what is
    /// lost of it once more, and the delay of its last bit. Nil where the line has no rate, or too
    /// few files crossed it.
    package var goodput: (ours: Double, baseline: Double)? {
        guard cell.hasGoodput, let rate = settings.profile.rateBitsPerSecond, rate > 0,
            files >= Self.filesNeeded, let ours = fileNanoseconds
        else { return nil }
        let onLine = Double(BaselineCell.bulkBytes) * 8e9 / Double(rate)
        let isAlone = cell.isBulk
        let delay = isAlone ? Double(settings.conditions.delay.nanosecondsClamped) : 0
        return (onLine / ours, onLine / (onLine / (1 - settings.profile.loss) + delay))
    }

    /// Files that a goodput rests on: those of a median.
    static var filesNeeded: Int { Int(Percentile.p50.samplesNeeded) }

    /// Files that crossed the line.
    package var files: Int { cell.isBulk ? samples.ours.count : samples.filesBeside }

    private var fileNanoseconds: Double? {
        guard cell.isBulk else {
            return samples.fileTime > 0
                ? Double(samples.fileTime) / Double(samples.filesBeside) : nil
        }
        let middle = samples.ours.sorted()[samples.ours.count / 2]
        return middle == BaselineSamples.never ? .infinity : max(1, Double(middle))
    }

    /// Bytes of both sides over those of the ideal; nil where that never sent what it had to.
    package var cost: Double? {
        guard samples.idealBytes > 0 else { return nil }
        return Double(samples.tallies.reduce(0) { $0 + $1.bytes }) / Double(samples.idealBytes)
    }
}
