internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore

/// Accepts connections at a path.
final class ListenerSource: CarrierSource {
    private struct State {
        var listener: Int32 = -1
        /// A spare descriptor, closed when descriptors run out, so that a pending connection can
        /// still be accepted and refused. Closed on exec like the listener; otherwise every program
        /// that this process starts would keep the path alive.
        var reserve: Int32 = -1
        var claim: SocketPath?
    }

    private let path: String
    private let kind: SocketKind
    private let state = Mutex(State())

    init(path: String, kind: SocketKind) {
        self.path = path
        self.kind = kind
    }

    var waitsForCounterpart: Bool { true }
    var readinessDescriptor: Int32? { state.withLock { $0.listener < 0 ? nil : $0.listener } }

    func prepare() throws(LinkError) {
        try state.withLock { state throws(LinkError) in
            let listener = try kind.make().orLinkError("socket", on: "a socket for '\(path)'")
            do throws(LinkError) {
                let claim = try SocketPath.claim(path, binding: listener)
                _ = try retryOnInterrupt { listen(listener, 128) }
                    .orLinkError("listen", on: "'\(path)'")
                claim.announce()
                state.claim = claim
            } catch {
                DescriptorCall.close(listener)
                throw error
            }
            state.listener = listener
            state.reserve = watchproto_duplicate(listener)
        }
    }

    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        state.withLock { state in
            switch accept(&state) {
            case .success(let descriptor):
                return .opened(SocketCarrier(descriptor, kind: kind, isAccepted: true))
            case .failure(let number) where number.isWouldBlock: return .nobodyYet
            case .failure(let number): return .failed(number.failure(of: "accept"))
            }
        }
    }

    private func accept(_ state: inout State) -> Result<Int32, SystemErrorNumber> {
        let listener = state.listener
        let result = retryOnInterrupt { watchproto_accept(listener) }
        guard case .failure(let number) = result,
            number.rawValue == EMFILE || number.rawValue == ENFILE
        else { return result }
        // Without this the pending connection would wake the thread again and again.
        if state.reserve >= 0 { DescriptorCall.close(state.reserve) }
        if case .success(let unwelcome) = retryOnInterrupt({ watchproto_accept(listener) }) {
            DescriptorCall.close(unwelcome)
        }
        state.reserve = watchproto_duplicate(listener)
        return .failure(number)
    }

    /// Stops listening and frees the path. A connecting counterpart fails at once and watches the
    /// path.
    func rest() -> Bool {
        close(leavingFiles: false)
        return true
    }

    /// Removes the path and shuts the socket down for reading. From then on the system refuses the
    /// connection of a process that looked the path up before. `close` would cut that connection
    /// instead. (On Linux `connect` tests this under the socket's lock.)
    func withdraw() {
        state.withLock { state in
            state.claim?.remove()
            state.claim = nil
            if state.listener >= 0 { _ = shutdown(state.listener, Int32(SHUT_RD)) }
        }
    }

    func close(leavingFiles: Bool) {
        state.withLock { state in
            if !leavingFiles { state.claim?.remove() }
            if state.listener >= 0 { DescriptorCall.close(state.listener) }
            if state.reserve >= 0 { DescriptorCall.close(state.reserve) }
            state = State()
        }
    }
}
