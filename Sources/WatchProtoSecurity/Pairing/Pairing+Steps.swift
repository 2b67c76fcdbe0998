/// The steps of a run: the expected messages and their answers.
extension Pairing {
    // MARK: Showing

    mutating func receiveHello(_ message: [UInt8]) throws(PairingFailure) -> Step {
        // Of every version this one message begins alike; the rest may be of another length.
        if message.first == PairingMessage.hello.rawValue, message.count > 1 {
            try Introduction.check(message[1])
        }
        let body = try PairingMessage.hello.body(of: message, count: Introduction.byteCount)
        let context = PairingContext(
            entering: try Introduction(body, to: identity),
            displaying: Introduction(identity, random: random))
        let cpace = try trying { () throws(SecurityFailure) in
            try context.cpace(code, random: random, arena: arena)
        }
        let share = PairingMessage.share.with(
            CPace.message(share: cpace.share, associatedData: context.displaying.bytes))
        state = .waitingForAnswer(context, cpace, said: message + share)
        return .send(share)
    }

    mutating func receiveAnswer(
        _ message: [UInt8], _ context: PairingContext, _ cpace: CPace, _ said: [UInt8]
    ) throws(PairingFailure) -> Step {
        let body = try PairingMessage.answer.body(of: message, count: Self.answerByteCount)
        guard body[0] == 32, body[33] == 0 else { throw .malformed }
        isCommitted = true
        let step: (NoiseHandshake, [UInt8]) = try trying { () throws(SecurityFailure) in
            var noise = try handshake(
                .responder, cpace, other: Array(body[1..<33]), said: said + message.prefix(35),
                first: Self.cpacePart(of: said), second: Array(body[..<34]))
            _ = try noise.read(Array(body[34...]))
            let written = try noise.write(payload: [])
            return (noise, written)
        }
        state = .waitingForEntering(context, step.0)
        return .send(PairingMessage.displaying.with(step.1))
    }

    mutating func receiveEntering(
        _ message: [UInt8], _ context: PairingContext, _ noise: NoiseHandshake
    ) throws(PairingFailure) -> Step {
        let body = try PairingMessage.entering.body(of: message, count: 64)
        let result: (PairedDevice, [UInt8]) = try trying { () throws(SecurityFailure) in
            var noise = noise
            _ = try noise.read(body)
            let device = try pairedDevice(noise, with: context.entering.identity)
            let key = try noise.symmetric.split().second
            let confirmation = ChaCha20Poly1305.seal(
                [], associatedData: noise.symmetric.hash, key: key, number: 0)
            return (device, confirmation)
        }
        state = .paired
        return .paired(result.0, send: PairingMessage.confirmation.with(result.1))
    }

    // MARK: Entering

    mutating func receiveShare(
        _ message: [UInt8], _ introduction: Introduction, _ hello: [UInt8]
    ) throws(PairingFailure) -> Step {
        let count = 34 + Introduction.byteCount
        let body = try PairingMessage.share.body(of: message, count: count)
        guard body[0] == 32, body[33] == UInt8(Introduction.byteCount) else { throw .malformed }
        let context = PairingContext(
            entering: introduction, displaying: try Introduction(Array(body[34...]), to: identity))
        let step: (NoiseHandshake, [UInt8]) = try trying { () throws(SecurityFailure) in
            let cpace = try context.cpace(code, random: random, arena: arena)
            let answer = CPace.message(share: cpace.share, associatedData: [])
            let head = PairingMessage.answer.with(answer)
            var noise = try handshake(
                .initiator, cpace, other: Array(body[1..<33]), said: hello + message + head,
                first: body, second: answer)
            let written = try noise.write(payload: [])
            return (noise, head + written)
        }
        isCommitted = true
        state = .waitingForDisplaying(context, step.0)
        return .send(step.1)
    }

    mutating func receiveDisplaying(
        _ message: [UInt8], _ context: PairingContext, _ noise: NoiseHandshake
    ) throws(PairingFailure) -> Step {
        let body = try PairingMessage.displaying.body(of: message, count: 96)
        let result: (PairedDevice, Secret, [UInt8], [UInt8]) = try trying {
            () throws(SecurityFailure) in
            var noise = noise
            _ = try noise.read(body)
            let last = try noise.write(payload: [])
            let device = try pairedDevice(noise, with: context.displaying.identity)
            return (device, try noise.symmetric.split().second, noise.symmetric.hash, last)
        }
        state = .waitingForConfirmation(result.0, result.1, hash: result.2)
        return .send(PairingMessage.entering.with(result.3))
    }

    mutating func receiveConfirmation(
        _ message: [UInt8], _ device: PairedDevice, _ key: Secret, _ hash: [UInt8]
    ) throws(PairingFailure) -> Step {
        let body = try PairingMessage.confirmation.body(of: message, count: 16)
        let opened = ChaCha20Poly1305.open(body, associatedData: hash, key: key, number: 0)
        guard opened != nil else { throw .notAuthentic }
        state = .paired
        return .paired(device, send: nil)
    }

    // MARK: Both

    /// The CPace message of the side that enters the code (34 bytes) and the first message of Noise
    /// (48).
    private static let answerByteCount = 34 + 48

    /// The CPace message of the side that displays the code, in its hello and share.
    private static func cpacePart(of said: [UInt8]) -> [UInt8] {
        Array(said[(1 + Introduction.byteCount + 1)...])
    }

    private func handshake(
        _ role: NoiseHandshake.Role, _ cpace: CPace, other: [UInt8], said: [UInt8],
        first: [UInt8], second: [UInt8]
    ) throws(SecurityFailure) -> NoiseHandshake {
        let key = try cpace.sessionKey(other: other, transcript: first + second)
        return try NoiseHandshake(
            .pairing, role, prologue: BLAKE2b.hash(said), ownStatic: KeyPair(random, in: arena),
            psk: PairingContext.psk(key), random: random, arena: arena)
    }

    private func pairedDevice(
        _ noise: NoiseHandshake, with counterpart: PairingIdentity
    ) throws(SecurityFailure) -> PairedDevice {
        guard let remote = noise.remoteStatic, let keyPair = noise.ownStatic,
            remote != keyPair.publicKey
        else { throw .authenticationFailure }
        return try PairedDevice(
            noise.symmetric, own: identity, counterpart: counterpart, keyPair: keyPair,
            counterpartKey: remote)
    }
}
