public import RigKit
import SimKit

/// A number that a cell is judged by, with the most or the least it may be.
public struct FloorGoal: Sendable {
    /// What the number is: `p99 ratio`.
    public var name: String
    /// The number; nil where there are too few trials for it.
    public var actual: Double?
    /// What it may be.
    public var bound: Double
    /// Whether the bound is the least, not the most.
    public var isLeast = false
    /// The same number of the ideal, where physics itself can miss the bound.
    public var ofIdeal: Double?

    /// What became of it.
    public var status: Status {
        guard let actual else { return .few }
        return (isLeast ? actual >= bound : actual <= bound) ? .pass : .fail
    }

    /// Whether the ideal misses the bound, too.
    public var isForbidden: Bool {
        guard let ofIdeal else { return false }
        return isLeast ? ofIdeal < bound : ofIdeal > bound
    }
}

/// What one cell came to on one link.
public struct FloorRow: Sendable {
    /// What was measured.
    public var cell: FloorCell
    /// On which link.
    public var settings: FloorSettings
    /// The trials.
    public var samples: FloorSamples
    /// What it is judged by; empty where nothing is asked.
    public var goals: [FloorGoal] = []

    /// The percentiles that are told.
    public static let percentiles: [Percentile] = [.p50, .p90, .p99]

    /// Makes the row, judged by what can be judged without other rows.
    public init(_ cell: FloorCell, _ settings: FloorSettings, _ samples: FloorSamples) {
        self.cell = cell
        self.settings = settings
        self.samples = samples
        goals = makeGoals()
    }

    /// A percentile of ours over the same of the ideal; nil where there are too few trials,
    /// infinite where too many never ended.
    public func ratio(_ percentile: Percentile) -> Double? {
        Self.ratio(percentile, samples.ours, samples.ideal)
    }

    /// The same for the second series.
    public func besideRatio(_ percentile: Percentile) -> Double? {
        Self.ratio(percentile, samples.beside, samples.besideIdeal)
    }

    static func ratio(
        _ percentile: Percentile, _ ours: [UInt64], _ ideal: [UInt64]
    ) -> Double? {
        guard let ours = percentile.value(of: ours), let ideal = percentile.value(of: ideal)
        else { return nil }
        if ours == ideal { return 1 }
        if ours == FloorSamples.never || ideal == 0 { return .infinity }
        return Double(ours) / Double(ideal)
    }

    /// Payload bits a second over the rate of the line, of ours and of the ideal, at the median;
    /// nil where the line has no rate.
    public var goodput: (ours: Double, ideal: Double)? {
        guard cell == .bulk, let rate = settings.profile.rateBitsPerSecond, rate > 0,
            let ours = Self.median(samples.ours), let ideal = Self.median(samples.ideal)
        else { return nil }
        let bits = Double(FloorCell.bulkBytes) * 8e9
        return (bits / ours / Double(rate), bits / ideal / Double(rate))
    }

    private static func median(_ samples: [UInt64]) -> Double? {
        guard !samples.isEmpty else { return nil }
        let middle = samples.sorted()[samples.count / 2]
        return middle == FloorSamples.never ? .infinity : max(1, Double(middle))
    }

    /// Bytes of both sides over those of the ideal.
    public var cost: Double {
        Double(samples.tallies.reduce(0) { $0 + $1.bytes }) / Double(max(1, samples.idealBytes))
    }

    private func makeGoals() -> [FloorGoal] {
        let loss = settings.profile.loss
        func ratios(_ p50: Double?, _ p90: Double?, _ p99: Double?) -> [FloorGoal] {
            zip(Self.percentiles, [p50, p90, p99]).compactMap { percentile, bound in
                bound.map {
                    FloorGoal(
                        name: "\(percentile.name) ratio", actual: ratio(percentile), bound: $0)
                }
            }
        }
        switch cell {
        case .complication: return ratios(loss <= 0.02 ? 1.02 : nil, nil, loss <= 0.02 ? 1.1 : 1.3)
        case .complicationEarly:
            return ratios(loss <= 0.02 ? 1.1 : nil, nil, loss <= 0.02 ? 1.1 : 1.3)
        case .complicationBursts: return []
        case .complicationWithBulk:
            let bound = loss <= 0.02 ? 1.1 : 1.3
            return [FloorGoal(name: "p99 shared", actual: besideRatio(.p99), bound: bound)]
        case .hundredWarm: return ratios(1.05, 1.15, nil)
        case .hundredCold: return []
        case .bulk:
            guard let goodput else { return [] }
            let large = settings.datagramBytes >= 1000 ? 0.9 : 0.85
            let bound = loss <= 0.01 ? large : loss <= 0.02 ? 0.85 : 0.75
            return [
                FloorGoal(
                    name: "goodput", actual: goodput.ours, bound: bound, isLeast: true,
                    ofIdeal: goodput.ideal)
            ]
        }
    }

    /// Judges a cold start by the warm one on the same link.
    public mutating func judge(byWarm warm: FloorRow) {
        guard cell == .hundredCold else { return }
        for percentile in [Percentile.p50, .p90] {
            goals.append(
                FloorGoal(
                    name: "\(percentile.name) of warm",
                    actual: Self.ratio(percentile, samples.ours, warm.samples.ours), bound: 1.1))
        }
    }
}
