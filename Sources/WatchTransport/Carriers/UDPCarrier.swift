internal import Glibc
internal import Synchronization
internal import WatchProto

/// One link over UDP. Anything may be lost, come twice or out of order.
final class UDPCarrier: Carrier {
    /// What somebody said who is not the counterpart, or what ends this link for another.
    struct Word {
        var kind: UDPDoor.Kind
        var link: UInt32
        var from: UDPPlace
    }

    private let door: UDPDoor
    private let link: UInt32
    private let counterpart: UDPPlace
    private let endpoint: UDPEndpoint
    private let isSuspended = Atomic(false)
    /// Told of a word that may end this link; says whether it does.
    private let onWord: @Sendable (Word) -> Bool
    private let onClose: @Sendable () -> Void

    init(
        door: UDPDoor, link: UInt32, counterpart: UDPPlace, endpoint: UDPEndpoint,
        onWord: @escaping @Sendable (Word) -> Bool, onClose: @escaping @Sendable () -> Void
    ) {
        self.door = door
        self.link = link
        self.counterpart = counterpart
        self.endpoint = endpoint
        self.onWord = onWord
        self.onClose = onClose
    }

    var traits: CarrierTraits {
        CarrierTraits(
            framing: .datagram(largestBytes: endpoint.datagramBytes), isLossy: true,
            sendInterval: endpoint.sendInterval)
    }

    var readDescriptor: Int32? {
        isSuspended.load(ordering: .relaxed) ? nil : door.descriptor
    }

    var writeDescriptor: Int32? { door.descriptor }

    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        while true {
            switch door.receive(into: &buffer) {
            case .nothing: return .nothingYet
            case .failed(let failure): return .failed(failure)
            case .ignored(let cause): return .ignored(cause)
            case .refused(let place):
                // Only the counterpart's end is news; others were answered and have gone.
                guard place == counterpart else { continue }
                return .failed(CarrierFailure(call: "sendmsg", errorNumber: ECONNREFUSED))
            case .datagram(let kind, let link, let bytes, let source):
                guard source == counterpart else {
                    return onWord(Word(kind: kind, link: link, from: source))
                        ? .ended : .ignored(.stranger)
                }
                switch kind {
                case .packet where link == self.link: return .bytes(bytes)
                case .end where link == self.link, .busy where link == self.link: return .ended
                case .end, .busy, .welcome: return .ignored(.stale)
                default:
                    return onWord(Word(kind: kind, link: link, from: source))
                        ? .ended : .ignored(.stale)
                }
            }
        }
    }

    func write(_ bytes: Span<UInt8>) -> CarrierWrite {
        guard bytes.count <= endpoint.datagramBytes else {
            return .failed(CarrierFailure(call: "sendmsg", errorNumber: EMSGSIZE))
        }
        switch door.send(.packet, link: link, bytes, to: counterpart) {
        case .success: return .took(bytes.count)
        case .failure(let number) where number.isWouldBlock: return .took(0)
        case .failure(let number): return .failed(number.failure(of: "sendmsg"))
        }
    }

    func suspend() { isSuspended.store(true, ordering: .relaxed) }
    func resume() { isSuspended.store(false, ordering: .relaxed) }
    func close() { onClose() }
}
