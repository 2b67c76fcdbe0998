/// How one peer is set up. The defaults are the product's.
public struct PeerConfiguration: Sendable {
    /// Which of the two devices the peer speaks for.
    public var role: DeviceRole
    /// The pairing it belongs to; a counterpart of another is refused.
    public var pairing: PairingID
    /// What the peer knows of the kinds of records; without a table all travel whole.
    public var kinds: RecordKinds
    /// The bounds of what it holds, sends and takes.
    public var limits: Limits
    /// Silence, with data outstanding, after which the link is given up.
    public var stallTime: Duration = .seconds(10)
    /// The first wait before a link is opened again; it doubles.
    public var reopenBackoff: Duration = .seconds(1)
    /// The longest wait before a link is opened again.
    public var longestReopenBackoff: Duration = .seconds(60)
    /// How long trailing complication updates are gathered after the leading one at most: it is two
    /// round trips where that is less, 50 ms at least.
    public var complicationBatchTime: Duration = .milliseconds(500)
    /// How many gathered updates end the gathering early.
    public var complicationBatchCount = 5
    /// Budgeted complication transfers a day.
    public var complicationBudget = 50
    /// How long the commit of what has arrived may take before the sender is told that it has
    /// arrived: mostly it is over sooner, and its receipt says both.
    public var receivedNoticeTime: Duration = .milliseconds(100)
    /// The age at which the oldest durable record that the counterpart has not committed raises
    /// ``PeerEvent/overdue(_:age:)``; nil for never.
    public var overdueAge: Duration?
    /// Whether records travel behind the first flight of a reconnection, and are taken there. They
    /// have no forward secrecy towards whoever gets hold of the receiver's keys later.
    public var usesEarlyData = true
    /// Time after which unacknowledged frames on a carrier that can lose are sent again, before
    /// anything was measured.
    public var initialResendTime: Duration = .milliseconds(500)
    /// The newest version of the frames that this side says it reads; tests speak for older ones.
    package var frameVersion = Greeting.newestVersion

    /// Makes a configuration with the product's defaults.
    public init(role: DeviceRole, pairing: PairingID, kinds: RecordKinds = RecordKinds()) {
        self.role = role
        self.pairing = pairing
        self.kinds = kinds
        limits = Limits(role)
    }
}
