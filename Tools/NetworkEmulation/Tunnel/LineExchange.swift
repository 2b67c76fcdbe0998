import CPosix
import CommandLine
import Glibc
import Locks
import WatchProtoTransport

/// A plain transport to compare with: kernel TCP, one connection, `TCP_NODELAY`, a line of JSON for
/// each record. Both ends are in this process, each in its own network of a ``LinkTunnel``.
///
/// The thread that makes one enters the phone's network and cannot go back: it should end with it.
package final class LineExchange {
    private struct Connection {
        /// The phone's end, and the watch's once it was accepted.
        var client: Int32
        var server: Int32 = -1
    }

    private let listener: Int32
    private let mayGoOn: () -> Bool
    private var place: watchproto_place
    private var warm: Connection?
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    private static let port: UInt16 = 7001

    /// Listens on the watch's side and enters the phone's.
    ///
    /// - Parameters:
    ///   - tunnel: the line between the two sides.
    ///   - mayGoOn: asked at least five times a second; once it says no, every exchange ends as if
    ///     its time were over.
    /// - Throws: the call that the system refused.
    package init(
        _ tunnel: LinkTunnel, while mayGoOn: @escaping () -> Bool = { true }
    ) throws(LinkTunnel.Refusal) {
        var place = watchproto_place()
        place.family = 4
        place.low = UInt64(tunnel.far.address)
        place.port = Self.port
        self.place = place
        self.mayGoOn = mayGoOn
        listener = try Self.listen(in: tunnel.far.space, at: place)
        guard watchproto_enter_network(tunnel.near.space) == 0 else {
            let number = errno
            _ = Glibc.close(listener)
            throw LinkTunnel.Refusal(call: "setns", number: number)
        }
    }

    deinit {
        disconnect()
        _ = Glibc.close(listener)
    }

    /// A socket belongs to the network of the thread that made it, whoever uses it later.
    private static func listen(
        in space: Int32, at place: watchproto_place
    ) throws(LinkTunnel.Refusal) -> Int32 {
        typealias Made = Result<Int32, LinkTunnel.Refusal>
        let made = Mutex<Made>(.failure(LinkTunnel.Refusal(call: "a thread", number: EAGAIN)))
        let (low, port) = (place.low, place.port)
        do throws(SystemErrorNumber) {
            try SystemThread {
                var place = watchproto_place()
                place.family = 4
                place.low = low
                place.port = port
                let number =
                    watchproto_enter_network(space) == 0 ? watchproto_tcp_open() : Int32(-1)
                let result = unsafe watchproto_tcp_listen(number, &place)
                let (isListening, failure) = (result == 0, errno)
                if number >= 0, !isListening { _ = Glibc.close(number) }
                made.withLock {
                    $0 =
                        isListening
                        ? .success(number)
                        : .failure(LinkTunnel.Refusal(call: "listen", number: failure))
                }
            }.join()
        } catch {
            throw LinkTunnel.Refusal(call: "pthread_create", number: error.rawValue)
        }
        return try made.withLock { $0 }.get()
    }

    // MARK: Exchanges

    /// Sends `bytes` over the connection that is there, and makes one where there is none, before
    /// the clock starts.
    ///
    /// - Parameters:
    ///   - bytes: what is sent.
    ///   - deadline: when to give up, in nanoseconds of CLOCK_MONOTONIC.
    /// - Returns: nanoseconds until the other side had read the last of them; nil when it had not
    ///   in time, or the connection broke. The next exchange then begins with a new one.
    package func sendWarm(_ bytes: [UInt8], until deadline: UInt64) -> UInt64? {
        if warm == nil {
            guard var made = open() else { return nil }
            let hello: [UInt8] = [UInt8(ascii: "\n")]
            guard connect(made), pass(hello, over: &made, until: deadline) else {
                Self.close(made)
                return nil
            }
            warm = made
            settle(until: deadline)
        }
        guard var connection = warm else { return nil }
        warm = nil
        let start = MonotonicClock.nowNanoseconds
        guard pass(bytes, over: &connection, until: deadline) else {
            Self.close(connection)
            return nil
        }
        warm = connection
        return MonotonicClock.nowNanoseconds - start
    }

    /// Connects, sends `bytes`, and closes; as ``sendWarm(_:until:)``, with the time to connect.
    package func sendCold(_ bytes: [UInt8], until deadline: UInt64) -> UInt64? {
        guard var connection = open() else { return nil }
        defer { Self.close(connection) }
        let start = MonotonicClock.nowNanoseconds
        guard connect(connection), pass(bytes, over: &connection, until: deadline) else {
            return nil
        }
        return MonotonicClock.nowNanoseconds - start
    }

    /// Waits until the warm connection has nothing under way.
    package func settle(until deadline: UInt64) {
        while let warm, watchproto_tcp_unacknowledged(warm.client) > 0, mayGoOn(),
            MonotonicClock.nowNanoseconds < deadline
        {
            usleep(2_000)
        }
    }

    /// Gives up the warm connection.
    package func disconnect() {
        if let warm { Self.close(warm) }
        warm = nil
    }

    /// The system's congestion control, as it names it; nil before the first exchange.
    package var congestion: String? {
        guard let warm else { return nil }
        var name = [CChar](repeating: 0, count: 32)
        guard unsafe watchproto_tcp_congestion(warm.client, &name, name.count) == 0 else {
            return nil
        }
        return String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: Sockets

    private func open() -> Connection? {
        let client = watchproto_tcp_open()
        return client < 0 ? nil : Connection(client: client)
    }

    private func connect(_ connection: Connection) -> Bool {
        unsafe watchproto_tcp_connect(connection.client, &place) == 0
    }

    private static func close(_ connection: Connection) {
        _ = Glibc.close(connection.client)
        if connection.server >= 0 { _ = Glibc.close(connection.server) }
    }

    /// Moves `bytes` from the phone's end to the watch's, which is accepted where it is missing;
    /// says whether all came in time, as they were.
    private func pass(
        _ bytes: [UInt8], over connection: inout Connection, until deadline: UInt64
    ) -> Bool {
        var sent = 0
        var received: [UInt8] = []
        while received.count < bytes.count {
            let now = MonotonicClock.nowNanoseconds
            guard now < deadline, mayGoOn() else { return false }
            let reader = connection.server < 0 ? listener : connection.server
            var set = [
                pollfd(
                    fd: connection.client, events: sent < bytes.count ? Int16(POLLOUT) : 0,
                    revents: 0),
                pollfd(fd: reader, events: Int16(POLLIN), revents: 0),
            ]
            let wait = min(deadline - now, 200_000_000)
            _ = unsafe watchproto_poll(&set, 2, Int64(wait))
            if set[0].revents & Int16(POLLERR | POLLHUP) != 0 { return false }
            if set[0].revents & Int16(POLLOUT) != 0 {
                let count = unsafe bytes.withUnsafeBytes { all in
                    unsafe Glibc.send(
                        connection.client, all.baseAddress! + sent, all.count - sent,
                        Int32(MSG_NOSIGNAL))
                }
                sent += max(0, count)
            }
            guard set[1].revents != 0 else { continue }
            if connection.server < 0 {
                connection.server = watchproto_tcp_accept(listener)
            } else {
                let count = unsafe Glibc.read(connection.server, &buffer, buffer.count)
                if count > 0 { received += buffer[..<count] }
                if count == 0 { return false }
            }
        }
        return received == bytes
    }
}
