internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore
package import WatchProtoTransport

/// The lower bound under every loopback figure: bytes bounced between two threads, or two
/// processes, by blocking calls on a Unix socket, with nothing of ours in between. Measured in the
/// same run as the figure it stands beside, because placement and machine decide both.
package enum RawPingPong {
    /// The message to bounce, how often, and where.
    package struct Options: Hashable, Sendable {
        /// Round trips measured.
        package var rounds = 20_000
        /// Round trips before those, not measured.
        package var warmUpRounds = 1_000
        /// Bytes of a ping, and of its echo.
        package var payloadBytes = 64
        /// The CPU of the measuring thread; nil leaves it to the system.
        package var measuringCPU: Int?
        /// The CPU of the echoing thread; nil leaves it to the system.
        package var echoingCPU: Int?

        /// The usual choice of everything.
        package init() {}
    }

    /// Bounces between two threads of this process over a socket pair.
    ///
    /// - Returns: each round trip in nanoseconds, in order.
    /// - Throws: ``LinkError`` when the system gives no sockets or threads.
    package static func run(_ options: Options = Options()) throws(LinkError) -> [UInt64] {
        let (left, right) = try BlockingSocket.pair()
        return try measure(on: left, options) { () throws(LinkError) in
            try thread(options.echoingCPU) { echo(on: right, options.payloadBytes) }
        }
    }

    /// The echoing half of two processes: waits at `path` for one connection, and echoes until it
    /// ends.
    ///
    /// - Throws: ``LinkError`` when the path cannot be had.
    package static func serve(
        at path: String, _ options: Options = Options()
    ) throws(LinkError) {
        let socket = try BlockingSocket.accept(at: path)
        try thread(options.echoingCPU) { echo(on: socket, options.payloadBytes) }.join()
    }

    /// The measuring half of two processes; the other one ``serve(at:_:)``s at `path` already.
    ///
    /// - Returns: each round trip in nanoseconds, in order.
    /// - Throws: ``LinkError`` when nobody serves there.
    package static func measure(
        at path: String, _ options: Options = Options()
    ) throws(LinkError) -> [UInt64] {
        try measure(on: try BlockingSocket.connect(to: path), options) { nil }
    }

    private static func measure(
        on socket: BlockingSocket, _ options: Options,
        starting other: () throws(LinkError) -> SystemThread?
    ) throws(LinkError) -> [UInt64] {
        let samples = Mutex<[UInt64]>([])
        let echoing = try other()
        let measuring = try thread(options.measuringCPU) {
            let taken = bounce(on: socket, options)
            samples.withLock { $0 = taken }
            socket.close()
        }
        measuring.join()
        echoing?.join()
        return samples.withLock { $0 }
    }

    private static func bounce(on socket: BlockingSocket, _ options: Options) -> [UInt64] {
        var samples: [UInt64] = []
        samples.reserveCapacity(options.rounds)
        var payload = [UInt8](repeating: 0xA5, count: max(options.payloadBytes, 1))
        for round in 0..<(options.warmUpRounds + options.rounds) {
            let start = watchproto_monotonic_nanoseconds()
            guard socket.write(payload), socket.read(&payload) else { break }
            let end = watchproto_monotonic_nanoseconds()
            if round >= options.warmUpRounds { samples.append(end - start) }
        }
        return samples
    }

    private static func echo(on socket: BlockingSocket, _ payloadBytes: Int) {
        var payload = [UInt8](repeating: 0, count: max(payloadBytes, 1))
        while socket.read(&payload), socket.write(payload) {}
        socket.close()
    }

    private static func thread(
        _ cpu: Int?, _ body: @escaping @Sendable () -> Void
    ) throws(LinkError) -> SystemThread {
        do throws(SystemErrorNumber) {
            return try SystemThread(pinnedCPU: cpu, body)
        } catch {
            throw .system(error.failure(of: "pthread_create"), subject: "a measuring thread")
        }
    }
}
