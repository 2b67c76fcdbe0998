/// Decides whether the counterpart can answer now, on evidence and without flapping, and notices a
/// dead link.
///
/// | state        | activated | heard            | silence | holdEnded          | down        |
/// | ------------ | --------- | ---------------- | ------- | ------------------ | ----------- |
/// | unreachable  | holding   | –                | –       | –                  | –           |
/// | holding      | –         | reachable if the hold has ended | – | reachable if heard | unreachable |
/// | reachable    | –         | –                | suspect | –                  | unreachable |
/// | suspect      | –         | reachable        | –       | –                  | unreachable |
///
/// `holding` lasts until a packet has come after the handshake *and* the hold is over. The hold is
/// zero unless the link went down within ``flapTime`` of coming up; it doubles with each such flap.
package struct Reachability: Sendable {
    /// The knowledge of whether the counterpart is reachable; see the table above.
    package enum State: UInt8, Sendable, CaseIterable {
        /// No session is established.
        case unreachable
        /// A session is established, but no packet followed its handshake, or the hold lasts.
        case holding
        /// The counterpart answers.
        case reachable
        /// An answer is owed and overdue; the link stands.
        case suspect
    }

    /// An input of the state machine.
    enum Input: UInt8, Sendable, CaseIterable {
        /// The handshake completed.
        case activated
        /// A packet arrived.
        case heard
        /// Nothing arrived for the silence time although an answer was owed.
        case silence
        /// ``Reachability/holdDeadline`` has come.
        case holdEnded
        /// The link went down, or the counterpart said that it goes.
        case down
    }

    /// An action that the peer has to take.
    package enum Action: Hashable, Sendable {
        /// Send a ping, with a token of its own.
        case ping
        /// Close the link with ``CloseCode/stalled`` and open another.
        case stalled
    }

    /// The present state.
    package private(set) var state: State = .unreachable
    /// When the hold ends.
    private(set) var holdDeadline: Instant?
    /// The number of times a link went down shortly after coming up.
    package private(set) var flapCount = 0
    /// Whether a packet has come after the handshake of the session.
    package private(set) var hasHeard = false
    private var reachableSince: Instant?
    /// The cause of the newest change; nil before the first.
    private var cause: ReachabilityEvidence.Cause?
    private var hold: Duration = .zero
    private var liveness: Liveness

    /// A link that goes down sooner than this after coming up has flapped.
    package static let flapTime: Duration = .seconds(5)
    /// The hold after the first flap; it doubles.
    package static let firstHold: Duration = .milliseconds(500)
    /// The longest hold.
    package static let longestHold: Duration = .seconds(8)

    /// Makes a machine without a session.
    ///
    /// - Parameters:
    ///   - stallTime: how long nothing may arrive, although an answer is owed, before the link
    ///     counts as dead.
    ///   - answerTime: how long a ping may stay unanswered, although other packets arrive, before
    ///     the link counts as dead; nil for `stallTime`.
    ///   - keepAlive: how long nothing arrives on an idle link before a ping leaves, at least
    ///     `stallTime`; nil for no keep-alive. Each ping costs both sides a packet and a wake-up.
    package init(
        stallTime: Duration = .seconds(10), answerTime: Duration? = nil, keepAlive: Duration? = nil
    ) {
        liveness = Liveness(
            stallTime: stallTime, answerTime: answerTime ?? stallTime, keepAlive: keepAlive)
    }

    /// Whether the counterpart can answer now.
    package var isReachable: Bool { state == .reachable }

    /// The evidence of the present answer, with the newest proofs; nil before the first change.
    package var evidence: ReachabilityEvidence? {
        cause.map {
            ReachabilityEvidence(
                cause: $0, inboundProof: liveness.inboundProof,
                outboundProof: liveness.outboundProof, flapCount: flapCount)
        }
    }

    /// Pings a day that the keep-alive costs on an idle link; 0 without one.
    package var keepAlivePingsPerDay: Int {
        guard let interval = liveness.keepAlive?.nanosecondsClamped, interval > 0 else { return 0 }
        return Int(86_400_000_000_000 / interval)
    }

    /// The silence after which the counterpart is suspect: a fifth of the stall time. On
    /// a carrier that can lose, the question or its answer must be lost three times:
    /// `firstTimeout` is the probe time-out there, else nil.
    package func silenceTime(firstTimeout: Duration?) -> Duration {
        let least = liveness.stallTime / 5
        guard let firstTimeout else { return least }
        return min(max(least, firstTimeout * 3), liveness.stallTime * 4 / 5)
    }

    // MARK: Inputs

    /// The application is in the foreground, or not: then no keep-alive runs.
    package mutating func setForeground(_ isForeground: Bool) {
        liveness.isKeptAlive = isForeground
    }

    /// The handshake completed.
    package mutating func activated(at now: Instant) {
        liveness.begin(at: now)
        _ = receive(.activated, .sessionActivated, at: now)
    }

    /// An authentic packet of the session arrived.
    package mutating func heard(at now: Instant) -> ReachabilityChange? {
        guard state != .unreachable else { return nil }
        liveness.heard(at: now)
        return receive(.heard, state == .suspect ? .heard : .sessionActivated, at: now)
    }

    /// An answer arrived: an acknowledgement of an own packet, a pong, or an acknowledgement of an
    /// own record. `heard(at:)` precedes it.
    package mutating func answered(at now: Instant) { liveness.answered(at: now) }

    /// Says after each drain whether the counterpart owes an answer, and the present silence time.
    package mutating func owes(_ isOwed: Bool, silenceTime: Duration, at now: Instant) {
        guard state != .unreachable else { return }
        liveness.owes(isOwed, silenceTime: silenceTime, at: now)
    }

    /// The link went down, or the counterpart said that it goes.
    package mutating func down(
        _ cause: ReachabilityEvidence.Cause, at now: Instant
    ) -> ReachabilityChange? {
        liveness.end()
        return receive(.down, cause, at: now)
    }

    /// When ``wake(at:)`` has something to do.
    package var nextDeadline: Instant? {
        guard let timer = liveness.nextDeadline else { return holdDeadline }
        return min(timer, holdDeadline ?? timer)
    }

    /// Does what is due at `now`. The peer carries out the action; a stalled link is reported down
    /// by `down(.linkDown, …)` when it is closed.
    package mutating func wake(at now: Instant) -> (change: ReachabilityChange?, action: Action?) {
        var change: ReachabilityChange?
        if let deadline = holdDeadline, deadline <= now {
            change = receive(.holdEnded, .sessionActivated, at: now)
        }
        var action: Action?
        while action != .stalled, let event = liveness.next(at: now) {
            switch event {
            case .silence: change = receive(.silence, .silence, at: now) ?? change
            case .ping: action = .ping
            case .stalled: action = .stalled
            }
        }
        return (change, action)
    }

    // MARK: The machine

    /// Moves by one input; gives the new answer where it changed.
    mutating func receive(
        _ input: Input, _ cause: ReachabilityEvidence.Cause, at now: Instant
    ) -> ReachabilityChange? {
        let before = isReachable
        switch (state, input) {
        case (.unreachable, .activated):
            state = .holding
            hasHeard = false
            holdDeadline = hold > .zero ? now.advanced(by: hold) : nil
        case (.holding, .heard):
            hasHeard = true
            if holdDeadline.map({ $0 <= now }) ?? true { becomeReachable(at: now) }
        case (.holding, .holdEnded):
            if let deadline = holdDeadline, deadline <= now {
                holdDeadline = nil
                if hasHeard { becomeReachable(at: now) }
            }
        case (.reachable, .silence):
            state = .suspect
        case (.suspect, .heard):
            state = .reachable
        case (.holding, .down), (.reachable, .down), (.suspect, .down):
            goDown(at: now)
        case (.unreachable, .heard), (.unreachable, .silence), (.unreachable, .holdEnded),
            (.unreachable, .down), (.holding, .activated), (.holding, .silence),
            (.reachable, .activated), (.reachable, .heard), (.reachable, .holdEnded),
            (.suspect, .activated), (.suspect, .silence), (.suspect, .holdEnded):
            break
        }
        guard isReachable != before else { return nil }
        self.cause = cause
        return evidence.map { ReachabilityChange(isReachable: isReachable, evidence: $0) }
    }

    private mutating func becomeReachable(at now: Instant) {
        state = .reachable
        holdDeadline = nil
        reachableSince = now
    }

    private mutating func goDown(at now: Instant) {
        if let since = reachableSince {
            if since.duration(to: now) < Self.flapTime {
                flapCount += 1
                hold = hold == .zero ? Self.firstHold : min(hold * 2, Self.longestHold)
            } else {
                hold = .zero
            }
        }
        state = .unreachable
        holdDeadline = nil
        reachableSince = nil
    }
}
