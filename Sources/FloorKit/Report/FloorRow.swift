public import RigKit
import SimKit
import WatchProto

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
        goals = ratioGoals + goodputGoals + targetGoals + wholenessGoals
    }

    /// Whether a goal is missed that physics allows.
    public var isMissed: Bool { goals.contains { $0.isMissed } }

    /// A percentile of ours over the same of the ideal; nil where there are too few trials,
    /// infinite where too many never ended.
    public func ratio(_ percentile: Percentile) -> Double? {
        Self.ratio(percentile, samples.ours, samples.ideal)
    }

    static func ratio(
        _ percentile: Percentile, _ ours: [UInt64], _ ideal: [UInt64]
    ) -> Double? {
        guard let ours = percentile.value(of: ours), let ideal = percentile.value(of: ideal)
        else { return nil }
        // Nothing is measured against what never ends.
        if ideal == FloorSamples.never { return nil }
        if ours == ideal { return 1 }
        if ours == FloorSamples.never || ideal == 0 { return .infinity }
        return Double(ours) / Double(ideal)
    }

    /// Payload bits a second over the rate of the line, from the moment the file is given to the
    /// peer until it is durable, at the median; and the most that physics allows: the payload alone
    /// on the line, what is lost of it once more, and the delay of its last bit. Nil where the line
    /// has no rate.
    public var goodput: (ours: Double, floor: Double)? {
        guard cell.isBulk, !cell.isHard, let rate = settings.profile.rateBitsPerSecond, rate > 0,
            let ours = Self.median(samples.ours)
        else { return nil }
        let onLine = Double(FloorCell.bulkBytes) * 8e9 / Double(rate)
        let delay = Double(settings.weather.delay.nanosecondsClamped)
        return (onLine / ours, onLine / (onLine / (1 - settings.profile.loss) + delay))
    }

    private static func median(_ samples: [UInt64]) -> Double? {
        guard !samples.isEmpty else { return nil }
        let middle = samples.sorted()[samples.count / 2]
        return middle == FloorSamples.never ? .infinity : max(1, Double(middle))
    }

    /// Bytes of both sides over those of the ideal; nil where that never sent what it had to.
    public var cost: Double? {
        guard samples.idealBytes > 0 else { return nil }
        return Double(samples.tallies.reduce(0) { $0 + $1.bytes }) / Double(samples.idealBytes)
    }
}

// MARK: Goals

extension FloorRow {
    private var ratioGoals: [FloorGoal] {
        let hasLittleLoss = settings.profile.loss <= 0.02
        let late = hasLittleLoss ? 1.1 : 1.3
        func goal(_ percentile: Percentile, _ bound: Double) -> FloorGoal {
            FloorGoal(
                name: "\(percentile.name) / ideal", actual: ratio(percentile), bound: bound)
        }
        switch cell {
        case .complication:
            return (hasLittleLoss ? [goal(.p50, 1.02)] : []) + [goal(.p99, late)]
        case .complicationEarly:
            return (hasLittleLoss ? [goal(.p50, 1.1)] : []) + [goal(.p99, late)]
        case .complicationBulk:
            var idle = goal(.p99, late)
            idle.name = "p99 / idle ideal"
            idle.floor = Self.ratio(.p99, samples.sharedIdeal, samples.ideal)
            let shared = FloorGoal(
                name: "p99 / shared ideal",
                actual: Self.ratio(.p99, samples.ours, samples.sharedIdeal), bound: late)
            return [idle, shared]
        case .hundredWarm: return [goal(.p50, 1.05), goal(.p90, 1.15)]
        default: return []
        }
    }

    private var goodputGoals: [FloorGoal] {
        guard let goodput else { return [] }
        let loss = settings.profile.loss
        let little = cell.datagramBytes(settings) >= 1000 ? 0.9 : 0.85
        return [
            FloorGoal(
                name: "goodput / rate", actual: goodput.ours,
                bound: loss <= 0.01 ? little : loss <= 0.02 ? 0.85 : 0.75, isLeast: true,
                floor: goodput.floor)
        ]
    }

    private var targetGoals: [FloorGoal] {
        guard let target = cell.target else { return [] }
        func milliseconds(_ samples: [UInt64]) -> Double? {
            Percentile.p95.value(of: samples).map {
                $0 == FloorSamples.never ? .infinity : Double($0) / 1e6
            }
        }
        var goals = [
            FloorGoal(
                name: "p95, target", actual: milliseconds(samples.ours), bound: target.goal,
                hardLimit: target.limit, floor: milliseconds(samples.limit), unit: "ms")
        ]
        if cell == .list {
            let bytes = samples.tallies.reduce(0) { $0 + $1.bytes }
            goals.append(
                FloorGoal(
                    name: "mean, on the wire",
                    actual: Double(bytes) / Double(max(1, samples.ours.count)) / 1000,
                    bound: 1000, unit: "kB"))
        }
        return goals
    }

    /// All complete, nothing twice, ordered lanes in order.
    private var wholenessGoals: [FloorGoal] {
        let broken = samples.unfinished + samples.repeated + samples.disordered
        guard broken > 0 || cell.isHard else { return [] }
        return [
            FloorGoal(name: "not over, twice or astray", actual: Double(broken), bound: 0)
        ]
    }

    /// Judges a cold start by the warm one on the same link.
    public mutating func judge(byWarm warm: FloorRow) {
        guard cell == .hundredCold, warm.cell == .hundredWarm else { return }
        for percentile in [Percentile.p50, .p90] {
            goals.append(
                FloorGoal(
                    name: "\(percentile.name) / warm",
                    actual: Self.ratio(percentile, samples.ours, warm.samples.ours), bound: 1.1))
        }
    }
}
