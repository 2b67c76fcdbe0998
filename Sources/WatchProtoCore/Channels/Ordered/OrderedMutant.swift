/// Mistakes that tests plant in an ordered channel, to see that they are caught. Those of
/// ordered.h have its names.
public struct OrderedMutants: OptionSet, Hashable, Sendable {
    /// One bit a mistake.
    public let rawValue: UInt32
    /// Makes the set of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The sender settles records by the hint *received* (BUG_SETTLE_RECEIVED).
    public static let settleReceived = OrderedMutants(rawValue: 1 << 0)
    /// *Received* outlives the counterpart's opening (BUG_RECEIVED_KEPT).
    public static let receivedKept = OrderedMutants(rawValue: 1 << 1)
    /// A pending record counts as applied (BUG_PENDING_SETTLES).
    public static let pendingSettles = OrderedMutants(rawValue: 1 << 2)
    /// Everything at or below through counts as applied (BUG_THROUGH_ONLY).
    public static let throughOnly = OrderedMutants(rawValue: 1 << 3)
    /// Lost tails are not handed back (BUG_NO_HANDBACK).
    public static let noHandback = OrderedMutants(rawValue: 1 << 4)
    /// The live predecessor in an earlier epoch is left out (BUG_NO_ORDER_ACROSS).
    public static let noOrderAcross = OrderedMutants(rawValue: 1 << 5)
    /// Idempotency keys are not written (BUG_KEYS_VOLATILE).
    public static let keysVolatile = OrderedMutants(rawValue: 1 << 6)
    /// Closing an epoch drops its pending records (BUG_CLOSE_DROPS_PENDING).
    public static let closeDropsPending = OrderedMutants(rawValue: 1 << 7)
    /// Records are acknowledged before their commit (BUG_ACK_BEFORE_COMMIT).
    public static let acknowledgeBeforeCommit = OrderedMutants(rawValue: 1 << 8)
    /// A closed epoch is forgotten, and so are the records applied in it (BUG_FORGET_CLOSED).
    public static let forgetClosed = OrderedMutants(rawValue: 1 << 9)
    /// The watermark counts settlements that are not durable.
    public static let watermarkBeforeCommit = OrderedMutants(rawValue: 1 << 10)
    /// A record that may have left is cancelled at once.
    public static let cancelAtOnce = OrderedMutants(rawValue: 1 << 11)
}
