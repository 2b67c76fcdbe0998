/// What made the peer decide that the counterpart can, or cannot, answer now.
public enum ReachabilityEvidence: UInt8, Hashable, Sendable, CaseIterable {
    /// The handshake completed and a packet came after it.
    case sessionActivated
    /// A packet arrived after a silence.
    case heard
    /// The link went down.
    case linkDown
    /// Nothing was heard for the stall time although an answer was owed.
    case silence
    /// The counterpart said that it is suspending or closing.
    case counterpartSaidSo
}
