/// What a handshake says in which order (Noise, revision 34, section 7): one row of a table.
struct HandshakePattern: Hashable, Sendable {
    /// One step of a message.
    enum Token: Hashable, Sendable {
        /// The sender's ephemeral key, in clear.
        case e
        /// The sender's static key, encrypted once there is a key.
        case s
        /// Agreements between the keys named: the initiator's first, the responder's second.
        case ee, es, se, ss
        /// The key both had beforehand.
        case psk
    }

    /// The pattern's name with its modifiers, as in a protocol name: `XXpsk0`.
    let name: String
    /// Whether the responder knows the initiator's static key beforehand.
    let initiatorIsKnown: Bool
    /// Whether the initiator knows the responder's static key beforehand.
    let responderIsKnown: Bool
    /// The messages, the initiator's first, then in turns.
    let messages: [[Token]]

    init(
        _ name: String, initiatorIsKnown: Bool = false, responderIsKnown: Bool = false,
        _ messages: [[Token]]
    ) {
        self.name = name
        self.initiatorIsKnown = initiatorIsKnown
        self.responderIsKnown = responderIsKnown
        self.messages = messages
    }

    /// Whether a pre-shared key takes part; ephemeral keys are mixed in as keys then, too.
    var hasPSK: Bool { messages.joined().contains(.psk) }

    /// The bytes that go into the first hash.
    var protocolName: [UInt8] { Array("Noise_\(name)_25519_ChaChaPoly_BLAKE2b".utf8) }

    /// The pattern with a pre-shared key (section 9): 0 stands before the first message, n at the
    /// end of the n-th.
    func withPSK(_ place: Int) -> HandshakePattern {
        var messages = messages
        if place == 0 { messages[0].insert(.psk, at: 0) } else { messages[place - 1].append(.psk) }
        return HandshakePattern(
            name + "psk\(place)", initiatorIsKnown: initiatorIsKnown,
            responderIsKnown: responderIsKnown, messages)
    }
}

/// The patterns that are spoken. There is no other to negotiate.
extension HandshakePattern {
    /// Pairing: neither knows the other's static key.
    static let xx = HandshakePattern("XX", [[.e], [.e, .ee, .s, .es], [.s, .se]])
    /// Reconnection: both know both.
    static let kk = HandshakePattern(
        "KK", initiatorIsKnown: true, responderIsKnown: true,
        [[.e, .es, .ss], [.e, .ee, .se]])

    /// What pairing speaks once CPace has given a key.
    static let pairing = xx.withPSK(0)
    /// What paired devices speak.
    static let reconnection = kk.withPSK(0)
}
