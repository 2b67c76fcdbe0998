/// Why the peer decided that the counterpart can, or cannot, answer now, and what was last proved.
package struct ReachabilityEvidence: Hashable, Sendable {
    /// The cause of the decision.
    package enum Cause: UInt8, Hashable, Sendable, CaseIterable {
        /// The handshake completed and a packet came after it.
        case sessionActivated
        /// A packet arrived after a silence.
        case heard
        /// The link went down.
        case linkDown
        /// Nothing arrived for the silence time although an answer was owed.
        case silence
        /// The counterpart said that it suspends or closes.
        case counterpartSaidSo
    }

    /// The cause of the decision.
    package var cause: Cause
    /// When the newest packet of the counterpart arrived, which proves the inbound direction; nil
    /// where none came in this session.
    package var inboundProof: Instant?
    /// When the newest answer to an own packet arrived, which proves the outbound direction; nil
    /// where none came in this session.
    package var outboundProof: Instant?
    /// The number of times a link went down shortly after coming up, since the process began.
    package var flapCount: Int
}

/// A new answer to "can the counterpart answer now?".
package struct ReachabilityChange: Hashable, Sendable {
    /// Whether the counterpart can answer now.
    package var isReachable: Bool
    /// Why, and what was last proved.
    package var evidence: ReachabilityEvidence
}
