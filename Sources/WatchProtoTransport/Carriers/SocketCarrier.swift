internal import Glibc
internal import Locks
internal import WatchProtoCore

/// A connected Unix socket: a stream, or packets kept whole (seqpacket).
final class SocketCarrier: Carrier {
    private let descriptor: Int32
    private let kind: SocketKind
    private let isAccepted: Bool
    private let isSuspended = Atomic(false)

    /// Takes over a connected, non-blocking socket.
    ///
    /// - Parameter isAccepted: the counterpart, or anybody, has connected it.
    init(_ descriptor: Int32, kind: SocketKind, isAccepted: Bool = false) {
        self.descriptor = descriptor
        self.kind = kind
        self.isAccepted = isAccepted
    }

    var initiation: InitiationTime { isAccepted ? .whenCalled : .atOnce }

    var traits: CarrierTraits { kind.traits }
    var readDescriptor: Int32? { isSuspended.load(ordering: .relaxed) ? nil : descriptor }
    var writeDescriptor: Int32? { descriptor }

    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        switch kind {
        case .stream, .datagram:
            return DescriptorCall.read(descriptor, into: &buffer)
        case .seqpacket:
            let result = DescriptorCall.receivePacket(descriptor, into: &buffer)
            // Nothing may be missing from a carrier that loses nothing.
            guard result == .ignored(.tooLarge) else { return result }
            return .failed(CarrierFailure(call: "recv", errorNumber: EMSGSIZE))
        }
    }

    func write(_ bytes: Span<UInt8>) -> CarrierWrite {
        if kind == .seqpacket, bytes.count > SocketKind.largestPacketBytes {
            return .failed(CarrierFailure(call: "send", errorNumber: EMSGSIZE))
        }
        return DescriptorCall.send(descriptor, bytes)
    }

    func suspend() { isSuspended.store(true, ordering: .relaxed) }
    func resume() { isSuspended.store(false, ordering: .relaxed) }

    /// Shuts the connection down, then closes the descriptor. `close` alone is not enough: a forked
    /// child that is not yet another program holds a copy of the descriptor. The counterpart would
    /// then see no end and turn the next connection away.
    func close() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
        DescriptorCall.close(descriptor)
    }
}
