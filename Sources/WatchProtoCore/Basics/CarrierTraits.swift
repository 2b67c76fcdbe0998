/// What a peer must know of the carrier under a link.
package struct CarrierTraits: Hashable, Sendable {
    /// How bytes arrive.
    package enum Framing: Hashable, Sendable {
        /// Bytes in order, in chunks of any size.
        case stream
        /// Whole packets of at most `largestBytes`.
        case datagram(largestBytes: Int)
    }

    /// How the carrier delivers bytes: as a stream, or packet by packet.
    package var framing: Framing
    /// Whether what was transmitted may be lost, repeated or reordered. A stream never is.
    package var isLossy: Bool
    /// How often the carrier gets to send at all (BLE's connection interval); zero when always.
    package var sendInterval: Duration

    /// Describes a carrier; unless told otherwise it loses nothing and may send at any time.
    package init(framing: Framing, isLossy: Bool = false, sendInterval: Duration = .zero) {
        self.framing = framing
        self.isLossy = isLossy
        self.sendInterval = sendInterval
    }

    /// A reliable stream: a Unix stream socket, a pipe pair, TCP.
    package static let stream = CarrierTraits(framing: .stream)
}
