internal import CPosix
package import WatchProtoCore

/// The kinds of Unix socket; the raw values are the shim's.
package enum SocketKind: Int32, Sendable {
    case stream = 1
    case datagram = 2
    case seqpacket = 3

    package var traits: CarrierTraits {
        switch self {
        case .stream: .stream
        case .seqpacket: CarrierTraits(framing: .datagram(largestBytes: Self.largestPacketBytes))
        case .datagram:
            CarrierTraits(
                framing: .datagram(largestBytes: Self.largestDatagramBytes), isLossy: true)
        }
    }

    /// The largest seqpacket in bytes. It fits the system's default socket buffers several times
    /// over.
    package static var largestPacketBytes: Int { 1 << 16 }

    /// The largest datagram in bytes: with a header of 16 bytes it is within the system's limits.
    package static var largestDatagramBytes: Int { (1 << 16) - 16 }

    /// Makes a socket of this kind, non-blocking and closed on exec (`socket`).
    package func make() -> Result<Int32, SystemErrorNumber> {
        retryOnInterrupt { watchproto_socket(rawValue) }
    }
}
