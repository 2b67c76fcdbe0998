internal import CPosix
internal import Glibc
internal import WatchProtoCore
internal import WatchProtoTransport

/// A Unix stream socket whose calls block, for the raw baseline only.
struct BlockingSocket: Sendable {
    private let descriptor: Int32

    /// Two sockets connected to each other (`socketpair`).
    static func pair() throws(LinkError) -> (BlockingSocket, BlockingSocket) {
        var left: Int32 = -1
        var right: Int32 = -1
        _ = try retryOnInterrupt { unsafe watchproto_socket_pair(&left, &right) }
            .orLinkError("socketpair", on: "a socket pair")
        return (BlockingSocket(descriptor: left), BlockingSocket(descriptor: right))
    }

    /// Waits at `path` for one connection; the socket file is gone afterwards.
    static func accept(at path: String) throws(LinkError) -> BlockingSocket {
        let listener = try SocketKind.stream.make().orLinkError("socket", on: "'\(path)'")
        defer { DescriptorCall.close(listener) }
        let claim = try SocketPath.claim(path, binding: listener)
        defer { claim.remove() }
        _ = try retryOnInterrupt { listen(listener, 1) }.orLinkError("listen", on: "'\(path)'")
        claim.announce()
        _ = watchproto_set_status_flags(listener, 0)
        let descriptor = try retryOnInterrupt { watchproto_accept(listener) }
            .orLinkError("accept", on: "'\(path)'")
        _ = watchproto_set_status_flags(descriptor, 0)
        return BlockingSocket(descriptor: descriptor)
    }

    /// Connects to `path`.
    static func connect(to path: String) throws(LinkError) -> BlockingSocket {
        let descriptor = try SocketKind.stream.make().orLinkError("socket", on: "'\(path)'")
        if case .failure(let number) = SocketPath.connect(descriptor, to: path) {
            DescriptorCall.close(descriptor)
            throw .system(number.failure(of: "connect"), subject: "'\(path)'")
        }
        _ = watchproto_set_status_flags(descriptor, 0)
        return BlockingSocket(descriptor: descriptor)
    }

    /// Fills `buffer`; false at the end of the stream or on failure.
    func read(_ buffer: inout [UInt8]) -> Bool {
        var filled = 0
        while filled < buffer.count {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(descriptor, bytes.baseAddress! + filled, bytes.count - filled)
            }
            if count <= 0 { return false }
            filled += count
        }
        return true
    }

    /// Writes all of `buffer`; false on failure.
    func write(_ buffer: [UInt8]) -> Bool {
        var written = 0
        while written < buffer.count {
            let count = unsafe buffer.withUnsafeBytes { bytes in
                unsafe send(
                    descriptor, bytes.baseAddress! + written, bytes.count - written,
                    Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            written += count
        }
        return true
    }

    /// Writes the first `count` bytes of a file (`sendfile`); false on failure.
    func pass(_ file: borrowing OpenFile, count: Int) -> Bool {
        var left = count
        while left > 0 {
            let sent = watchproto_send_file(descriptor, file.number, left)
            if sent <= 0 { return false }
            left -= sent
        }
        return true
    }

    func close() { DescriptorCall.close(descriptor) }
}
