internal import Glibc
internal import Locks
internal import WatchProtoCore

/// Opens one side of a link over UDP: bound to the endpoint if listening, to a port of the system's
/// choice if connecting. There is no handshake of its own. The connection ID finds the session, and
/// no state is kept for a sender.
final class UDPSource: CarrierSource {
    private struct State {
        var socket: UDPSocket?
        /// Whether no carrier was opened since the socket was bound.
        var isFresh = true
    }

    private let endpoint: UDPEndpoint
    private let side: LinkSide
    private let state = Mutex(State())

    init(_ endpoint: UDPEndpoint, side: LinkSide) {
        self.endpoint = endpoint
        self.side = side
    }

    var waitsForCounterpart: Bool { side == .listening }

    var readinessDescriptor: Int32? { state.withLock { $0.socket?.descriptor } }

    /// Keeps the socket, and reads nothing from it. A thread that sleeps on the socket would keep
    /// the port for a moment, and this side could not bind it again.
    func rest() -> Bool { true }

    func prepare() throws(LinkError) {
        let isBound = state.withLock { state in
            state.isFresh = true
            return state.socket != nil
        }
        if isBound { return }
        let place = UDPAddress(endpoint)
        let subject = "udp:\(endpoint)"
        switch UDPSocket.open(side == .listening ? place : place.anyPort) {
        case .success(let opened): state.withLock { $0 = State(socket: opened) }
        case .failure(let number) where number.rawValue == EADDRINUSE:
            throw .portInUse(address: subject)
        case .failure(let number): throw .system(number.failure(of: "bind"), subject: subject)
        }
    }

    /// Opens a link at once. A listening side that has just come back sends the first message, if
    /// it knows the counterpart's address from an earlier session.
    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        state.withLock { state in
            guard let socket = state.socket else { return .exhausted }
            let calls = side == .connecting || state.isFresh
            state.isFresh = false
            return .opened(
                UDPCarrier(socket, endpoint, side: side, initiation: calls ? .atOnce : .whenCalled))
        }
    }

    func close(leavingFiles: Bool) {
        state.withLock { state in
            if let socket = state.socket { DescriptorCall.close(socket.descriptor) }
            state = State()
        }
    }
}

/// A link over UDP. Datagrams may be lost, repeated or reordered, and may come from anybody.
final class UDPCarrier: Carrier {
    private let socket: UDPSocket
    private let endpoint: UDPEndpoint
    private let isSuspended = Atomic(false)
    /// The address of the last datagram. Only a refusal of that address counts.
    private let lastPlace: Mutex<UDPAddress?>
    let address: PathAddress?
    let initiation: InitiationTime

    init(_ socket: UDPSocket, _ endpoint: UDPEndpoint, side: LinkSide, initiation: InitiationTime) {
        self.socket = socket
        self.endpoint = endpoint
        self.initiation = initiation
        lastPlace = Mutex(nil)
        address = side == .connecting ? UDPAddress(endpoint).address : nil
    }

    var traits: CarrierTraits {
        CarrierTraits(
            framing: .datagram(largestBytes: endpoint.datagramBytes), isLossy: true,
            sendInterval: endpoint.sendInterval)
    }

    var readDescriptor: Int32? {
        isSuspended.load(ordering: .relaxed) ? nil : socket.descriptor
    }

    var writeDescriptor: Int32? { socket.descriptor }

    func read(into buffer: inout MutableSpan<UInt8>) -> CarrierRead {
        socket.receive(into: &buffer) { place in lastPlace.withLock { $0 == place } }
    }

    func write(_ bytes: Span<UInt8>) -> CarrierWrite { write(bytes, to: address) }

    func write(_ bytes: Span<UInt8>, to address: PathAddress?) -> CarrierWrite {
        guard bytes.count <= endpoint.datagramBytes, let address else {
            return .failed(CarrierFailure(call: "sendmsg", errorNumber: EMSGSIZE))
        }
        let place = UDPAddress(address)
        switch socket.send(bytes, to: place) {
        case .success:
            lastPlace.withLock { $0 = place }
            return .took(bytes.count)
        case .failure(let number) where number.isWouldBlock: return .took(0)
        // The address came from a packet: a send there may fail, and one elsewhere succeed.
        case .failure where address != self.address: return .took(bytes.count)
        case .failure(let number): return .failed(number.failure(of: "sendmsg"))
        }
    }

    func suspend() { isSuspended.store(true, ordering: .relaxed) }
    func resume() { isSuspended.store(false, ordering: .relaxed) }
    /// The socket stays with the source.
    func close() {}
}
