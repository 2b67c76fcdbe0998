internal import Glibc
internal import Synchronization
internal import WatchProto

/// One side of a datagram pair: bound to the path when listening, to the path and ".peer" when
/// connecting. A link opens with a hail and a welcome, see ``DatagramDoor``.
///
/// The tables are in the article *The link of two datagram sockets*; a test holds them against this
/// code.
final class DatagramSource: CarrierSource {
    private struct State {
        var door: DatagramDoor?
        var claim: SocketPath?
        /// The link that was hailed and has no answer yet (connecting side).
        var pending: UInt32?
        /// The link a hail asked for while another was open (listening side).
        var successor: UInt32?
        /// The link that is open.
        var open: UInt32?
        /// What found the counterpart's queue full. Newer words take its place: what they mean
        /// contains it.
        var unsaid: Unsaid?
    }

    private struct Unsaid {
        let kind: DatagramDoor.Kind
        let link: UInt32
        let gauge: DatagramGauge
        let writableWithRoom: Int32
    }

    private let path: String
    private let side: LinkSide
    private let state = Mutex(State())

    init(path: String, side: LinkSide) {
        self.path = path
        self.side = side
    }

    var waitsForCounterpart: Bool { side == .listening }

    /// The door is the open carrier's own while there is one.
    var signDescriptor: Int32? { state.withLock { $0.open == nil ? $0.door?.descriptor : nil } }

    var roomDescriptor: Int32? { state.withLock { $0.unsaid?.writableWithRoom } }

    /// The door stays: it tells who hails that this side is busy. When a link is wanted again, the
    /// listening side calls.
    func rest() -> Bool { side == .listening }

    func prepare() throws(LinkError) {
        if state.withLock({ callAgain(&$0) }) { return }
        let other = path + LinkAddress.datagramPeerSuffix
        let (own, counterpart) = side == .listening ? (path, other) : (other, path)
        let descriptor = try SocketKind.datagram.make().orLinkError(
            "socket", on: "a socket for '\(own)'")
        do throws(LinkError) {
            let claim = try SocketPath.claim(own, binding: descriptor)
            claim.announce()
            let door = DatagramDoor(descriptor: descriptor, counterpart: counterpart)
            state.withLock { state in
                state.door = door
                state.claim = claim
                _ = callAgain(&state)
            }
        } catch {
            Descriptor.close(descriptor)
            throw error
        }
    }

