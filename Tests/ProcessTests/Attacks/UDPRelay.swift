import CPosix
import Foundation
import Glibc
import Synchronization

/// Hands datagrams on between a connecting and a listening side, and can put in others: to either
/// side they come from where the other one's come from, as those of an attacker who writes that
/// address into them.
final class UDPRelay: Sendable {
    /// Where the connecting side sends to, as `--link` names it.
    let front: String
    private let facingConnecting: Int32
    private let facingListening: Int32
    private let stop: Int32
    private let connecting = Mutex<sockaddr_in?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - front: an endpoint of its own.
    ///   - back: the endpoint of the listening side.
    init(front: String, back: String) {
        self.front = front
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let (near, far) = (socket(AF_INET, type, 0), socket(AF_INET, type, 0))
        unsafe Self.with(Self.place(of: front)) { place, count in
            precondition(unsafe bind(near, place, count) == 0)
        }
        unsafe Self.with(Self.place(of: back)) { place, count in
            precondition(unsafe connect(far, place, count) == 0)
        }
        (facingConnecting, facingListening) = (near, far)
        var reading: Int32 = -1
        var writing: Int32 = -1
        _ = unsafe watchproto_pipe(&reading, &writing)
        stop = writing
        let stopped = reading
        Thread.detachNewThread { [self] in
            run(until: stopped)
            for number in [facingConnecting, facingListening, stopped] { close(number) }
            ended.signal()
        }
    }

    /// Puts a datagram in that seems to come from the listening side.
    func sayToConnecting(_ bytes: [UInt8]) {
        guard let place = connecting.withLock({ $0 }) else { return }
        unsafe Self.with(place) { place, count in
            _ = unsafe sendto(facingConnecting, bytes, bytes.count, 0, place, count)
        }
    }

    /// Puts a datagram in that seems to come from the connecting side.
    func sayToListening(_ bytes: [UInt8]) {
        _ = unsafe Glibc.send(facingListening, bytes, bytes.count, 0)
    }

    /// Ends it; nothing passes any more.
    func end() {
        close(stop)
        ended.wait()
    }

    private func run(until stopped: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var set = [stopped, facingConnecting, facingListening].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            _ = unsafe poll(&set, nfds_t(set.count), -1)
            if set[0].revents != 0 { return }
            if set[1].revents != 0 {
                var place = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = unsafe withUnsafeMutableBytes(of: &place) { bytes in
                    unsafe recvfrom(
                        facingConnecting, &buffer, buffer.count, 0,
                        bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, &length)
                }
                if count >= 0 {
                    connecting.withLock { $0 = place }
                    sayToListening(Array(buffer[..<count]))
                }
            }
            if set[2].revents != 0 {
                let count = unsafe recv(facingListening, &buffer, buffer.count, 0)
                if count >= 0 { sayToConnecting(Array(buffer[..<count])) }
            }
        }
    }

    /// The place that an address such as `udp:127.0.0.1:7001` names.
    static func place(of link: String) -> sockaddr_in {
        let parts = link.split(separator: "?")[0].split(separator: ":")
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = (UInt16(parts[2]) ?? 0).bigEndian
        place.sin_addr.s_addr = unsafe inet_addr(String(parts[1]))
        return place
    }

    private static func with(
        _ place: sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Void
    ) {
        var place = place
        unsafe withUnsafeBytes(of: &place) { bytes in
            unsafe body(
                bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
        }
    }
}
