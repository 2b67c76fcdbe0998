import CPosix
import Foundation
import Glibc
import Locks

/// Somebody in the middle of a Unix socket, who hands everything on and keeps a copy.
final class Relay: Sendable {
    private let heard = Mutex<[UInt8]>([])
    private let connections = Mutex(0)
    private let stop: Int32
    private let ended = DispatchSemaphore(value: 0)

    /// Listens at `front` and hands on to whoever listens at `back`.
    init(front: String, back: String) {
        var reading: Int32 = -1
        var writing: Int32 = -1
        _ = unsafe watchproto_pipe(&reading, &writing)
        stop = writing
        let stopped = reading
        let bytes = Array(front.utf8)
        let listener = unsafe watchproto_listen_for_control(bytes, bytes.count)
        precondition(listener >= 0, "cannot listen at \(front)")
        Thread.detachNewThread { [self] in
            while let client = Self.next(listener, stopped) {
                let server = Bench.connect(back)
                if server >= 0 {
                    connections.withLock { $0 += 1 }
                    pass(client, server, stopped)
                    close(server)
                }
                close(client)
            }
            close(listener)
            close(stopped)
            ended.signal()
        }
    }

    /// Everything that went through, in either direction.
    var capture: [UInt8] { heard.withLock { $0 } }
    /// Links that were opened through it.
    var linkCount: Int { connections.withLock { $0 } }

    /// Ends it; nothing passes any more.
    func end() {
        close(stop)
        ended.wait()
    }

    private static func next(_ listener: Int32, _ stopped: Int32) -> Int32? {
        guard wait([listener, stopped]) == 0 else { return nil }
        let client = accept(listener, nil, nil)
        return client >= 0 ? client : nil
    }

    private func pass(_ client: Int32, _ server: Int32, _ stopped: Int32) {
        while true {
            let place = Self.wait([client, server, stopped])
            guard place < 2 else { return }
            let (from, to) = place == 0 ? (client, server) : (server, client)
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = unsafe read(from, &chunk, chunk.count)
            guard count > 0 else { return }
            heard.withLock { $0 += chunk[..<count] }
            var sent = 0
            while sent < count {
                let taken = unsafe chunk.withUnsafeBytes { bytes in
                    unsafe send(
                        to, bytes.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
                }
                guard taken > 0 else { return }
                sent += taken
            }
        }
    }

    /// Which of the descriptors is readable first.
    private static func wait(_ descriptors: [Int32]) -> Int {
        var set = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&set, nfds_t(set.count), -1)
        return set.firstIndex { $0.revents != 0 } ?? descriptors.count
    }
}
