/// The timers of a session that notice a dead link: silence, stall, and an optional keep-alive.
///
/// - Silence and stall count only while the counterpart owes an answer.
/// - If the counterpart owes an answer and none arrives for the silence time, the peer sends a
///   ping, although other packets may arrive. If nothing answers the ping for the answer time, the
///   outbound direction is dead, and the link is stalled.
/// - With a keep-alive, the peer sends a ping when it has heard nothing for the interval. A dead
///   idle link is noticed within the interval and the stall time. Each ping costs both sides one
///   packet and one wake-up: at an interval of five minutes 288 a day. The default is none.
struct Liveness: Sendable {
    /// An event that is due.
    enum Event: Hashable, Sendable {
        /// Nothing was heard for the silence time.
        case silence
        /// A ping must leave.
        case ping
        /// The link must be closed.
        case stalled
    }

    /// The longest time without a packet. After it the link counts as dead.
    let stallTime: Duration
    /// The longest time without an answer to a ping. After it the link counts as dead.
    let answerTime: Duration
    /// The silence on an idle link after which a ping leaves; nil for no keep-alive.
    let keepAlive: Duration?
    /// Whether the keep-alive runs: an application in the background has none.
    var isKeptAlive = true

    /// When the newest packet arrived.
    private(set) var inboundProof: Instant?
    /// When the newest answer arrived.
    private(set) var outboundProof: Instant?
    private var startedAt: Instant?
    private var owedSince: Instant?
    /// When the oldest ping left that nothing has answered.
    private var pingSince: Instant?
    private var silenceTime: Duration
    private var isSilent = false

    init(stallTime: Duration, answerTime: Duration, keepAlive: Duration?) {
        self.stallTime = stallTime
        self.answerTime = answerTime
        self.keepAlive = keepAlive.map { max($0, stallTime) }
        silenceTime = stallTime / 5
    }

    /// Begins a session in which nothing has arrived.
    mutating func begin(at now: Instant) {
        let isKeptAlive = isKeptAlive
        self = Liveness(stallTime: stallTime, answerTime: answerTime, keepAlive: keepAlive)
        self.isKeptAlive = isKeptAlive
        startedAt = now
    }

    /// Ends the session: no timer runs. The proofs stay for the evidence.
    mutating func end() {
        startedAt = nil
        owedSince = nil
        pingSince = nil
    }

    mutating func heard(at now: Instant) {
        inboundProof = now
        isSilent = false
    }

    mutating func answered(at now: Instant) {
        outboundProof = now
        pingSince = nil
    }

    mutating func owes(_ isOwed: Bool, silenceTime: Duration, at now: Instant) {
        self.silenceTime = silenceTime
        owedSince = isOwed ? owedSince ?? now : nil
    }

    /// Since when nothing has arrived although an answer, or a pong, is owed.
    private var silentSince: Instant? {
        (owedSince ?? pingSince).map { max($0, inboundProof ?? startedAt ?? $0) }
    }

    private var silenceDeadline: Instant? {
        isSilent ? nil : silentSince?.advanced(by: silenceTime)
    }

    private var pingDeadline: Instant? {
        guard let startedAt, pingSince == nil else { return nil }
        guard let owedSince else {
            guard isKeptAlive, let keepAlive else { return nil }
            return max(startedAt, inboundProof ?? startedAt).advanced(by: keepAlive)
        }
        return max(owedSince, outboundProof ?? startedAt).advanced(by: silenceTime)
    }

    private var stallDeadline: Instant? {
        let heard = silentSince?.advanced(by: stallTime)
        guard let answered = pingSince?.advanced(by: answerTime) else { return heard }
        return min(heard ?? answered, answered)
    }

    /// When ``next(at:)`` has something to say.
    var nextDeadline: Instant? {
        guard startedAt != nil else { return nil }
        var earliest: Instant?
        for case let deadline? in [silenceDeadline, pingDeadline, stallDeadline]
        where earliest.map({ deadline < $0 }) ?? true {
            earliest = deadline
        }
        return earliest
    }

    /// The next event that is due at `now`, each reported once; nil when no more is due.
    mutating func next(at now: Instant) -> Event? {
        guard startedAt != nil else { return nil }
        if let deadline = stallDeadline, deadline <= now {
            end()
            return .stalled
        }
        if let deadline = silenceDeadline, deadline <= now {
            isSilent = true
            return .silence
        }
        if let deadline = pingDeadline, deadline <= now {
            pingSince = now
            return .ping
        }
        return nil
    }
}
