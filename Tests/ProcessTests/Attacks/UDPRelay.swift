import CPosix
import Foundation
import Glibc
import Locks

/// Hands datagrams on between a connecting and a listening side, and can put in others: to either
/// side they come from where the other one's come from, as those of an attacker who writes that
/// address into them.
final class UDPRelay: Sendable {
    /// The address to which the connecting side sends, as `--link` names it.
    let front: String
    private let facingConnecting: Int32
    private let facingListening: Int32
    private let stop: Int32
    private let connecting = Mutex<sockaddr_in?>(nil)
    private let ended = DispatchSemaphore(value: 0)
    private let delay: UInt64

    /// A packet that waits for its time, and the direction in which it goes.
    private struct Waiting {
        var due: UInt64
        var bytes: [UInt8]
        var isForListening: Bool
    }

    /// - Parameters:
    ///   - front: an endpoint of its own.
    ///   - back: the endpoint of the listening side.
    ///   - milliseconds: how long each datagram takes, either way.
    init(front: String, back: String, delay milliseconds: Int = 0) {
        self.front = front
        delay = UInt64(milliseconds) * 1_000_000
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
        var waiting: [Waiting] = []
        while true {
            let now = watchproto_monotonic_nanoseconds()
            while let first = waiting.first, first.due <= now {
                waiting.removeFirst()
                if first.isForListening {
                    sayToListening(first.bytes)
                } else {
                    sayToConnecting(first.bytes)
                }
            }
            let pause = waiting.first.map { Int32(($0.due - now) / 1_000_000 + 1) } ?? -1
            var set = [stopped, facingConnecting, facingListening].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            _ = unsafe poll(&set, nfds_t(set.count), pause)
            if set[0].revents != 0 { return }
            let due = watchproto_monotonic_nanoseconds() + delay
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
                    let bytes = Array(buffer[..<count])
                    waiting.append(Waiting(due: due, bytes: bytes, isForListening: true))
                }
            }
            if set[2].revents != 0 {
                let count = unsafe recv(facingListening, &buffer, buffer.count, 0)
                if count >= 0 {
                    let bytes = Array(buffer[..<count])
                    waiting.append(Waiting(due: due, bytes: bytes, isForListening: false))
                }
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
