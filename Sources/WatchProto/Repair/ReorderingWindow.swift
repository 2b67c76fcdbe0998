/// How long a packet may be on its way while later ones have arrived: zero until one that was given
/// up arrived after all (RFC 8985, section 6.2).
struct ReorderingWindow: Sendable {
    /// Packets given up lately: an acknowledgement that names one shows that it was late, not lost.
    private var givenUp: [(number: UInt64, sentAt: Instant)] = []
    /// Packets given up since one last turned out to have been late.
    private var lossesSinceLate = 0

    /// The window.
    private(set) var window: Duration = .zero

    /// Notes that a packet was given up.
    mutating func gaveUp(_ number: UInt64, sentAt: Instant) {
        if givenUp.count >= Self.limit { givenUp.removeFirst() }
        givenUp.append((number, sentAt))
        lossesSinceLate += 1
        // Enough that were lost indeed: the carrier may have ceased to reorder.
        guard lossesSinceLate >= Self.lossesToBelieve else { return }
        lossesSinceLate = 0
        window = window / 2
        if window < .milliseconds(1) { window = .zero }
    }

    /// Takes numbers newly acknowledged; says how many of them had been given up: they were under
    /// way all the time.
    mutating func note(_ news: [ClosedRange<UInt64>], at now: Instant) -> Int {
        guard !givenUp.isEmpty else { return 0 }
        var late = 0
        givenUp.removeAll { packet in
            guard news.contains(where: { $0.contains(packet.number) }) else { return false }
            let time = packet.sentAt.duration(to: now)
            window = min(max(window, time + time / 8), Self.longest)
            late += 1
            return true
        }
        if late > 0 { lossesSinceLate = 0 }
        return late
    }

    /// After how many lost packets in a row, none of them late, the window is halved.
    private static let lossesToBelieve = 16
    /// Packets given up that are remembered.
    private static let limit = 512
    /// The longest window.
    private static let longest: Duration = .seconds(4)
}
