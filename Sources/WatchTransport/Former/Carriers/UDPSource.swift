internal import CPosix
internal import Glibc
internal import Synchronization
internal import WatchProto

/// One side of a link over UDP: bound to the endpoint when listening, to a port of the system's
/// choice when connecting. A link opens with a hail and a welcome, as between two Unix datagram
/// sockets; here both may be lost, so the hail is repeated until it is answered.
///
/// The tables are in the article *The link of two datagram sockets*; a test holds them against this
/// code.
final class UDPSource: CarrierSource {
    struct State {
        var door: UDPDoor?
        /// Readable when the door or the timer is (connecting side); -1 else.
        var sign: Int32 = -1
        /// The link that was hailed and has no answer yet (connecting side), and how often it was.
        var pending: UInt32?
        var hails = 0
        var nextHailAt = Instant.distantFuture
        /// The number of the last link hailed; the next has the one above.
        var lastHailed: UInt32?
        /// The next link is opened before its hail is answered (connecting side). So is the first;
        /// one that was not answered is followed by patience.
        var trusts = true
        /// The counterpart has called: it is there (connecting side).
        var isCalled = false
        /// The link a hail asked for while another was open (listening side).
        var successor: UDPCarrier.Word?
        /// The link that is open, and with whom.
        var open: (link: UInt32, place: UDPPlace)?
        /// Whom the last link was with, for a call (listening side).
        var known: UDPPlace?
        /// Who hailed while the link was another's, and was not answered yet (listening side).
        var knock: UDPCarrier.Word?
        /// The unknown link that was last said to be over, and when.
        var denied: (link: UInt32, at: Instant)?
    }

    /// Hails so far below the open link's number are late copies of earlier ones.
    static var lateHails: UInt32 { 64 }

    let endpoint: UDPEndpoint
    let side: LinkSide
    let timer: Mutex<DeadlineTimer?>
    let state = Mutex(State())

    init(_ endpoint: UDPEndpoint, side: LinkSide) {
        self.endpoint = endpoint
        self.side = side
        timer = Mutex(nil)
    }

    var waitsForCounterpart: Bool { side == .listening }

    /// The door is the open carrier's own while there is one.
    var signDescriptor: Int32? {
        state.withLock { state in
            guard state.open == nil, let door = state.door else { return nil }
            return side == .listening ? door.descriptor : state.sign
        }
    }

    /// The door stays: it tells who hails that this side is busy. No link is hailed for any more.
    func rest() -> Bool {
        state.withLock { state in
            state.isCalled = false
            abandonHail(&state)
        }
        return side == .listening
    }

    func prepare() throws(LinkError) {
        let isOpen = state.withLock { state in
            if let door = state.door, side == .listening, let place = state.known {
                door.say(.call, link: 0, to: place)
            }
            return state.door != nil
        }
        if isOpen { return }
        let place = UDPPlace(endpoint)
        let subject = "udp:\(endpoint)"
        let door: UDPDoor
        switch UDPDoor.open(side == .listening ? place : place.anyPort) {
        case .success(let opened): door = opened
        case .failure(let number) where number.rawValue == EADDRINUSE:
            throw .portInUse(address: subject)
        case .failure(let number): throw .system(number.failure(of: "bind"), subject: subject)
        }
        do throws(SystemErrorNumber) {
            let sign = side == .listening ? -1 : try makeSign(of: door)
            state.withLock { state in
                state.door = door
                state.sign = sign
            }
        } catch {
            Descriptor.close(door.descriptor)
            throw .system(error.failure(of: "timerfd or epoll"), subject: subject)
        }
    }

    private func makeSign(of door: UDPDoor) throws(SystemErrorNumber) -> Int32 {
        let made = try DeadlineTimer()
        let sign = try retryOnInterrupt {
            watchproto_either_readable(door.descriptor, made.number)
        }.get()
        timer.withLock { $0 = made }
        return sign
    }

    // MARK: Opening

