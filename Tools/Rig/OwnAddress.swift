import Glibc
import Simulation
import WatchProtoTransport

/// Addresses that no other run uses at the same time.
enum OwnAddress {
    /// A place for UDP at an address of this process' own, in 127.0.0.0/8.
    static func udp(
        _ port: UInt16, datagramBytes: Int, sendInterval: Duration = .zero
    ) -> LinkAddress {
        let number = 0x7F00_0000 | UInt32(getpid()) << 2 & 0x00FF_FFFC | 2
        return .udp(
            UDPEndpoint(
                .v4(number), port: port, datagramBytes: datagramBytes,
                sendInterval: sendInterval))
    }
}
