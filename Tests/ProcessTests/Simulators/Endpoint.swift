import Glibc
import Synchronization

/// UDP addresses that nobody else has: an address of this process' own in 127.0.0.0/8, and a port
/// of its own.
enum Endpoint {
    private static let nextPort = Atomic<UInt16>(40_000)

    static func fresh(_ options: String = "") -> String {
        let number = UInt32(getpid()) << 2 & 0x00FF_FFFC | 1
        let port = nextPort.wrappingAdd(1, ordering: .relaxed).newValue
        let host = "127.\(number >> 16 & 0xFF).\(number >> 8 & 0xFF).\(number & 0xFF)"
        return "udp:\(host):\(port)\(options)"
    }
}