    func open(_ occasion: OpeningOccasion) -> CarrierOpening {
        state.withLock { state in
            guard let door = state.door else { return .exhausted }
            state.open = nil
            if let word = state.successor {
                state.successor = nil
                return welcome(word, &state, door)
            }
            if side == .connecting {
                if state.isCalled || (occasion == .asked && state.pending == nil) {
                    begin(&state, door)
                    if let opening = openTrusting(&state, door) { return opening }
                }
                if state.pending != nil, SystemClock.now >= state.nextHailAt { hail(&state, door) }
            }
            return answer(&state, door, isBusy: occasion == .signWhileBusy)
        }
    }

    /// Works off what lies at the door of an unlinked side, up to the first thing worth a word.
    private func answer(_ state: inout State, _ door: UDPDoor, isBusy: Bool) -> CarrierOpening {
        var buffer = [UInt8](repeating: 0, count: UDPEndpoint.largestDatagramBytes)
        for _ in 0..<64 {
            var span = buffer.mutableSpan
            switch door.receive(into: &span) {
            case .nothing: return .nobodyYet
            case .failed(let failure): return .failed(failure)
            case .ignored(let cause): return .ignored(cause)
            // Nobody there yet: the hail is repeated anyhow.
            case .refused: continue
            case .datagram(let kind, let link, let bytes, let source):
                var word = UDPCarrier.Word(kind: kind, link: link, from: source)
                if bytes > 0 { word.packet = Array(buffer[..<bytes]) }
                let opening =
                    side == .listening
                    ? hear(word, &state, door, isBusy: isBusy) : heed(word, &state, door)
                if let opening { return opening }
            }
        }
        return .nobodyYet
    }

    /// What the listening side makes of a word while it has no link.
    private func hear(
        _ word: UDPCarrier.Word, _ state: inout State, _ door: UDPDoor, isBusy: Bool
    ) -> CarrierOpening? {
        switch word.kind {
        case .hail where isBusy, .opening where isBusy:
            state.known = word.from
            door.say(.busy, link: word.link, to: word.from)
            return .refused(1)
        case .hail, .opening: return welcome(word, &state, door)
        case .packet: deny(word, &state, door)
        default: break
        }
        return nil
    }

    /// What the connecting side makes of a word while it has no link.
    private func heed(
        _ word: UDPCarrier.Word, _ state: inout State, _ door: UDPDoor
    ) -> CarrierOpening? {
        guard word.from == UDPPlace(endpoint) else { return .ignored(.stranger) }
        switch word.kind {
        // A packet alone will do: then the welcome was lost.
        case .welcome where word.link == state.pending, .packet where word.link == state.pending:
            abandonHail(&state)
            return open(word.link, with: word.from, first: word.packet, &state, door)
        case .busy where word.link == state.pending, .end where word.link == state.pending:
            abandonHail(&state)
            return .failed(CarrierFailure(call: "hail", errorNumber: ECONNREFUSED))
        case .call:
            state.isCalled = true
            begin(&state, door)
            return openTrusting(&state, door)
        case .packet where state.pending == nil: deny(word, &state, door)
        default: break
        }
        return nil
    }

    private func welcome(
        _ word: UDPCarrier.Word, _ state: inout State, _ door: UDPDoor
    ) -> CarrierOpening {
        door.say(.welcome, link: word.link, to: word.from)
        return open(word.link, with: word.from, first: word.packet, &state, door)
    }

    func open(
        _ link: UInt32, with place: UDPPlace, trust: UDPCarrier.Trust? = nil,
        first: [UInt8] = [], _ state: inout State, _ door: UDPDoor
    ) -> CarrierOpening {
        state.open = (link, place)
        state.known = place
        state.knock = nil
        state.denied = nil
        return .opened(
            UDPCarrier(
                door: door, side: side, link: link, counterpart: place, endpoint: endpoint,
                trust: trust, first: first,
                onWord: { [weak self] in self?.heard($0) ?? false },
                onClose: { [weak self] in self?.ended(link, place, $0) }))
    }

    func close(leavingFiles: Bool) {
        state.withLock { state in
            if let door = state.door { Descriptor.close(door.descriptor) }
            if state.sign >= 0 { Descriptor.close(state.sign) }
            state = State()
        }
        timer.withLock { $0 = nil }
    }
}
