extension Connection {
    /// The state of the connection. Each case holds the fields that exist then; leaving a case
    /// drops them.
    enum State: Sendable {
        /// There is no carrier, and none was asked for.
        case down(DownState)
        /// The environment was asked for a carrier.
        case opening
        /// The carrier is open, and there is no session or an unconfirmed one.
        case handshaking(Owned<Handshake>)
        /// The session is open: message 2 came, or the first packet after it.
        case established(Owned<Established>)
    }

    /// The carrier is open; the session is not.
    struct Handshake: Sendable {
        var link: OpenLink
        var attempt = Attempt.none
        /// The counterpart's newest message 1 that was opened and not answered.
        var request: Request?
        /// Early packets that came before their message 1.
        var earlyPackets: [StoredEarlyPacket] = []
        /// When this side makes message 1 if none came; nil where it waits to be called.
        var initiateAt: Instant?
        /// This side is to make message 1.
        var isInitiationDue = false
        /// When the carrier is given up.
        var deadline: Instant?
        /// The number of repetitions of messages 1 on this link.
        var repetitions = 0
        var refusals = 0
        /// The connection ID of this side in the previous session.
        var formerID: ConnectionID?

        /// Message 1 of this side that is on its way.
        var initiated: Initiated? {
            get { if case .initiated(let initiated) = attempt { initiated } else { nil } }
            set { attempt = newValue.map { .initiated($0) } ?? .none }
        }

        /// Message 2 of this side that is on its way.
        var responded: Responded? {
            get { if case .responded(let responded) = attempt { responded } else { nil } }
            set { attempt = newValue.map { .responded($0) } ?? .none }
        }

        /// Whether message 1 is on its way. The question copies no attempt.
        var hasInitiated: Bool { if case .initiated = attempt { true } else { false } }

        /// Whether message 2 is on its way. The question copies no attempt.
        var hasResponded: Bool { if case .responded = attempt { true } else { false } }

        /// This side is to make message 1 instead of what it had on its way.
        mutating func beginAnew() {
            attempt = .none
            isInitiationDue = true
        }
    }

    /// This side's part in the handshake.
    enum Attempt: Sendable {
        case none
        /// Message 1 is on its way.
        case initiated(Initiated)
        /// Message 2 is on its way: the candidate session.
        case responded(Responded)
    }

    /// Message 1 of this side.
    struct Initiated: Sendable {
        /// Message 1 as it travels.
        let message: InitiationPacket
        let counter: UInt64
        var handshake: AnyInitiation
        var early: AnySealer
        /// Whether this message 1 is to be answered where both sides opened at once.
        var isFresh = true
        /// The moments at which it is repeated, ceases to be fresh, and is given up; nil on a
        /// carrier that cannot lose.
        var times: (repeatAt: Instant, freshUntil: Instant, endsAt: Instant)?

        var id: ConnectionID { message.connectionID }
    }

    /// Message 2 of this side, and the session that it opens.
    struct Responded: Sendable {
        var session: Session
        /// The message 1 that was answered.
        var initiation: InitiationPacket
        var response: [UInt8]
        var early: EarlyArrival
        var repetitions = ResponseRepetitions()
        /// When the candidate is given up.
        var confirmBy: Instant?
    }

    /// A message 1 of the counterpart that was opened.
    struct Request: Sendable {
        var message: InitiationPacket
        var counter: UInt64
        var handshake: AnyResponse
        var payload: InitiationPayload
        var early: EarlyArrival
        var source: PathAddress?
        /// Where else it came from: one of them may be the counterpart's own address.
        var copies: [PathAddress] = []
        /// Bytes of the datagram, and those of this side's own message 1 that left for its source.
        var bytes: Int
        var answered = 0
        /// It came while this side's own message 1 was on its way.
        var isCrossed: Bool

