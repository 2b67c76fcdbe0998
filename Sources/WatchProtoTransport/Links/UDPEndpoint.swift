internal import WatchProtoCore

/// A UDP port of this host, with the properties of the link over it. Written `127.0.0.1:7001`,
/// `[::1]:7001` or `127.0.0.1:7001?datagram=244&interval=30ms`.
///
/// The listening side binds the port. The connecting side sends from a port that the system picks.
package struct UDPEndpoint: Hashable, Sendable {
    /// A loopback address.
    package enum Host: Hashable, Sendable {
        /// One of 127.0.0.0/8, as a number: 127.0.0.1 is 0x7F000001.
        case v4(UInt32)
        /// `::1`.
        case v6

        /// 127.0.0.1.
        package static let loopback = Host.v4(0x7F00_0001)
    }

    /// The address.
    package var host: Host
    /// The port.
    package var port: UInt16
    /// The largest packet that goes out, in bytes.
    package var datagramBytes: Int
    /// The interval at which the link under the socket can send (BLE's connection interval), for
    /// the peer; zero if always.
    package var sendInterval: Duration

    /// The largest possible packet, in bytes: the content of a UDP datagram.
    package static var largestDatagramBytes: Int { 65_507 }
    /// The least value of the largest packet, in bytes: that of Bluetooth Low Energy. A handshake
    /// message just fits.
    package static var smallestDatagramBytes: Int { 244 }
    /// The ports that may be used. Lower ports belong to root.
    package static var ports: ClosedRange<UInt16> { 1_024...65_535 }
    /// The longest interval.
    package static var longestInterval: Duration { .seconds(4) }

    /// Makes an endpoint. The largest packet is clamped to the possible range.
    package init(
        _ host: Host = .loopback, port: UInt16, datagramBytes: Int = largestDatagramBytes,
        sendInterval: Duration = .zero
    ) {
        self.host = host
        self.port = port
        self.datagramBytes = min(
            max(datagramBytes, Self.smallestDatagramBytes), Self.largestDatagramBytes)
        self.sendInterval = min(max(sendInterval, .zero), Self.longestInterval)
    }
}

extension UDPEndpoint: CustomStringConvertible {
    /// The text as written after `udp:`.
    package var description: String {
        var options: [String] = []
        if datagramBytes != Self.largestDatagramBytes {
            options.append("datagram=\(datagramBytes)")
        }
        if sendInterval > .zero {
            options.append("interval=\(sendInterval.nanosecondsClamped / 1_000_000)ms")
        }
        return "\(host):\(port)" + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
    }
}

extension UDPEndpoint.Host: CustomStringConvertible {
    /// The text as written before the port.
    package var description: String {
        switch self {
        case .v4(let number):
            (0..<4).map { "\(number >> (24 - 8 * $0) & 0xFF)" }.joined(separator: ".")
        case .v6: "[::1]"
        }
    }
}
