/// Decides whether the counterpart can answer now, on evidence, and without flapping.
///
/// | state        | activated | heard            | silence (owed)  | hold ended | down        |
/// | ------------ | --------- | ---------------- | --------------- | ---------- | ----------- |
/// | unreachable  | holding   | –                | –               | –          | –           |
/// | holding      | –         | reachable if the hold has ended | – | reachable if heard | unreachable |
/// | reachable    | –         | –                | suspect         | –          | unreachable |
/// | suspect      | –         | reachable        | –               | –          | unreachable |
///
/// `holding` lasts until a packet has come after the handshake *and* the hold is over; the hold is
/// zero unless the link went down within ``flapTime`` of coming up, and doubles each time it does.
public struct Reachability: Sendable {
    /// What is known of the counterpart; see the table above.
    public enum State: UInt8, Sendable, CaseIterable {
        /// No session, or nothing came of it.
        case unreachable
        /// A session, but no packet after its handshake yet, or the hold after a flap is not over.
        case holding
        /// The counterpart answers.
        case reachable
        /// An answer is owed and overdue; the link stands.
        case suspect
    }

    /// What the machine is told.
    public enum Input: UInt8, Sendable, CaseIterable {
        /// The handshake completed.
        case activated
        /// A packet arrived.
        case heard
        /// Nothing arrived for the stall time although an answer was owed.
        case silence
        /// ``Reachability/holdDeadline`` has come.
        case holdEnded
        /// The link went down, or the counterpart said that it goes.
        case down
    }

    /// Where the machine stands; `unreachable` until a session is activated.
    public private(set) var state: State = .unreachable
    /// When the hold ends; the host of this machine calls back then.
    public private(set) var holdDeadline: Instant?

    /// Whether a packet has come after the handshake of the session.
    private(set) var hasHeard = false
    private var reachableSince: Instant?
    private var hold: Duration = .zero

    /// A link that goes down sooner than this after coming up has flapped.
    public static let flapTime: Duration = .seconds(5)
    /// The first hold after a flap; it doubles.
    public static let firstHold: Duration = .milliseconds(500)
    /// The longest hold.
    public static let longestHold: Duration = .seconds(8)

    /// Makes a machine that knows of no session and holds nothing against the link.
    public init() {}

    /// Whether the counterpart can answer now.
    public var isReachable: Bool { state == .reachable }

    /// Moves by one input; says whether the answer to "reachable?" changed, and on what evidence.
    public mutating func receive(
        _ input: Input, evidence: ReachabilityEvidence, at now: Instant
    ) -> (isReachable: Bool, evidence: ReachabilityEvidence)? {
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
        return isReachable == before ? nil : (isReachable, evidence)
    }

    private mutating func becomeReachable(at now: Instant) {
        state = .reachable
        holdDeadline = nil
        reachableSince = now
    }

    private mutating func goDown(at now: Instant) {
        let lasted = reachableSince?.duration(to: now) ?? .zero
        if lasted < Self.flapTime, reachableSince != nil {
            hold = hold == .zero ? Self.firstHold : min(hold * 2, Self.longestHold)
        } else if reachableSince != nil {
            hold = .zero
        }
        state = .unreachable
        holdDeadline = nil
        reachableSince = nil
    }
}