        /// The same message came again.
        mutating func copied(from address: PathAddress?) {
            guard let address, address != source, !copies.contains(address) else { return }
            if copies.count == ResponseRepetitions.sourceLimit { copies.removeFirst() }
            copies.append(address)
        }
    }

    /// Opens what follows a message 1.
    struct EarlyArrival: Sendable {
        var id: ConnectionID
        var sealer: AnySealer
        var window = ReplayWindow()
        /// The number of the next packet, where it is implied.
        var next: UInt64 = 0
    }

    /// The session is open.
    struct Established: Sendable {
        var link: OpenLink
        var session: Session
        /// The message 1 that made the session, where this side responded: it may come again.
        var initiation: InitiationPacket?
        /// The counterpart's newest message 1 that was opened and not answered.
        var request: Request?
        var since: Instant
        /// Something was settled or delivered in it; never set in a constant shape.
        var isOfUse = false
        var renewAt: Instant?
        /// When the session is given up unless a packet of it comes.
        var probeDeadline: Instant?
    }

    /// The keys and numbers of one session.
    struct Session: Sendable {
        let ownID: ConnectionID
        let counterpartID: ConnectionID
        var sending: AnySealer
        var receiving: AnySealer
        /// The packets opened with the newest key.
        var window = ReplayWindow()
        /// Those opened with the key before it, until its late packets count as lost.
        var former: (window: ReplayWindow, until: Instant)?
        /// The newest packets sent on a carrier that can lose: a reset answers one of them.
        var sentTails = SentTails()
        /// The next implied numbers, on carriers that cannot lose.
        var nextSent: UInt64 = 0
        var nextReceived: UInt64 = 0
        /// When the key that this side seals with was first used.
        var keySince: Instant
    }
}

/// There is no carrier.
struct DownState: Sendable {
    /// Whether the application wants a session.
    var isWanted = false
    /// When the environment is asked for a carrier again.
    var reopenAt: Instant?
}

/// The state that belongs to an open carrier.
struct OpenLink: Sendable {
    var carrier: CarrierTraits
    var framing: StreamFraming
    var path: PathValidation
    /// When the first byte of a packet came that is not whole yet, and a millisecond later for each
    /// further byte: a sender of single bytes gains nothing.
    var partialSince: Instant?

    var isLossy: Bool { carrier.isLossy }
    var isStream: Bool { carrier.framing == .stream }

    /// A packet has authenticated: longer ones may follow.
    mutating func authenticated(_ limits: Limits) {
        framing.limitBytes = limits.streamPacketBytes
    }
}

/// The repetitions of message 2 to each address that sent the message 1 it answers. Somebody who
/// copies message 1 takes none away from its true sender.
struct ResponseRepetitions: Sendable {
    /// Addresses that are told apart; another one takes the place of the oldest.
    static let sourceLimit = 16

    private var sent: [(source: PathAddress?, count: Int)] = []

    /// Whether message 2 may leave once more for `source`.
    mutating func admits(_ source: PathAddress?) -> Bool {
        guard let place = sent.firstIndex(where: { $0.source == source }) else {
            if sent.count == Self.sourceLimit { sent.removeFirst() }
            sent.append((source, 1))
            return true
        }
        sent[place].count += 1
        return sent[place].count <= ConnectionConfiguration.responseRepetitions
    }
}

/// An early packet whose message 1 has not come.
struct StoredEarlyPacket: Sendable {
    var header: DatagramHeader
    var bytes: [UInt8]
    var start: Int
}

/// The states of a connection, for reports and for the table of the article.
package enum ConnectionPhase: UInt8, Hashable, Sendable, CaseIterable {
    /// No session is wanted.
    case down
    /// A session is wanted; the next attempt is due later.
    case waiting
    /// The environment was asked for a carrier.
    case opening
    /// The carrier is open, and there is no session.
    case handshaking
    /// This side made message 2; the first packet of the session has not come.
    case responded
    /// The session is open.
    case established
}
