/// The quality of a link in four steps, by what was measured on it.
public enum LinkQuality: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    /// A change takes most of a second, or one packet in thirty is lost.
    case poor
    /// As a third-generation mobile network, or Bluetooth Low Energy.
    case moderate
    /// As a fourth-generation mobile network.
    case good
    /// As a fifth-generation mobile network, or better.
    case excellent

    /// The best step whose bounds all measurements keep.
    ///
    /// - Parameters:
    ///   - roundTrip: the smoothed round-trip time.
    ///   - lossShare: the share of packets that are lost, 0 to 1.
    ///   - bytesPerSecond: the rate of the path; an unknown rate keeps every bound.
    package init(roundTrip: Duration, lossShare: Double, bytesPerSecond: Double?) {
        self = .poor
        for quality in [Self.moderate, .good, .excellent] {
            let bounds = quality.bounds
            guard roundTrip <= bounds.roundTrip, lossShare <= bounds.lossShare,
                bytesPerSecond.map({ $0 >= bounds.bytesPerSecond }) ?? true
            else { return }
            self = quality
        }
    }

    /// The longest round-trip time, the largest share of losses and the least rate of a step.
    private var bounds: (roundTrip: Duration, lossShare: Double, bytesPerSecond: Double) {
        switch self {
        case .poor: (.seconds(Int64.max / 4), 1, 0)
        case .moderate: (.milliseconds(400), 0.035, 50_000)
        case .good: (.milliseconds(150), 0.015, 250_000)
        // The loss estimate begins at one of a hundred.
        case .excellent: (.milliseconds(40), 0.011, 1_250_000)
        }
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Evaluates the quality of a link without flapping: another step counts once it was measured for a
/// while.
package struct LinkQualityEstimator: Sendable {
    /// The present step; nil before the first measurement.
    package private(set) var quality: LinkQuality?
    /// No measurement had a rate yet. The first one with a rate counts at once, as the first of all
    /// does.
    private var isProvisional = true
    private var candidate: (quality: LinkQuality, since: Instant)?

    /// Makes an estimator without a measurement.
    package init() {}

    /// Takes a measurement; `isWhole` says that the rate is in it. Gives the step if it changed.
    package mutating func measured(
        _ measured: LinkQuality, isWhole: Bool, roundTrip: Duration, at now: Instant
    ) -> LinkQuality? {
        guard let quality, !(isProvisional && isWhole) else {
            isProvisional = !isWhole
            candidate = nil
            defer { self.quality = measured }
            return measured == self.quality ? nil : measured
        }
        guard measured != quality else {
            candidate = nil
            return nil
        }
        // Measurements that alternate between two better, or two worse, steps wait together.
        let isWorse = measured < quality
        guard let candidate, (candidate.quality < quality) == isWorse else {
            self.candidate = (measured, now)
            return nil
        }
        self.candidate = (measured, candidate.since)
        let patience = max(Self.patience, roundTrip * 4)
        guard candidate.since.duration(to: now) >= patience else { return nil }
        self.quality = measured
        self.candidate = nil
        return measured
    }

    /// The time for which another step is measured before it counts.
    private static let patience: Duration = .seconds(2)
}
