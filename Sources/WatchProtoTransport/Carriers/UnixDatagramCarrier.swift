internal import Glibc
internal import Locks
internal import WatchProtoCore

/// A link over a pair of Unix datagram sockets. The system keeps the order and loses nothing on the
/// way. Datagrams that the counterpart had not read before it ended are lost, so the carrier counts
/// as lossy.
final class UnixDatagramCarrier: Carrier {
    private let socket: UnixDatagramSocket
    /// Made when the counterpart is first known to be there.
    private let probe: Mutex<SendBufferProbe?>
    /// The descriptor that the last refused write waits for.
    private let writableWithRoom: Atomic<Int32>
    private let isSuspended = Atomic(false)
    let address: PathAddress?
    let initiation: InitiationTime

    /// Makes the carrier of a link.
    ///
    /// - Parameters:
    ///   - socket: the socket, which belongs to the source.
    ///   - probe: the probe of a counterpart that is there; nil if none is.
    init(_ socket: UnixDatagramSocket, probe: SendBufferProbe?) {
        self.socket = socket
        self.probe = Mutex(probe)
        writableWithRoom = Atomic(socket.descriptor)
        address = probe == nil ? nil : .onlyCounterpart
        initiation = probe == nil ? .whenCalled : .atOnce
    }

    var traits: CarrierTraits { SocketKind.datagram.traits }

    var readDescriptor: Int32? {
        isSuspended.load(ordering: .relaxed) ? nil : socket.descriptor
    }

    var writeDescriptor: Int32? { writableWithRoom.load(ordering: .relaxed) }

    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        socket.receive(into: &buffer)
    }

    /// Sends one datagram. If the counterpart's socket is gone, the link ends: nobody can forge
    /// that here.
    func write(_ bytes: Span<UInt8>) -> CarrierWrite {
        guard bytes.count <= SocketKind.largestDatagramBytes else {
            return .failed(CarrierFailure(call: "sendmsg", errorNumber: EMSGSIZE))
        }
        switch socket.send(bytes) {
        case .success: return .took(bytes.count)
        case .failure(let number) where number.isWouldBlock:
            guard let descriptor = probe.withLock({ waitForRoom(&$0) }) else {
                return .failed(CarrierFailure(call: "connect", errorNumber: ECONNREFUSED))
            }
            writableWithRoom.store(descriptor, ordering: .relaxed)
            return .took(0)
        case .failure(let number): return .failed(number.failure(of: "sendmsg"))
        }
    }

    private func waitForRoom(_ probe: inout SendBufferProbe?) -> Int32? {
        if probe == nil { probe = try? SendBufferProbe(socket) }
        return probe?.writableWithRoom
    }

    func suspend() { isSuspended.store(true, ordering: .relaxed) }
    func resume() { isSuspended.store(false, ordering: .relaxed) }
    func close() { probe.withLock { $0?.close() } }
}
