public import WatchProto

/// A reconnection on one link, from either side, for whoever does not yet know which side it will
/// be: who writes first opens, who reads first answers.
///
/// When both have opened, the lower static key wins: its first message is the one that is answered.
/// The other side yields, yet keeps what it opened with, because what made it yield may have been a
/// replay: should its own first message be answered after all, that session counts. Early data
/// counts in both directions, whoever wins.
public struct ReconnectHandshake: Handshaking {
    private let device: PairedDevice
    private let prologue: [UInt8]
    private let counter: UInt64?
    private let random: RandomSource
    private let padding: PaddingClasses
    private var initiator: ReconnectInitiator?
    private var request: ReconnectRequest?
    private var answered: (sending: SessionSealer, receiving: SessionSealer)?

    private let responder: ReconnectResponder
    /// The answer to a first message that came again; nil otherwise. Send it once more.
    public private(set) var repeatedAnswer: [UInt8]?

    /// Begins on a link.
    ///
    /// - Parameters:
    ///   - device: what the pairing left.
    ///   - prologue: what both sides know of the link; the wire version.
    ///   - counter: of ``HandshakeCounter/next()``, for this handshake alone.
    ///   - responder: the one of the pairing, which all its links share.
    ///   - padding: to which lengths the session's packets are filled up.
    ///   - random: where ephemeral keys come from.
    public init(
        _ device: PairedDevice, prologue: [UInt8], counter: UInt64?, responder: ReconnectResponder,
        padding: PaddingClasses = .standard, random: RandomSource = .system
    ) {
        self.device = device
        self.prologue = prologue
        self.counter = counter
        self.responder = responder
        self.padding = padding
        self.random = random
    }

    /// The longer of the two flights is the first: 56 bytes.
    public static var overheadBytes: Int { Reconnection.firstOverheadBytes }

    /// Whether it is this side's turn: to open, or to answer.
    public var mayWrite: Bool {
        guard !isComplete else { return false }
        if request != nil { return !hasWon }
        return initiator == nil
    }

    /// Whether both directions can be sealed.
    public var isComplete: Bool { answered != nil || initiator?.isComplete == true }

    /// Whether this side opened and does not yield.
    private var hasWon: Bool { initiator != nil && device.ownKey.precedes(device.counterpartKey) }

    /// Seals what follows this side's first message at once; nil before it, and without a counter.
    public var earlySending: SessionSealer? {
        var sealer = initiator?.earlySealer
        sealer?.padding = padding
        return sealer
    }

    /// Opens what follows the counterpart's first message; nil before it, and where it was refused.
    public var earlyReceiving: SessionSealer? { request?.earlySealer }

    /// What to tell the counterpart of its early data, in the first transport packet.
    public var verdict: EarlyVerdict { request?.verdict ?? .none }

    /// Opens or answers.
    ///
    /// - Throws: `HandshakeFailure` as ``ReconnectInitiator`` and ``ReconnectResponder`` do.
    public mutating func write(payload: [UInt8]) throws(HandshakeFailure) -> [UInt8] {
        guard mayWrite else { throw .authenticationFailure }
        if let request {
            let answer = try responder.answer(request, payload: payload)
            answered = answer.sealers
            return answer.message
        }
        let opened = try ReconnectInitiator(
            device, prologue: prologue, counter: counter, payload: payload, random: random)
        initiator = opened
        return opened.message
    }

    /// Takes a flight and gives its payload, which is empty for a first message that came again.
    ///
    /// - Throws: `HandshakeFailure` where it is neither an answer to this side's first message nor
    ///   a first message of the counterpart; nothing has changed then.
    public mutating func read(_ flight: Span<UInt8>) throws(HandshakeFailure) -> [UInt8] {
        let message = [UInt8](copying: flight)
        repeatedAnswer = nil
        if var opened = initiator, !opened.isComplete {
            // An answer and a first message look alike: which it is, only the keys can tell.
            if let payload = try? opened.read(message) {
                initiator = opened
                return payload
            }
        }
        // A second first message belongs to a handshake of its own: here it must not use up its
        // counter. One that came again is answered again.
        let isTaken = request != nil || initiator?.isComplete == true
        guard
            let arrival = try isTaken
                ? responder.repetition(of: message, prologue: prologue)
                : responder.receive(message, prologue: prologue)
        else { throw .authenticationFailure }
        switch arrival {
        case .repeated(let answer):
            repeatedAnswer = answer
            return []
        case .fresh(let arrived):
            request = arrived
            return arrived.payload
        }
    }

    /// The sealers of the session. Where this side yielded and was answered all the same, those of
    /// the answer.
    ///
    /// - Precondition: ``isComplete``.
    public mutating func split() -> (sending: SessionSealer, receiving: SessionSealer) {
        var sealers = initiator?.isComplete == true ? initiator?.split() : answered
        sealers?.sending.padding = padding
        guard let sealers else { preconditionFailure("the handshake is not complete") }
        return sealers
    }
}
