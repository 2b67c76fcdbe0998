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
        /// What came with an opening.
        var packet: [UInt8] = []
    }

    /// How sure it is that the counterpart has this link, too.
    enum Standing: UInt8, AtomicRepresentable {
        /// It has not answered: what is sent is a hail as well.
        case unconfirmed
        case confirmed
        /// It has said that it will not have the link, or is not there.
        case refused
    }

    /// A link that was opened before the counterpart has answered.
    struct Trust {
        /// Readable when the door is, or when it is time to give up.
        let sign: Int32
        /// When it is.
        let end: Instant
    }

    private let door: UDPDoor
    private let side: LinkSide
    private let link: UInt32
    private let counterpart: UDPPlace
    private let endpoint: UDPEndpoint
    private let isSuspended = Atomic(false)
    private let trust: Trust?
    private let standing: Atomic<Standing>
    /// What came with the opening, until it is read.
    private let first: Mutex<[UInt8]>
    /// Told of a word that may end this link; says whether it does.
    private let onWord: @Sendable (Word) -> Bool
    private let onClose: @Sendable (Standing) -> Void

    /// - Parameters:
    ///   - trust: until when the counterpart must have answered; nil when it has.
    ///   - first: the packet that came with the opening; empty when none did.
    init(
        door: UDPDoor, side: LinkSide, link: UInt32, counterpart: UDPPlace,
        endpoint: UDPEndpoint, trust: Trust?, first: [UInt8],
        onWord: @escaping @Sendable (Word) -> Bool,
        onClose: @escaping @Sendable (Standing) -> Void
    ) {
        self.door = door
        self.side = side
        self.link = link
        self.counterpart = counterpart
        self.endpoint = endpoint
        self.trust = trust
        standing = Atomic(trust == nil ? .confirmed : .unconfirmed)
        self.first = Mutex(first)
        self.onWord = onWord
        self.onClose = onClose
    }

    var traits: CarrierTraits {
        CarrierTraits(
            framing: .datagram(largestBytes: endpoint.datagramBytes), isLossy: true,
            sendInterval: endpoint.sendInterval)
    }

    var isCalled: Bool { side == .listening }

    var readDescriptor: Int32? {
        if isSuspended.load(ordering: .relaxed) { return nil }
        return isConfirmed ? door.descriptor : trust?.sign
    }

    private var isConfirmed: Bool { standing.load(ordering: .relaxed) != .unconfirmed }

    /// What came with the opening, moved to the front of `buffer`; nil when there is none.
    private func takeFirst(into buffer: inout MutableSpan<UInt8>) -> CarrierRead? {
        first.withLock { first in
            guard !first.isEmpty else { return nil }
            defer { first = [] }
            guard first.count <= buffer.count else { return .ignored(.tooLarge) }
            for index in first.indices { buffer[index] = first[index] }
            return .bytes(first.count)
        }
    }

    /// Nobody has answered, and it is time to hail patiently.
    private var isGivenUp: Bool {
        guard let trust, !isConfirmed else { return false }
        return SystemClock.now >= trust.end
    }

    var writeDescriptor: Int32? { door.descriptor }

    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        if let read = takeFirst(into: &buffer) { return read }
        while true {
            switch door.receive(into: &buffer) {
            case .nothing:
                guard isGivenUp else { return .nothingYet }
                return .failed(CarrierFailure(call: "hail", errorNumber: ETIMEDOUT))
            case .failed(let failure): return .failed(failure)
            case .ignored(let cause): return .ignored(cause)
            case .refused(let place):
                // Only the counterpart's end is news; others were answered and have gone.
                guard place == counterpart else { continue }
                standing.store(.refused, ordering: .relaxed)
                return .failed(CarrierFailure(call: "sendmsg", errorNumber: ECONNREFUSED))
            case .datagram(let kind, let link, let bytes, let source):
                var word = Word(kind: kind, link: link, from: source)
                if source == counterpart, link == self.link {
                    switch kind {
                    case .packet:
                        confirm()
                        return .bytes(bytes)
                    case .opening where side == .listening: return .bytes(bytes)
                    case .welcome:
                        confirm()
                        continue
                    case .busy:
                        standing.store(.refused, ordering: .relaxed)
                        return .ended
                    case .end: return .ended
                    case .hail, .call, .opening: break
                    }
                }
                if kind == .opening { word.packet = (0..<bytes).map { buffer[$0] } }
                guard !onWord(word) else { return .ended }
                return .ignored(source == counterpart ? .stale : .stranger)
            }
        }
    }

    func write(_ bytes: Span<UInt8>) -> CarrierWrite {
        guard bytes.count <= endpoint.datagramBytes else {
            return .failed(CarrierFailure(call: "sendmsg", errorNumber: EMSGSIZE))
        }
        let kind: UDPDoor.Kind = isConfirmed ? .packet : .opening
        switch door.send(kind, link: link, bytes, to: counterpart) {
        case .success: return .took(bytes.count)
        case .failure(let number) where number.isWouldBlock: return .took(0)
        case .failure(let number): return .failed(number.failure(of: "sendmsg"))
        }
    }

    private func confirm() {
        if !isConfirmed { standing.store(.confirmed, ordering: .relaxed) }
    }

    func suspend() { isSuspended.store(true, ordering: .relaxed) }
    func resume() { isSuspended.store(false, ordering: .relaxed) }
    func close() { onClose(standing.load(ordering: .relaxed)) }
}
