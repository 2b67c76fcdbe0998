internal import Locks

/// One side of a handshake (Noise, revision 34, section 5.3), by the rows of a pattern.
///
/// It is a value. A message that does not authenticate leaves it unchanged, so a forged message
/// does not end the handshake. Copies share their keys, which never change, and the record of
/// written messages. One of them writes each message, once: a second message with other content
/// would use a nonce twice.
struct NoiseHandshake: Sendable {
    /// The side of the handshake.
    enum Role: Sendable {
        case initiator, responder
    }

    let pattern: HandshakePattern
    let role: Role
    let ownStatic: KeyPair?
    private var ownEphemeral: KeyPair?
    /// The counterpart's static key, known before or received.
    private(set) var remoteStatic: PublicKey?
    private var remoteEphemeral: PublicKey?
    private let psk: Secret?
    /// The shared secret of the two static keys, if it is known before. It saves an agreement.
    private let staticShared: Secret?
    private let known: KnownAgreements?
    private let random: RandomSource
    private let arena: KeyArena
    private let written = WrittenMessages()
    private(set) var symmetric: SymmetricState
    /// Messages written and read so far.
    private(set) var step = 0

    /// Begins a handshake. The pattern determines the keys that are needed.
    ///
    /// - Precondition: the keys that the pattern needs before are there.
    init(
        _ pattern: HandshakePattern, _ role: Role, prologue: [UInt8], ownStatic: KeyPair? = nil,
        remoteStatic: PublicKey? = nil, psk: Secret? = nil, staticShared: Secret? = nil,
        known: KnownAgreements? = nil, random: RandomSource, arena: KeyArena
    ) throws(SecurityFailure) {
        precondition(!pattern.hasPSK || psk?.count == Secret.keyByteCount)
        self.pattern = pattern
        self.role = role
        self.ownStatic = ownStatic
        self.remoteStatic = remoteStatic
        self.psk = psk
        self.staticShared = staticShared
        self.known = known
        self.random = random
        self.arena = arena
        symmetric = try SymmetricState(protocolName: pattern.protocolName, in: arena)
        symmetric.mixHash(prologue)
        let (initiator, responder) =
            role == .initiator
            ? (ownStatic?.publicKey, remoteStatic) : (remoteStatic, ownStatic?.publicKey)
        if pattern.initiatorIsKnown { symmetric.mixHash(initiator!.bytes) }
        if pattern.responderIsKnown { symmetric.mixHash(responder!.bytes) }
    }

    /// Whether all messages were exchanged.
    var isComplete: Bool { step == pattern.messages.count }

    /// Whether the next message is this side's.
    var mayWrite: Bool { !isComplete && step.isMultiple(of: 2) == (role == .initiator) }

    /// Writes the next message.
    ///
    /// - Throws: `authenticationFailure` if a key of the counterpart has no agreement, or if this
    ///   value or a copy began this message before; the handshake is over then.
    /// - Precondition: ``mayWrite``.
    mutating func write(payload: [UInt8]) throws(SecurityFailure) -> [UInt8] {
        precondition(mayWrite, "it is not this side's turn")
        guard written.claim(step) else { throw .authenticationFailure }
        var next = self
        var message: [UInt8] = []
        for token in pattern.messages[step] {
            switch token {
            case .e:
                let pair = try KeyPair(random, in: arena)
                next.ownEphemeral = pair
                message += pair.publicKey.bytes
                try next.mixEphemeral(pair.publicKey)
            case .s:
                message += try next.symmetric.encryptAndHash(ownStatic!.publicKey.bytes)
            default:
                try next.mix(token)
            }
        }
        message += try next.symmetric.encryptAndHash(payload)
        next.step += 1
        self = next
        return message
    }

    /// Reads the counterpart's next message and returns its payload.
    ///
    /// - Throws: `malformed` if it is shorter than the shortest message of this step; otherwise
    ///   `authenticationFailure`, for any reason. The state is unchanged.
    mutating func read(_ message: [UInt8]) throws(SecurityFailure) -> [UInt8] {
        guard !isComplete, !mayWrite else { throw .authenticationFailure }
        var next = self
        var rest = message[...]
        func take(_ count: Int) throws(SecurityFailure) -> [UInt8] {
            guard rest.count >= count else { throw .malformed }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        for token in pattern.messages[step] {
            switch token {
            case .e:
                let key = PublicKey(try take(PublicKey.byteCount))!
                next.remoteEphemeral = key
                try next.mixEphemeral(key)
            case .s:
                let tag = next.symmetric.isEncrypting ? ChaCha20Poly1305.tagByteCount : 0
                let bytes = try next.symmetric.decryptAndHash(take(PublicKey.byteCount + tag))
                next.remoteStatic = PublicKey(bytes)
            default:
                try next.mix(token)
            }
        }
        if next.symmetric.isEncrypting, rest.count < ChaCha20Poly1305.tagByteCount {
            throw .malformed
        }
        let payload = try next.symmetric.decryptAndHash(Array(rest))
        next.step += 1
        self = next
        return payload
    }

    // MARK: Tokens

    private mutating func mixEphemeral(_ key: PublicKey) throws(SecurityFailure) {
        symmetric.mixHash(key.bytes)
        if pattern.hasPSK { try symmetric.mixKey(key.bytes) }
    }

    /// Mixes in the result of an agreement, or the pre-shared key. The pattern's rows ensure that
    /// the keys are there (section 7.3).
    private mutating func mix(_ token: HandshakePattern.Token) throws(SecurityFailure) {
        let isInitiator = role == .initiator
        let shared: Secret
        switch token {
        case .ee:
            shared = try ownEphemeral!.agree(remoteEphemeral!, known)
        case .ss:
            if let staticShared { return try symmetric.mixKey(staticShared) }
            shared = try ownStatic!.agree(remoteStatic!, known)
        case .es where isInitiator, .se where !isInitiator:
            shared = try ownEphemeral!.agree(remoteStatic!, known)
        case .es, .se:
            shared = try ownStatic!.agree(remoteEphemeral!, known)
        case .psk:
            return try symmetric.mixKeyAndHash(psk!)
        case .e, .s:
            preconditionFailure("\(token) is no agreement")
        }
        try symmetric.mixKey(shared)
    }
}

/// The messages of a handshake that were written; shared by all copies of it.
private final class WrittenMessages: Sendable {
    private let next = Mutex(0)

    /// Whether message `step` was not written before.
    func claim(_ step: Int) -> Bool {
        next.withLock { next in
            guard step >= next else { return false }
            next = step + 1
            return true
        }
    }
}
