internal import CPosix
internal import Glibc
internal import WatchProtoCore

/// A bound Unix datagram socket for the socket at one other path. A datagram is a packet.
struct UnixDatagramSocket: Sendable {
    /// Bound to this side's path and never connected, so that datagrams of other senders are
    /// recognised and counted.
    let descriptor: Int32
    let counterpart: String

    /// Sends one datagram (`sendmsg`).
    func send(_ bytes: Span<UInt8>) -> Result<Int, SystemErrorNumber> {
        var none: UInt8 = 0
        var path = counterpart
        return path.withUTF8 { path in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                retryOnInterrupt {
                    unsafe watchproto_unix_send(
                        descriptor, &none, 0, bytes.baseAddress, bytes.count, path.baseAddress,
                        path.count)
                }
            }
        }
    }

    /// Receives one datagram into the front of `buffer`.
    func receive(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        var none: UInt8 = 0
        var isExpected: Int32 = 0
        var path = counterpart
        let capacity = buffer.count
        let result = path.withUTF8 { path in
            unsafe buffer.withUnsafeMutableBufferPointer { bytes in
                retryOnInterrupt {
                    unsafe watchproto_unix_receive(
                        descriptor, &none, 0, bytes.baseAddress, bytes.count, path.baseAddress,
                        path.count, &isExpected)
                }
            }
        }
        switch result {
        case .failure(let number) where number.isWouldBlock: return .nothingYet
        case .failure(let number): return .failed(number.failure(of: "recvmsg"))
        case .success(let count):
            if isExpected == 0 { return .ignored(.unknownSender) }
            if count > capacity { return .ignored(.tooLarge) }
            return .datagram(count, from: .onlyCounterpart)
        }
    }
}

/// Shows when a datagram can be sent that found the counterpart's queue full.
///
/// It is a socket connected to the counterpart, because an unconnected one always looks writable.
/// It belongs to the process that is bound to the counterpart's path now. A later process there
/// needs another probe.
struct SendBufferProbe: Sendable {
    private let socket: Int32
    private let connected: Int32

    /// - Throws: `CarrierFailure` if nobody is bound to the counterpart's path, or the system has
    ///   no socket left.
    init(_ socket: UnixDatagramSocket) throws(CarrierFailure) {
        switch SocketKind.datagram.make() {
        case .failure(let number): throw number.failure(of: "socket")
        case .success(let connected):
            if case .failure(let number) = SocketPath.connect(connected, to: socket.counterpart) {
                DescriptorCall.close(connected)
                throw number.failure(of: "connect")
            }
            self.socket = socket.descriptor
            self.connected = connected
        }
    }

    /// The descriptor that becomes writable when there is room: this side's socket while its buffer
    /// is full, else the probe. Read it right after the refused send.
    var writableWithRoom: Int32 {
        var set = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        return unsafe watchproto_poll(&set, 1, 0) == 1 ? connected : socket
    }

    func close() { DescriptorCall.close(connected) }
}
