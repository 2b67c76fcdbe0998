/// The connection of a peer: carrier, handshake and session (Models/IDENTITY.md, section 3).
///
/// Bytes and time go in; ``ConnectionEvent``s and whole packets come out. The peer drains
/// ``nextEvent(at:)`` after every input, ``nextOutgoing()`` whenever it transmits, and calls
/// ``expire(at:)`` at ``nextDeadline``. The peer decides the content of hellos and
/// the conclusions from tickets:
///
/// - It calls ``initiate(hello:epoch:counter:at:)`` when ``wantsInitiation`` is true, and
///   ``respond(hello:epoch:counter:keepsTicket:at:)`` when ``mayRespond`` is true, both only
///   while no entry of the ticket layer is in flight (rule W).
/// - It evaluates ``request``, also where ``mayRespond`` is false because both sides opened at
///   once.
///
/// The same machine serves streams, where packet numbers are implied, and datagrams.
package struct Connection: Sendable {
    /// The settings of the connection.
    package let configuration: ConnectionConfiguration
    /// The highest counter of the counterpart that was written down, or met in this process.
    package internal(set) var highestCounter: UInt64
    /// The wait for the answer to message 1 before it is repeated, estimated from knowledge of the
    /// path.
    package var firstTimeout: Duration = .seconds(1)
    /// Attempts to open a session that failed since the last packet of one: the path may take
    /// longer than was known of it (C-46).
    var failedAttempts = 0
    /// Counts of dropped packets and of repetitions.
    package internal(set) var counters = ConnectionCounters()

    var backoff: ReopenBackoff
    var events: [ConnectionEvent] = []
    var outgoing: [OutgoingPacket] = []
    /// The address that the last session on datagrams had.
    var knownAddress: PathAddress?
    /// The unread rest of a chunk of a stream.
    var inbound: (bytes: [UInt8], start: Int)?
    var advisoryGate = AdvisoryGate()
    /// Resets and advisories to anybody.
    var answerLimiter = RateLimiter(
        burst: ConnectionConfiguration.unauthenticatedAnswersPerSecond,
        perSecond: ConnectionConfiguration.unauthenticatedAnswersPerSecond)
    var state = State.down(DownState())
    var security: AnySecurity

    /// Makes a connection that is down. `highestCounter` is the counterpart's in the journal.
    package init(
        _ configuration: ConnectionConfiguration, security: AnySecurity, highestCounter: UInt64
    ) {
        self.configuration = configuration
        self.security = security
        self.highestCounter = highestCounter
        backoff = ReopenBackoff(
            first: configuration.reopenBackoff, longest: configuration.longestReopenBackoff)
    }

    // MARK: Queries by the peer

    /// The phase of the connection.
    package var phase: ConnectionPhase {
        switch state {
        case .down(let down): down.isWanted ? .waiting : .down
        case .opening: .opening
        case .handshaking(let owned):
            owned.value.hasResponded ? .responded : .handshaking
        case .established: .established
        }
    }

    /// The carrier that is open; nil where none is.
    package var carrier: CarrierTraits? {
        switch state {
        case .down, .opening: nil
        case .handshaking(let owned): owned.value.link.carrier
        case .established(let owned): owned.value.link.carrier
        }
    }

    /// Whether packets can be sealed: a session is established, or this side has responded.
    package var canSeal: Bool { phase == .established || phase == .responded }

    /// Whether early packets may leave: message 1 of this side is on its way.
    package var canSealEarly: Bool {
        if case .handshaking(let owned) = state { owned.value.hasInitiated } else { false }
    }

    /// The connection ID in this side's message 1 that is on its way.
    package var initiationID: ConnectionID? { initiated?.id }

    /// Whether the peer is to make message 1.
    package var wantsInitiation: Bool {
        guard case .handshaking(let owned) = state, owned.value.isInitiationDue else {
            return false
        }
        return (!owned.value.link.isLossy || owned.value.link.path.address != nil) && !mayRespond
    }

    /// The counterpart's newest message 1 that was opened and is not answered; nil where none
    /// waits.
    package var request: ConnectionRequest? {
        pendingRequest.map {
            ConnectionRequest(
                connectionID: $0.message.connectionID, counter: $0.counter, payload: $0.payload,
                isCrossed: $0.isCrossed)
        }
    }

    /// Whether ``request`` may be answered. False where both sides opened at once, this side's
    /// message 1 is the one to be answered, and it is fresh.
    package var mayRespond: Bool {
        guard hasRequest else { return false }
        guard security.winsCrossing, let initiated else { return true }
        return !initiated.isFresh
    }

    /// Bytes of a hello that message 1 has room for.
    package var initiationHelloBytes: Int {
        helloBytes(
            fixed: 1 + InitiationPacket.headBytes + security.traits.initiationOverheadBytes
                + InitiationPayload.headBytes)
    }

    /// Bytes of a hello that message 2 has room for.
    package var responseHelloBytes: Int {
        helloBytes(
            fixed: 1 + ResponsePacket.headBytes + security.traits.responseOverheadBytes
                + ResponsePayload.largestHeadBytes)
    }

    private func helloBytes(fixed: Int) -> Int {
        max(0, configuration.limits.smallestDatagramBytes - fixed)
    }

    /// The payload of a handshake message. With constant lengths it has so many zeros behind its
    /// hello that the message, with one byte in front of it, is as long as the smallest datagram.
    ///
    /// - Parameters:
    ///   - payload: what the message says.
    ///   - fixed: bytes of the message beside its payload.
    func padded(_ payload: [UInt8], beside fixed: Int) -> [UInt8] {
        guard configuration.hasConstantLengths else { return payload }
        let zeros = helloBytes(fixed: 1 + fixed) - payload.count
        return payload + [UInt8](repeating: 0, count: max(0, zeros))
    }

    /// 64 random bits, for what must not follow from anything else.
    package mutating func random() -> UInt64 { security.random() }

    /// Bytes of a packet that is not whole yet.
    package var partialBytes: Int { link?.framing.partialBytes ?? 0 }
    // MARK: Shared by the extensions

    var link: OpenLink? {
        switch state {
        case .down, .opening: nil
        case .handshaking(let owned): owned.value.link
        case .established(let owned): owned.value.link
        }
    }

    /// The handshake; nil in other states, where a change has no effect.
    var handshake: Handshake? {
        get { if case .handshaking(let owned) = state { owned.value } else { nil } }
        set { if let newValue { state = .handshaking(Owned(newValue)) } }
    }

    /// The state of an open session; nil in other states, where a change has no effect.
    var established: Established? {
        get { if case .established(let owned) = state { owned.value } else { nil } }
        set { if let newValue { state = .established(Owned(newValue)) } }
    }

    var initiated: Initiated? {
        if case .handshaking(let owned) = state { owned.value.initiated } else { nil }
    }

    private var hasRequest: Bool {
        switch state {
        case .down, .opening: false
        case .handshaking(let owned): owned.value.request != nil
        case .established(let owned): owned.value.request != nil
        }
    }

    var pendingRequest: Request? {
        get {
            switch state {
            case .down, .opening: nil
            case .handshaking(let owned): owned.value.request
            case .established(let owned): owned.value.request
            }
        }
        set {
            handshake?.request = newValue
            established?.request = newValue
        }
    }

    var currentSession: Session? {
        switch state {
        case .down, .opening: nil
        case .handshaking(let owned): owned.value.responded?.session
        case .established(let owned): owned.value.session
        }
    }
}

/// A message 1 of the counterpart that was opened and is not answered.
package struct ConnectionRequest: Hashable, Sendable {
    /// The connection ID of the counterpart in it; early packets behind it carry this ID.
    package var connectionID: ConnectionID
    /// The counter of the message.
    package var counter: UInt64
    /// The counterpart's opening and hello.
    package var payload: InitiationPayload
    /// It came while this side's own message 1 was on its way.
    package var isCrossed: Bool
}
