import CPosix
import CommandLine
import Glibc
import Locks
import Reports
import WatchProtoTransport

/// Answers `GET /metrics` on a port of 127.0.0.1 while it lives, one request after the other.
final class MetricsServer: Sendable {
    /// The port that it listens on.
    let port: UInt16
    private let listener: Int32
    private let isEnding = Atomic<Bool>(false)
    private let thread = Mutex<SystemThread?>(nil)
    private let text: @Sendable () -> String

    /// A request has no more bytes than this.
    private static let mostBytes = 8192
    /// How long a request may take to arrive, in milliseconds.
    private static let patience: Int32 = 1000

    /// Listens at `address`; `text` makes the body of each answer.
    ///
    /// - Throws: exit code 69 where the port cannot be had.
    init(_ address: MetricsAddress, text: @escaping @Sendable () -> String) throws(RigFailure) {
        self.text = text
        listener = watchproto_tcp_open()
        var on: Int32 = 1
        unsafe setsockopt(
            listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = address.port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isOpen = unsafe withUnsafeMutablePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                guard unsafe bind(descriptor, raw, size) == 0, listen(descriptor, 8) == 0 else {
                    return false
                }
                return unsafe getsockname(descriptor, raw, &size) == 0
            }
        }
        let number = errno
        port = UInt16(bigEndian: place.sin_port)
        var failure = isOpen ? nil : SystemError("listen", address.argumentText, number: number)
        if failure == nil {
            do throws(SystemErrorNumber) {
                let made = try SystemThread { [self] in serve() }
                thread.withLock { $0 = made }
            } catch {
                failure = SystemError("thread", address.argumentText, number: error.rawValue)
            }
        }
        guard let failure else { return }
        close(listener)
        throw RigFailure(
            .unreachable, "Cannot give metrics at \(address.argumentText): \(failure.reason).",
            details: ["Try: another port, or \(MetricsAddress.host):0 for any that is free."])
    }

    /// Stops listening.
    func stop() {
        isEnding.store(true, ordering: .relaxed)
        thread.withLock { thread in
            guard let running = thread else { return }
            running.join()
            thread = nil
            close(listener)
        }
    }

    private func serve() {
        while !isEnding.load(ordering: .relaxed) {
            guard Self.waits(for: listener, Int16(POLLIN), 200) else { continue }
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            _ = fcntl(connection, F_SETFL, O_NONBLOCK)
            answer(connection)
            close(connection)
        }
    }

    private static func waits(for descriptor: Int32, _ what: Int16, _ time: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: what, revents: 0)
        return unsafe poll(&polled, 1, time) > 0
    }

    private func answer(_ connection: Int32) {
        var request: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.mostBytes)
        let end = Array("\r\n\r\n".utf8)
        while request.count < Self.mostBytes, request.suffix(4) != end[...] {
            guard Self.waits(for: connection, Int16(POLLIN), Self.patience) else { return }
            let count = unsafe read(connection, &chunk, Self.mostBytes - request.count)
            guard count > 0 else { return }
            request += chunk[..<count]
        }
        var rest = Array(response(to: String(decoding: request, as: UTF8.self)).utf8)[...]
        while !rest.isEmpty {
            guard Self.waits(for: connection, Int16(POLLOUT), Self.patience) else { return }
            let sent = unsafe rest.withUnsafeBytes { bytes in
                unsafe send(
                    connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    /// The answer to a request, by its first line.
    private func response(to request: String) -> String {
        let words = request.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
        guard words.first == "GET" else {
            return Self.response("405 Method Not Allowed", "Only GET is answered.\n")
        }
        guard words.count > 1, words[1] == "/metrics" || words[1].hasPrefix("/metrics?") else {
            return Self.response("404 Not Found", "The metrics are at /metrics.\n")
        }
        return Self.response("200 OK", text())
    }

    private static func response(_ status: String, _ body: String) -> String {
        """
        HTTP/1.1 \(status)\r
        Content-Type: text/plain; version=0.0.4; charset=utf-8\r
        Content-Length: \(body.utf8.count)\r
        Connection: close\r
        \r
        \(body)
        """
    }
}
