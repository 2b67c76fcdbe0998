import CPosix
import Glibc
import Locks
import Testing

/// UDP addresses that nobody else has: an address of this process' own in 127.0.0.0/8, and a port
/// of its own.
enum Endpoint {
    /// Why nothing crosses between such addresses here; nil where a datagram does.
    static let refusal: Comment? = {
        let number = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return "no UDP socket can be had (errno \(errno))" }
        defer { close(number) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = address.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // To itself: where the loopback is down, a socket has its address, and nothing arrives.
        let isReached = unsafe withUnsafeMutableBytes(of: &place) { bytes in
            let own = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
            guard unsafe bind(number, own, length) == 0,
                unsafe getsockname(number, own, &length) == 0,
                unsafe connect(number, own, length) == 0,
                unsafe Glibc.send(number, [7], 1, 0) == 1
            else { return false }
            return true
        }
        guard isReached else { return "UDP is refused on the loopback (errno \(errno))" }
        var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, 1_000) == 1 ? nil : "no datagram crosses the loopback"
    }()

    private static let address = 0x7F00_0000 | UInt32(getpid()) << 2 & 0x00FF_FFFC | 1

    private static let nextPort = Atomic<UInt16>(40_000)

    /// The tests that need one are skipped where there is none, and say why.
    static let isThere = ConditionTrait.enabled(if: refusal == nil, refusal)

    static func fresh(_ options: String = "") -> String {
        let port = nextPort.wrappingAdd(1, ordering: .relaxed).newValue
        let host = "127.\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
        return "udp:\(host):\(port)\(options)"
    }
}
