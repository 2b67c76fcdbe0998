internal import Glibc
internal import Synchronization
internal import WatchProto

/// One link over a pair of Unix datagram sockets. The system keeps order and loses nothing on the
/// way, but what a counterpart that ends had not read is gone: hence lossy.
final class DatagramCarrier: Carrier {
    private let door: DatagramDoor
    private let link: UInt32
    private let gauge: DatagramGauge
    /// What the last refused write waits for.
    private let writableWithRoom: Atomic<Int32>
    private let isSuspended = Atomic(false)
    /// Told of a new link the counterpart has opened, or asked for, over this one; says whether it
    /// may. If so, this link is over.
    private let onSuccessor: @Sendable (DatagramDoor.Kind, UInt32) -> Bool
    private let onClose: @Sendable () -> Void

    init(
        door: DatagramDoor, link: UInt32,
        onSuccessor: @escaping @Sendable (DatagramDoor.Kind, UInt32) -> Bool,
        onClose: @escaping @Sendable () -> Void
    ) throws(CarrierFailure) {
        self.door = door
        self.link = link
        self.onSuccessor = onSuccessor
        self.onClose = onClose
        gauge = try DatagramGauge(door)
        writableWithRoom = Atomic(gauge.writableWithRoom)
    }

    var traits: CarrierTraits { SocketKind.datagram.traits }

    var readDescriptor: Int32? {
        isSuspended.load(ordering: .relaxed) ? nil : door.descriptor
    }

    var writeDescriptor: Int32? { writableWithRoom.load(ordering: .relaxed) }

    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        switch door.receive(into: &buffer) {
        case .nothing: return .nothingYet
        case .failed(let failure): return .failed(failure)
        case .ignored(let cause): return .ignored(cause)
        case .datagram(.packet, let link, let bytes):
            return link == self.link ? .bytes(bytes) : .ignored(.stale)
        case .datagram(.end, let link, _), .datagram(.busy, let link, _):
            return link == self.link ? .ended : .ignored(.stale)
        case .datagram(.hail, let link, _) where link == self.link: return .ignored(.stale)
        case .datagram(.welcome, _, _): return .ignored(.stale)
        case .datagram(let kind, let link, _):
            return onSuccessor(kind, link) ? .ended : .ignored(.stale)
        }
    }

    func write(_ bytes: Span<UInt8>) -> CarrierWrite {
        guard bytes.count <= DatagramDoor.largestPacketBytes else {
            return .failed(CarrierFailure(call: "sendmsg", errorNumber: EMSGSIZE))
        }
        switch door.send(.packet, link: link, bytes) {
        case .success: return .took(bytes.count)
        case .failure(let number) where number.isWouldBlock:
            writableWithRoom.store(gauge.writableWithRoom, ordering: .relaxed)
            return .took(0)
        case .failure(let number): return .failed(number.failure(of: "sendmsg"))
        }
    }

    func suspend() { isSuspended.store(true, ordering: .relaxed) }
    func resume() { isSuspended.store(false, ordering: .relaxed) }

    func close() {
        gauge.close()
        onClose()
    }
}
