internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore
internal import WatchProtoTransport

/// A stream socket to a broker, whose calls block for five seconds at most. One thread uses it.
final class PeerStream: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var start = 0
    }

    private let descriptor: Int32
    private let name: String
    private let state = Mutex(State())

    private static let patienceSeconds = 5

    /// Connects to the Unix socket at `path`, trying again for a while: a broker takes its time.
    convenience init(_ name: String, path: String) throws(PeerFailure) {
        try self.init(name, at: path) {
            let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
                for (place, byte) in bytes.prefix(room.count - 1).enumerated() {
                    unsafe room[place] = byte
                }
            }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let answer = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(made, $0, size)
                }
            }
            return (made, answer)
        }
    }

    /// Connects to a port of 127.0.0.1, likewise.
    convenience init(_ name: String, port: UInt16) throws(PeerFailure) {
        try self.init(name, at: "127.0.0.1:\(port)") {
            let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var on: Int32 = 1
            unsafe setsockopt(
                made, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let answer = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(made, $0, size)
                }
            }
            return (made, answer)
        }
    }

    private init(
        _ name: String, at place: String, _ attempt: () -> (descriptor: Int32, answer: Int32)
    ) throws(PeerFailure) {
        self.name = name
        let limit = watchproto_monotonic_nanoseconds() + 5_000_000_000
        while true {
            let (made, answer) = attempt()
            if answer == 0 {
                descriptor = made
                break
            }
            let number = errno
            if made >= 0 { Glibc.close(made) }
            guard watchproto_monotonic_nanoseconds() < limit else {
                throw PeerFailure("\(name) does not listen at \(place) (errno \(number))")
            }
            usleep(20_000)
        }
        setPatience(milliseconds: Self.patienceSeconds * 1000)
    }

    deinit { Glibc.close(descriptor) }

    /// How long a read waits.
    func setPatience(milliseconds: Int) {
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    func write(_ bytes: [UInt8]) throws(PeerFailure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe send(
                    descriptor, buffer.baseAddress! + written, bytes.count - written,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw PeerFailure("\(name) takes no more (errno \(errno))") }
            written += count
        }
    }

    func write(_ text: String) throws(PeerFailure) { try write(Array(text.utf8)) }

    /// The next `count` bytes.
    func read(_ count: Int) throws(PeerFailure) -> [UInt8] {
        try state.withLock { state throws(PeerFailure) in
            while state.buffer.count - state.start < count { try fill(&state) }
            let bytes = Array(state.buffer[state.start..<state.start + count])
            state.start += count
            return bytes
        }
    }

    /// The next line, without its CR LF.
    func readLine() throws(PeerFailure) -> String {
        try state.withLock { state throws(PeerFailure) in
            var looked = state.start
            while true {
                if let end = state.buffer[looked...].firstIndex(of: 10) {
                    var line = state.buffer[state.start..<end]
                    if line.last == 13 { line.removeLast() }
                    state.start = end + 1
                    return String(decoding: line, as: UTF8.self)
                }
                looked = state.buffer.count
                let moved = state.start
                try fill(&state)
                looked -= moved - state.start
            }
        }
    }

    private func fill(_ state: inout State) throws(PeerFailure) {
        if state.start > 0 {
            state.buffer.removeFirst(state.start)
            state.start = 0
        }
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else {
            throw PeerFailure(
                count == 0 ? "\(name) closed the connection" : "\(name) does not answer")
        }
        state.buffer += chunk[..<count]
    }
}
