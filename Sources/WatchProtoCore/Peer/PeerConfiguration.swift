/// The configuration of one peer. The defaults are the product's.
public struct PeerConfiguration: Sendable {
    /// Which of the two devices the peer speaks for.
    public var role: DeviceRole
    /// The pairing it belongs to; a counterpart of another is refused.
    public var pairing: PairingID
    /// The bounds of what it holds, sends and takes.
    public var limits: Limits
    /// The kinds of records that the environment knows: limits, removals, deltas.
    public var kinds: RecordKinds
    /// Silence with data outstanding after which the link is given up.
    public var stallTime: Duration = .seconds(10)
    /// The first wait before a link is opened again; it doubles.
    public var reopenBackoff: Duration = .seconds(1)
    /// The longest wait before a link is opened again.
    public var longestReopenBackoff: Duration = .seconds(60)
    /// Budgeted complication transfers a day.
    public var complicationBudget = 50
    /// The time that the commit of a record may take before its sender is told of the receipt.
    public var receivedNoticeTime: Duration = .milliseconds(100)
    /// The age at which the oldest record that the counterpart has not committed raises
    /// ``PeerEvent/overdue(_:age:)``; nil for never.
    public var overdueAge: Duration?
    /// Whether records travel as early data, and are taken so. They have no forward secrecy towards
    /// whoever gets hold of the receiver's keys later.
    public var usesEarlyData = true
    /// The time-out of unacknowledged frames on a carrier that can lose, before anything was
    /// measured.
    public var initialTimeout: Duration = .milliseconds(500)

    /// Planted bugs; for tests only.
    package var mutants = PeerMutants()

    /// Makes a configuration with the product's defaults.
    public init(role: DeviceRole, pairing: PairingID, kinds: RecordKinds = RecordKinds()) {
        self.role = role
        self.pairing = pairing
        self.kinds = kinds
        limits = Limits(role)
    }
}
