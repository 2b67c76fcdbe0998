import CPosix
import Foundation
import Glibc

/// Hands a stream on between two Unix sockets at a bounded rate each way, and takes no byte before
/// there is room for it on the line: what waits, waits in the sender's own kernel buffers.
final class SlowRelay: Sendable {
    private let stop: Int32
    private let ended = DispatchSemaphore(value: 0)
    private static let step: Double = 0.01

    /// Listens at `front` for one connection after another, and hands on to whoever listens at
    /// `back`.
    ///
    /// - Parameter rate: bytes a second, each way.
    init(front: String, back: String, rate: Double) {
        var reading: Int32 = -1
        var writing: Int32 = -1
        _ = unsafe watchproto_pipe(&reading, &writing)
        stop = writing
        let stopped = reading
        let bytes = Array(front.utf8)
        let listener = unsafe watchproto_listen_for_control(bytes, bytes.count)
        precondition(listener >= 0, "cannot listen at \(front)")
        Thread.detachNewThread { [self] in
            while Self.waits(for: listener, or: stopped) {
                let client = accept(listener, nil, nil)
                let server = Bench.connect(back)
                if client >= 0, server >= 0 { pass(client, server, stopped, rate) }
                for number in [client, server] where number >= 0 { close(number) }
            }
            close(listener)
            close(stopped)
            ended.signal()
        }
    }

    /// Ends it; nothing passes any more.
    func end() {
        close(stop)
        ended.wait()
    }

    private func pass(_ client: Int32, _ server: Int32, _ stopped: Int32, _ rate: Double) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let share = Int(rate * Self.step)
        while !Self.isReadable(stopped, milliseconds: Int32(Self.step * 1000)) {
            for (from, to) in [(client, server), (server, client)]
            where Self.isReadable(from, milliseconds: 0) {
                let count = unsafe read(from, &buffer, min(share, buffer.count))
                guard count > 0 else { return }
                let flags = Int32(MSG_NOSIGNAL)
                guard unsafe send(to, buffer, count, flags) == count else { return }
            }
        }
    }

    private static func isReadable(_ number: Int32, milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, milliseconds) > 0
    }

    /// False once the second is readable.
    private static func waits(for listener: Int32, or stopped: Int32) -> Bool {
        var set = [listener, stopped].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&set, 2, -1)
        return set[1].revents == 0
    }
}
