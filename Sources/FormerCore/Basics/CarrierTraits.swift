/// What a peer must know of the carrier under a link.
public struct CarrierTraits: Hashable, Sendable {
    /// How bytes arrive.
    public enum Framing: Hashable, Sendable {
        /// Bytes in order, in chunks of any size.
        case stream
        /// Whole packets of at most `largestBytes`.
        case datagram(largestBytes: Int)
    }

    /// How the carrier delivers bytes: as a stream, or packet by packet.
    public var framing: Framing
    /// Whether what was transmitted may be lost, repeated or reordered. A stream never is.
    public var isLossy: Bool
    /// How often the carrier gets to send at all (BLE's connection interval); zero when always.
    public var sendInterval: Duration

    /// Describes a carrier; unless told otherwise it loses nothing and may send at any time.
    public init(framing: Framing, isLossy: Bool = false, sendInterval: Duration = .zero) {
        self.framing = framing
        self.isLossy = isLossy
        self.sendInterval = sendInterval
    }

    /// A reliable stream: a Unix stream socket, a pipe pair, TCP.
    public static let stream = CarrierTraits(framing: .stream)
}
