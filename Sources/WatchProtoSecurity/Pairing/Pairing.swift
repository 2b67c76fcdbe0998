/// One run of pairing, on either side: bytes in, bytes out. CPace turns the code into a key.
/// Noise_XXpsk0 exchanges static keys under it. Both sides confirm before either gives out
/// anything.
///
/// The side that enters the code speaks first. A repeated message is answered again, so a carrier
/// may lose and repeat. A ``PairingCoordinator`` counts runs and keeps time.
package struct Pairing: Sendable {
    /// The result of a message.
    package enum Step: Sendable {
        /// Send this.
        case send([UInt8])
        /// Both sides have confirmed. If there is a message to send, the other side waits for it.
        case paired(PairedDevice, send: [UInt8]?)
    }

    enum State: Sendable {
        // The side that shows the code.
        case waitingForHello
        case waitingForAnswer(PairingContext, CPace, said: [UInt8])
        case waitingForEntering(PairingContext, NoiseHandshake)
        // The side that is given it.
        case waitingForShare(Introduction, hello: [UInt8])
        case waitingForDisplaying(PairingContext, NoiseHandshake)
        case waitingForConfirmation(PairedDevice, Secret, hash: [UInt8])
        // Both.
        case paired
        case failed
    }

    let identity: PairingIdentity
    let code: PairingCode
    let random: RandomSource
    let arena: KeyArena
    var state: State
    private var lastReceived: [UInt8] = []
    private var lastSent: [UInt8] = []

    /// The first message, on the side that enters the code; nil on the other.
    package let opening: [UInt8]?

    /// Whether a guess at the code may have been made in this run. If so, the code must not be used
    /// again.
    package internal(set) var isCommitted = false

    /// Begins on the side that displays `code`.
    package init(
        showing code: PairingCode, as identity: PairingIdentity, random: RandomSource = .system,
        arena: KeyArena = .shared
    ) {
        (self.code, self.identity, self.random, self.arena) = (code, identity, random, arena)
        opening = nil
        state = .waitingForHello
    }

    /// Begins on the side that enters `code`.
    package init(
        entering code: PairingCode, as identity: PairingIdentity, random: RandomSource = .system,
        arena: KeyArena = .shared
    ) {
        (self.code, self.identity, self.random, self.arena) = (code, identity, random, arena)
        let introduction = Introduction(identity, random: random)
        let hello = PairingMessage.hello.with(introduction.bytes)
        opening = hello
        lastSent = hello
        state = .waitingForShare(introduction, hello: hello)
    }

    /// Whether the run has ended in failure.
    package var hasFailed: Bool { if case .failed = state { true } else { false } }

    /// The other device, on the side that enters the code, once it has shown that it knows the
    /// code.
    var counterpart: PairingIdentity? {
        if case .waitingForConfirmation(let device, _, _) = state {
            device.counterpart
        } else {
            nil
        }
    }

    /// Whether the other device has shown that it knows the code: its first seal of the handshake
    /// has authenticated.
    var hasProof: Bool {
        switch state {
        case .waitingForEntering, .waitingForConfirmation, .paired: true
        case .waitingForHello, .waitingForAnswer, .waitingForShare, .waitingForDisplaying, .failed:
            false
        }
    }

    /// Whether the next message is the other side's guess at the code.
    private var isAwaitingGuess: Bool {
        if case .waitingForAnswer = state { true } else { false }
    }

    /// Handles the counterpart's next message.
    ///
    /// Only an answer is a guess at the code. If it does not authenticate, the run ends. Anybody
    /// may have sent another message that does not authenticate: it is dropped, and the true one
    /// counts.
    ///
    /// - Throws: ``PairingFailure``; nothing has changed then, unless ``hasFailed``. If there is no
    ///   memory for keys, the run is over.
    package mutating func receive(_ message: [UInt8]) throws(PairingFailure) -> Step {
        if hasFailed { throw .over }
        if !lastReceived.isEmpty, !lastSent.isEmpty, message == lastReceived {
            return .send(lastSent)
        }
        do throws(PairingFailure) {
            let step = try advance(message)
            lastReceived = message
            switch step {
            case .send(let bytes): lastSent = bytes
            case .paired(_, let bytes): lastSent = bytes ?? []
            }
            return step
        } catch {
            if error == .noSecretMemory || error == .notAuthentic && isAwaitingGuess {
                state = .failed
            }
            throw error
        }
    }

    private mutating func advance(_ message: [UInt8]) throws(PairingFailure) -> Step {
        switch state {
        case .waitingForHello: try receiveHello(message)
        case .waitingForAnswer(let context, let cpace, let said):
            try receiveAnswer(message, context, cpace, said)
        case .waitingForEntering(let context, let noise):
            try receiveEntering(message, context, noise)
        case .waitingForShare(let introduction, let hello):
            try receiveShare(message, introduction, hello)
        case .waitingForDisplaying(let context, let noise):
            try receiveDisplaying(message, context, noise)
        case .waitingForConfirmation(let device, let key, let hash):
            try receiveConfirmation(message, device, key, hash)
        case .paired: throw .malformed
        case .failed: throw .over
        }
    }

    /// Runs a step that can fail for one reason only, and converts its error. The length was
    /// checked before, so a message that is too short inside does not authenticate.
    func trying<Value>(
        _ body: () throws(SecurityFailure) -> Value
    ) throws(PairingFailure) -> Value {
        do throws(SecurityFailure) {
            return try body()
        } catch {
            throw error == .noSecretMemory ? .noSecretMemory : .notAuthentic
        }
    }
}
