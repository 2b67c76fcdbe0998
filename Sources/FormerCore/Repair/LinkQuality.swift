/// How good a link is, in four steps, by what was measured on it.
public enum LinkQuality: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    /// A change takes most of a second, or one packet in thirty is lost.
    case poor
    /// As a mobile network of the third generation, or Bluetooth Low Energy.
    case moderate
    /// As a mobile network of the fourth.
    case good
    /// As one of the fifth, or better.
    case excellent

    /// The best step whose bounds all measurements keep.
    ///
    /// - Parameters:
    ///   - roundTrip: smoothed.
    ///   - lossShare: the share of packets that are lost, 0 ... 1.
    ///   - bytesPerSecond: what the path carries; what is not known keeps every bound.
    public init(roundTrip: Duration, lossShare: Double, bytesPerSecond: Double?) {
        self = .poor
        for quality in [Self.moderate, .good, .excellent] {
            let bounds = quality.bounds
            guard roundTrip <= bounds.roundTrip, lossShare <= bounds.lossShare,
                bytesPerSecond.map({ $0 >= bounds.bytesPerSecond }) ?? true
            else { return }
            self = quality
        }
    }

    /// The longest round trip, the largest share of losses and the least rate of a step.
    private var bounds: (roundTrip: Duration, lossShare: Double, bytesPerSecond: Double) {
        switch self {
        case .poor: (.seconds(Int64.max / 4), 1, 0)
        case .moderate: (.milliseconds(400), 0.035, 50_000)
        case .good: (.milliseconds(150), 0.015, 250_000)
        // One of a hundred packets is taken to be lost before anything is known.
        case .excellent: (.milliseconds(40), 0.011, 1_250_000)
        }
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Judges a link without flapping: another step counts once it has been measured for a while.
struct LinkQualityJudge: Sendable {
    private(set) var quality: LinkQuality?
    /// The rate was in no measurement yet: the first one with it counts at once, as the first of
    /// all does.
    private var isProvisional = true
    private var candidate: (quality: LinkQuality, since: Instant)?

    /// Takes what was measured, `isWhole` if the rate is in it; gives the quality where it has
    /// changed.
    mutating func note(
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
        // Steps between two that take turns must not restart the wait.
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

    /// How long another quality is measured before it counts.
    private static let patience: Duration = .seconds(2)
}
