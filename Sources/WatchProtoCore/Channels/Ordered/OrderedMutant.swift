/// Mistakes that tests plant in an ordered channel, to see that they are caught. Those of
/// ordered.h have its names.
package enum OrderedMutant: Hashable, Sendable {
    /// The sender settles records by the hint *received* (BUG_SETTLE_RECEIVED).
    case settleReceived
    /// *Received* outlives the counterpart's opening (BUG_RECEIVED_KEPT).
    case receivedKept
    /// A pending record counts as applied (BUG_PENDING_SETTLES).
    case pendingSettles
    /// Everything at or below through counts as applied (BUG_THROUGH_ONLY).
    case throughOnly
    /// Lost tails are not handed back (BUG_NO_HANDBACK).
    case noHandback
    /// The live predecessor in an earlier epoch is left out (BUG_NO_ORDER_ACROSS).
    case noOrderAcross
    /// Idempotency keys are not written (BUG_KEYS_VOLATILE).
    case keysVolatile
    /// Closing an epoch drops its pending records (BUG_CLOSE_DROPS_PENDING).
    case closeDropsPending
    /// Records are acknowledged before their commit (BUG_ACK_BEFORE_COMMIT).
    case acknowledgeBeforeCommit
    /// A closed epoch is forgotten, and so are the records applied in it (BUG_FORGET_CLOSED).
    case forgetClosed
    /// The watermark counts settlements that are not durable.
    case watermarkBeforeCommit
    /// A record that may have left is cancelled at once.
    case cancelAtOnce
}
