/// The stage of delivery that a durable record has reached. Stages only ascend.
public enum Stage: UInt8, Sendable, CaseIterable, Comparable {
    /// Accepted and durable on this device.
    case queued = 0
    /// Given to the carrier at least once.
    case sent = 1
    /// Arrived on the other device.
    case received = 2
    /// Durable on the other device.
    case committed = 3
    /// Taken over by the other device's application.
    case applied = 4

    /// Whether the left stage is reached before the right one.
    public static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
}

/// The outcome of a record: it was applied, or it ended in another way.
package enum Outcome: Hashable, Sendable {
    /// The other device's application took it over.
    case applied
    /// A newer value of the same key made it needless.
    case superseded
    /// The sender's application took it back before it counted.
    case cancelled
    /// Its time ran out.
    case expired
    /// The receiver's application refused it, with its own code.
    case rejected(code: UInt16)
    /// Settled on the other side, but how is no longer known there.
    case unknown
    /// The link went while an interactive record was under way: it may or may not have arrived.
    case outcomeUnknown
    /// It was never given to the carrier.
    case notDelivered
}
