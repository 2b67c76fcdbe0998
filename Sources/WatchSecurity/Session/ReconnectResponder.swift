public import WatchProto

/// The side of a reconnection that is opened to: takes first messages, one after the other, for as
/// long as its host lives.
///
/// An identical first message is given the same answer, so that a lost one costs nothing and a
/// replayed one makes no second session.
public struct ReconnectResponder: Sendable {
    /// First messages that are remembered, with their answers.
    public static let cacheLimit = 8

    /// What a first message is.
    public enum Arrival: Sendable {
        /// A new one, authentic.
        case fresh(ReconnectRequest)
        /// One that came before: send its answer again if it has one, and do nothing else.
        case repeated(answer: [UInt8]?)
    }

    private struct Answer: Sendable {
        var digest: [UInt8]
        var message: [UInt8]?
    }

    private let device: PairedDevice
    private let prologue: [UInt8]
    private let random: RandomSource
    private var answers: [Answer] = []
    /// Which counters were taken; its highest is to be made durable.
    public private(set) var gate: HandshakeGate

    /// Begins with what is durable of the gate.
    public init(
        _ device: PairedDevice, prologue: [UInt8], gate: HandshakeGate = HandshakeGate(),
        random: RandomSource = .system
    ) {
        (self.device, self.prologue, self.gate, self.random) = (device, prologue, gate, random)
    }

    /// Takes a first message. Its counter is judged, and counts as taken from now on.
    ///
    /// - Throws: `HandshakeFailure` where it does not authenticate: whoever sent it is not the
    ///   counterpart. Nothing has changed.
    public mutating func receive(_ message: [UInt8]) throws(HandshakeFailure) -> Arrival {
        let digest = BLAKE2b.hash(message)
        if let answer = answers.first(where: { ConstantTime.areEqual($0.digest, digest) }) {
            return .repeated(answer: answer.message)
        }
        do throws(SecurityFailure) {
            var noise = try Reconnection.handshake(
                .responder, device, prologue: prologue, random: random)
            let content = try noise.read(message)
            guard content.count >= Reconnection.counterByteCount else { throw .malformed }
            let early = try Reconnection.earlySealer(noise)
            let counter: UInt64 = LittleEndian.value(content.prefix(Reconnection.counterByteCount))
            let verdict = gate.judge(counter)
            if answers.count == Self.cacheLimit { answers.removeFirst() }
            answers.append(Answer(digest: digest))
            return .fresh(
                ReconnectRequest(
                    payload: Array(content.dropFirst(Reconnection.counterByteCount)),
                    counter: counter, verdict: verdict,
                    earlySealer: verdict == .accepted ? early : nil, noise: noise, digest: digest))
        } catch {
            throw error.asHandshakeFailure
        }
    }

    /// Answers a first message: the second message and the sealers of the session. Not for one that
    /// is taken for its early data alone.
    ///
    /// - Throws: `HandshakeFailure.authenticationFailure` without memory for keys: this host is at
    ///   fault.
    /// - Precondition: the request was not answered before.
    public mutating func answer(
        _ request: ReconnectRequest, payload: [UInt8]
    ) throws(HandshakeFailure) -> (
        message: [UInt8], sealers: (sending: SessionSealer, receiving: SessionSealer)
    ) {
        do throws(SecurityFailure) {
            var noise = request.noise
            let message = try noise.write(payload: payload)
            let sealers = try Reconnection.sealers(noise)
            if let place = answers.firstIndex(where: { $0.digest == request.digest }) {
                answers[place].message = message
            }
            return (message, sealers)
        } catch {
            throw error.asHandshakeFailure
        }
    }
}

/// A first message that has authenticated.
public struct ReconnectRequest: Sendable {
    /// What the counterpart put into it.
    public let payload: [UInt8]
    /// Its counter; 0 for none.
    public let counter: UInt64
    /// What becomes of the early data behind it: tell the counterpart in the first transport
    /// packet.
    public let verdict: EarlyVerdict
    /// Opens the early data; nil unless it is accepted.
    public let earlySealer: SessionSealer?

    let noise: NoiseHandshake
    let digest: [UInt8]
}
