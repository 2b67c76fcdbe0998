/// Mistakes that tests plant in an ordered channel, to see that they are caught. Those of
/// ordered.h have its names.
package struct OrderedMutants: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The sender settles records by the hint *received* (BUG_SETTLE_RECEIVED).
    package static let settleReceived = OrderedMutants(rawValue: 1 << 0)
    /// *Received* outlives the counterpart's opening (BUG_RECEIVED_KEPT).
    package static let receivedKept = OrderedMutants(rawValue: 1 << 1)
    /// A pending record counts as applied (BUG_PENDING_SETTLES).
    package static let pendingSettles = OrderedMutants(rawValue: 1 << 2)
    /// Everything at or below through counts as applied (BUG_THROUGH_ONLY).
    package static let throughOnly = OrderedMutants(rawValue: 1 << 3)
    /// Lost tails are not returned (BUG_NO_HANDBACK).
    package static let noHandback = OrderedMutants(rawValue: 1 << 4)
    /// The live predecessor in an earlier epoch is left out (BUG_NO_ORDER_ACROSS).
    package static let noOrderAcross = OrderedMutants(rawValue: 1 << 5)
    /// Idempotency keys are not written (BUG_KEYS_VOLATILE).
    package static let keysVolatile = OrderedMutants(rawValue: 1 << 6)
    /// Closing an epoch drops its pending records (BUG_CLOSE_DROPS_PENDING).
    package static let closeDropsPending = OrderedMutants(rawValue: 1 << 7)
    /// Records are acknowledged before their commit (BUG_ACK_BEFORE_COMMIT).
    package static let acknowledgeBeforeCommit = OrderedMutants(rawValue: 1 << 8)
    /// A closed epoch is forgotten, and so are the records applied in it (BUG_FORGET_CLOSED).
    package static let forgetClosed = OrderedMutants(rawValue: 1 << 9)
    /// The watermark counts settlements that are not durable.
    package static let watermarkBeforeCommit = OrderedMutants(rawValue: 1 << 10)
    /// A record that may have left is cancelled at once.
    package static let cancelAtOnce = OrderedMutants(rawValue: 1 << 11)
    /// The sender forgets which of its epochs are closed on both sides (BUG_FORGET_OWN_CLOSED).
    package static let forgetOwnClosed = OrderedMutants(rawValue: 1 << 12)
}
