/// The messages of a handshake and their order (Noise, revision 34, section 7).
struct HandshakePattern: Hashable, Sendable {
    /// One step of a message.
    enum Token: Hashable, Sendable {
        /// The sender's ephemeral key, in clear.
        case e
        /// The sender's static key, encrypted once there is a key.
        case s
        /// Agreements between two keys: the initiator's first, the responder's second.
        case ee, es, se, ss
        /// The key that both had before.
        case psk
    }

    /// The pattern's name with its modifiers, as in a protocol name: `XXpsk0`.
    let name: String
    /// Whether the responder knows the initiator's static key before.
    let initiatorIsKnown: Bool
    /// Whether the initiator knows the responder's static key before.
    let responderIsKnown: Bool
    /// The messages in turns, the initiator's first.
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

    /// Whether a pre-shared key is used. If so, ephemeral keys are mixed in as keys, too.
    var hasPSK: Bool { messages.joined().contains(.psk) }

    /// The input of the first hash.
    var protocolName: [UInt8] { Array("Noise_\(name)_25519_ChaChaPoly_BLAKE2b".utf8) }

    /// The pattern with a pre-shared key (section 9): 0 is before the first message, n at the end
    /// of the n-th.
    func withPSK(_ place: Int) -> HandshakePattern {
        var messages = messages
        if place == 0 { messages[0].insert(.psk, at: 0) } else { messages[place - 1].append(.psk) }
        return HandshakePattern(
            name + "psk\(place)", initiatorIsKnown: initiatorIsKnown,
            responderIsKnown: responderIsKnown, messages)
    }
}

/// The patterns in use. No other can be negotiated.
extension HandshakePattern {
    /// Pairing: neither side knows the other's static key.
    static let xx = HandshakePattern("XX", [[.e], [.e, .ee, .s, .es], [.s, .se]])
    /// Reconnection: both sides know both static keys.
    static let kk = HandshakePattern(
        "KK", initiatorIsKnown: true, responderIsKnown: true,
        [[.e, .es, .ss], [.e, .ee, .se]])

    /// The pattern of pairing after CPace has yielded a key.
    static let pairing = xx.withPSK(0)
    /// The pattern of paired devices.
    static let reconnection = kk.withPSK(0)
}
