/// The reordering window: the time for which a packet may stay unacknowledged although later
/// packets have arrived. It is zero until such a packet arrives after all (RFC 8985, section 6.2).
///
/// A packet that a probe time-out declared lost and that is acknowledged later is no sign of
/// reordering: mostly the acknowledgement was lost.
struct ReorderingWindow: Sendable {
    /// A packet that was declared lost.
    private struct DeclaredLoss: Sendable {
        var number: UInt64
        var sentAt: Instant
        /// Later packets had arrived without it.
        var wasPassed: Bool
        /// It counts in the loss estimate.
        var isCounted: Bool
    }

    /// Packets declared lost lately. An acknowledgement that names one shows a spurious loss.
    private var losses: [DeclaredLoss] = []
    /// Packets declared lost since the last one that was late.
    private var lossesSinceLate = 0

    /// The window.
    private(set) var window: Duration = .zero

    /// Records that packet `number` was declared lost: `wasPassed` where later packets had arrived,
    /// else by a probe time-out.
    mutating func declaredLost(
        _ number: UInt64, sentAt: Instant, wasPassed: Bool, isCounted: Bool = true
    ) {
        if losses.count >= Self.limit { losses.removeFirst() }
        losses.append(
            DeclaredLoss(
                number: number, sentAt: sentAt, wasPassed: wasPassed, isCounted: isCounted))
        guard wasPassed else { return }
        lossesSinceLate += 1
        // So many true losses in a row: the carrier may have ceased to reorder.
        guard lossesSinceLate >= Self.lossesToBelieve else { return }
        lossesSinceLate = 0
        window = window / 2
        if window < .milliseconds(1) { window = .zero }
    }

    /// Takes newly acknowledged numbers. Gives how many of them the loss estimate counts as lost.
    mutating func acknowledged(_ news: [ClosedRange<UInt64>], at now: Instant) -> Int {
        guard !losses.isEmpty else { return 0 }
        var spurious = 0
        losses.removeAll { packet in
            guard news.contains(where: { $0.contains(packet.number) }) else { return false }
            if packet.isCounted { spurious += 1 }
            guard packet.wasPassed else { return true }
            let time = packet.sentAt.duration(to: now)
            window = min(max(window, time + time / 8), Self.longest)
            lossesSinceLate = 0
            return true
        }
        return spurious
    }

    /// After so many passed packets, none of them late, the window is halved.
    private static let lossesToBelieve = 16
    /// Declared losses that are remembered.
    private static let limit = 512
    /// The longest window.
    private static let longest: Duration = .seconds(4)
}
