internal import Glibc
internal import Locks
internal import WatchProtoCore

/// Opens one side of a datagram pair: bound to the path if listening, to the path and ".peer" if
/// connecting. There is no handshake of its own. The connection ID finds the session.
final class UnixDatagramSource: CarrierSource {
    private struct State {
        var socket: UnixDatagramSocket?
        var claim: SocketPath?
        /// Readable when a datagram has arrived, or the counterpart's socket has appeared.
        var readiness: ReadySet?
        var watch: DirectoryWatch?
    }

    private let path: String
    private let side: LinkSide
    private let state = Mutex(State())

    init(path: String, side: LinkSide) {
        self.path = path
        self.side = side
    }

    var waitsForCounterpart: Bool { side == .listening }

    var readinessDescriptor: Int32? { state.withLock { $0.readiness?.descriptor } }

    /// Closes the socket, so that the counterpart finds nobody.
    func rest() -> Bool {
        close(leavingFiles: false)
        return true
    }

    func prepare() throws(LinkError) {
        let other = path + LinkAddress.datagramPeerSuffix
        let (own, counterpart) = side == .listening ? (path, other) : (other, path)
        let descriptor = try SocketKind.datagram.make().orLinkError(
            "socket", on: "a socket for '\(own)'")
        do throws(LinkError) {
            let claim = try SocketPath.claim(own, binding: descriptor)
            let readiness: ReadySet
            do throws(SystemErrorNumber) { readiness = try ReadySet() } catch {
                claim.remove()
                throw .system(error.failure(of: "epoll_create1"), subject: "'\(own)'")
            }
            claim.announce()
            readiness.add(descriptor, name: 0)
            state.withLock { state in
                state.socket = UnixDatagramSocket(
                    descriptor: descriptor, counterpart: counterpart)
                state.claim = claim
                state.readiness = readiness
            }
        } catch {
            DescriptorCall.close(descriptor)
            throw error
        }
    }

    /// Opens a link. On the listening side it is open at once, and waits for the counterpart. The
    /// connecting side needs a counterpart's socket, and is woken when it appears.
    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        state.withLock { state in
            guard let socket = state.socket else { return .exhausted }
            if side == .connecting { watch(&state, socket) }
            do throws(CarrierFailure) {
                let carrier = UnixDatagramCarrier(socket, probe: try SendBufferProbe(socket))
                if let watch = state.watch { state.readiness?.remove(watch.descriptor) }
                state.watch = nil
                return .opened(carrier)
            } catch {
                if side == .listening { return .opened(UnixDatagramCarrier(socket, probe: nil)) }
                // Datagrams of a sender that has gone are dropped.
                if occasion == .sign { drop(socket) }
                return .failed(error)
            }
        }
    }

    /// Watches the directory before the attempt, so that a socket that is bound after the attempt
    /// is noticed.
    private func watch(_ state: inout State, _ socket: UnixDatagramSocket) {
        guard let watch = state.watch else {
            state.watch = DirectoryWatch(socket.counterpart)
            if let watch = state.watch { state.readiness?.add(watch.descriptor, name: 1) }
            return
        }
        _ = watch.takeSign()
    }

    private func drop(_ socket: UnixDatagramSocket) {
        var buffer = [UInt8](repeating: 0, count: 1)
        for _ in 0..<64 {
            var span = buffer.mutableSpan
            if case .ignored = socket.receive(into: &span) { continue }
            return
        }
    }

    func close(leavingFiles: Bool) {
        state.withLock { state in
            if !leavingFiles { state.claim?.remove() }
            if let socket = state.socket { DescriptorCall.close(socket.descriptor) }
            state = State()
        }
    }
}