    /// With a door, the listening side calls: whoever waits there hails anew, and nobody there is
    /// no failure. Says whether there is a door.
    private func callAgain(_ state: inout State) -> Bool {
        guard let door = state.door else { return false }
        if side == .listening { _ = say(.call, 0, &state, door) }
        return true
    }

    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        state.withLock { state in
            guard let door = state.door else { return .exhausted }
            state.open = nil
            if let word = state.unsaid, let failure = say(word.kind, word.link, &state, door),
                word.kind == .hail
            {
                state.pending = nil
                return .failed(failure)
            }
            if let link = state.successor {
                state.successor = nil
                return welcome(link, &state, door)
            }
            if occasion == .asked, side == .connecting, state.pending == nil {
                return hail(&state, door)
            }
            return answer(&state, door, isBusy: occasion == .signWhileBusy)
        }
    }

    /// Works off what lies at the door of an unlinked side, up to the first thing worth a word.
    private func answer(
        _ state: inout State, _ door: DatagramDoor, isBusy: Bool
    ) -> CarrierOpening {
        var lost: UInt32?
        for _ in 0..<64 {
            switch door.receiveHeader() {
            case .nothing: return .nobodyYet
            case .failed(let failure): return .failed(failure)
            case .ignored(let cause): return .ignored(cause)
            case .datagram(.hail, let link, _) where side == .listening:
                if !isBusy { return welcome(link, &state, door) }
                _ = say(.busy, link, &state, door)
                return .refused(1)
            case .datagram(.packet, let link, _) where link != state.pending:
                // Of a link this side has lost: the counterpart must know. Once for all that lie
                // there; a hail that is under way tells it, too.
                if state.pending == nil, link != lost { end(link, &state, door) }
                lost = link
            case .datagram(.welcome, let link, _), .datagram(.packet, let link, _):
                guard link == state.pending else { continue }
                // A packet alone will do: then the welcome found the queue full.
                state.pending = nil
                return open(link, &state, door)
            case .datagram(.busy, let link, _), .datagram(.end, let link, _):
                guard link == state.pending else { continue }
                state.pending = nil
                return .failed(CarrierFailure(call: "hail", errorNumber: ECONNREFUSED))
            case .datagram(.call, _, _) where side == .connecting && !isBusy:
                return hail(&state, door)
            default: continue
            }
        }
        return .nobodyYet
    }

    private func hail(_ state: inout State, _ door: DatagramDoor) -> CarrierOpening {
        let link = UInt32(truncatingIfNeeded: SystemRandomness.epoch().rawValue)
        state.pending = nil
        if let failure = say(.hail, link, &state, door) { return .failed(failure) }
        state.pending = link
        return .nobodyYet
    }

    /// Says something, when there is room for it. Gives the failure where there will be none.
    private func say(
        _ kind: DatagramDoor.Kind, _ link: UInt32, _ state: inout State, _ door: DatagramDoor
    ) -> CarrierFailure? {
        forgetUnsaid(&state)
        switch door.say(kind, link: link) {
        case .success: return nil
        case .failure(let number) where number.isWouldBlock:
            do throws(CarrierFailure) {
                let gauge = try DatagramGauge(door)
                state.unsaid = Unsaid(
                    kind: kind, link: link, gauge: gauge,
                    writableWithRoom: gauge.writableWithRoom)
                return nil
            } catch { return error }
        case .failure(let number): return number.failure(of: "sendmsg")
        }
    }

    private func forgetUnsaid(_ state: inout State) {
        state.unsaid?.gauge.close()
        state.unsaid = nil
    }

    /// Tells that a link is over, unless something waits to be said already: that tells it, too.
    private func end(_ link: UInt32, _ state: inout State, _ door: DatagramDoor) {
        if state.unsaid == nil { _ = say(.end, link, &state, door) }
    }

    private func welcome(
        _ link: UInt32, _ state: inout State, _ door: DatagramDoor
    ) -> CarrierOpening {
        let opening = open(link, &state, door)
        // Where it finds the queue full, the first packet does as well.
        if case .opened = opening { _ = door.say(.welcome, link: link) }
        return opening
    }

    private func open(_ link: UInt32, _ state: inout State, _ door: DatagramDoor) -> CarrierOpening
    {
        do throws(CarrierFailure) {
            let carrier = try DatagramCarrier(
                door: door, link: link,
                onSuccessor: { [weak self] kind, link in
                    self?.succeed(kind, link) ?? false
                },
                onClose: { [weak self] in self?.ended(link) })
            state.open = link
            forgetUnsaid(&state)
            return .opened(carrier)
        } catch {
            return .failed(error)
        }
    }

    /// Something came over an open link that ends it: a hail for another, or a call to hail. What
    /// only this side itself may say ends nothing.
    private func succeed(_ kind: DatagramDoor.Kind, _ link: UInt32) -> Bool {
        state.withLock { state in
            guard let door = state.door else { return false }
            switch (side, kind) {
            case (.listening, .hail): state.successor = link
            case (.connecting, .call): _ = hail(&state, door)
            default: return false
            }
            return true
        }
    }

    /// The link's carrier was closed: tells the counterpart, unless the door is closed, too.
    private func ended(_ link: UInt32) {
        state.withLock { state in
            guard let door = state.door else { return }
            end(link, &state, door)
        }
    }

    func close(leavingFiles: Bool) {
        state.withLock { state in
            if !leavingFiles { state.claim?.remove() }
            forgetUnsaid(&state)
            if let door = state.door { Descriptor.close(door.descriptor) }
            state = State()
        }
    }
}
