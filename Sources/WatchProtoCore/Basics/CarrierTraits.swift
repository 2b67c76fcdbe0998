/// The properties of a carrier that the peer above it must know.
package struct CarrierTraits: Hashable, Sendable {
    /// The form in which the carrier delivers bytes.
    package enum Framing: Hashable, Sendable {
        /// Bytes in order, in chunks of any size.
        case stream
        /// Whole packets of at most `largestBytes`.
        case datagram(largestBytes: Int)
    }

    /// The framing of the carrier: it delivers a stream of bytes, or packet by packet.
    package var framing: Framing
    /// Whether what was transmitted may be lost, repeated or reordered. A stream never is.
    package var isLossy: Bool
    /// The interval between the carrier's chances to send (BLE's connection interval). Zero means
    /// that it can send at any time.
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
