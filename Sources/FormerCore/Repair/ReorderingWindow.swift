/// How long a packet may be on its way while later ones have arrived: zero until one that later
/// ones had passed arrived after all (RFC 8985, section 6.2).
///
/// What was given up by a time-out and is acknowledged later shows no reordering: mostly it arrived
/// in time, and its acknowledgement was lost.
struct ReorderingWindow: Sendable {
    private struct GivenUp: Sendable {
        var number: UInt64
        var sentAt: Instant
        /// Later ones had arrived without it.
        var wasPassed: Bool
        /// It is part of what the path is believed to lose.
        var isCounted: Bool
    }

    /// Packets given up lately: an acknowledgement that names one shows that it was not lost.
    private var givenUp: [GivenUp] = []
    /// Packets given up since one last turned out to have been late.
    private var lossesSinceLate = 0

    /// The window.
    private(set) var window: Duration = .zero

    /// Notes that a packet was given up, since later ones have passed it or a time-out has.
    mutating func gaveUp(
        _ number: UInt64, sentAt: Instant, wasPassed: Bool, isCounted: Bool = true
    ) {
        if givenUp.count >= Self.limit { givenUp.removeFirst() }
        givenUp.append(
            GivenUp(number: number, sentAt: sentAt, wasPassed: wasPassed, isCounted: isCounted))
        guard wasPassed else { return }
        lossesSinceLate += 1
        // Enough that were lost indeed: the carrier may have ceased to reorder.
        guard lossesSinceLate >= Self.lossesToBelieve else { return }
        lossesSinceLate = 0
        window = window / 2
        if window < .milliseconds(1) { window = .zero }
    }

    /// Takes numbers newly acknowledged; says how many of them had been given up, and were counted
    /// as lost: they were not.
    mutating func note(_ news: [ClosedRange<UInt64>], at now: Instant) -> Int {
        guard !givenUp.isEmpty else { return 0 }
        var late = 0
        givenUp.removeAll { packet in
            guard news.contains(where: { $0.contains(packet.number) }) else { return false }
            if packet.isCounted { late += 1 }
            guard packet.wasPassed else { return true }
            let time = packet.sentAt.duration(to: now)
            window = min(max(window, time + time / 8), Self.longest)
            lossesSinceLate = 0
            return true
        }
        return late
    }

    /// After how many packets that were passed, none of them late, the window is halved.
    private static let lossesToBelieve = 16
    /// Packets given up that are remembered.
    private static let limit = 512
    /// The longest window.
    private static let longest: Duration = .seconds(4)
}
