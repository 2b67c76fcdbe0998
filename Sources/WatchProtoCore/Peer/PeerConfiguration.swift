/// The configuration of one peer. The defaults are the product's.
package struct PeerConfiguration: Sendable {
    /// Which of the two devices the peer speaks for.
    package var role: DeviceRole
    /// The pairing it belongs to; a counterpart of another is refused.
    package var pairing: PairingID
    /// The bounds of what it holds, sends and takes.
    package var limits: Limits
    /// The kinds of records that the environment knows: limits, removals, deltas.
    package var kinds: RecordKinds
    /// Silence with data outstanding after which the link is given up.
    package var stallTime: Duration = .seconds(10)
    /// The silence on an idle link after which a ping leaves, at least the stall time; nil for
    /// none. A dead idle link is noticed within both times. Each ping costs both sides a packet and
    /// a wake-up: at five minutes 288 a day.
    package var keepAlive: Duration?
    /// The first wait before a link is opened again; it doubles.
    package var reopenBackoff: Duration = .seconds(1)
    /// The longest wait before a link is opened again.
    package var longestReopenBackoff: Duration = .seconds(60)
    /// The time that the commit of a record may take before its sender is told of the receipt.
    package var receivedNoticeTime: Duration = .milliseconds(100)
    /// The age at which the oldest record that the counterpart has not committed raises
    /// ``PeerEvent/overdue(_:age:)``; nil for never.
    package var overdueAge: Duration?
    /// The shape of this side's traffic in every session; nil where packets leave when there is
    /// something to say. With one, nothing travels as early data from here.
    package var shape: ConstantShape?
    /// Whether records travel as early data, and are taken so. They have no forward secrecy: a
    /// person who obtains the receiver's keys later can read them.
    package var usesEarlyData = true
    /// The time-out of unacknowledged frames on a carrier that can lose, before anything was
    /// measured.
    package var initialTimeout: Duration = .milliseconds(500)

    /// Planted bugs; for tests only.
    package var mutants = PeerMutants()

    /// Makes a configuration with the product's defaults.
    package init(role: DeviceRole, pairing: PairingID, kinds: RecordKinds = RecordKinds()) {
        self.role = role
        self.pairing = pairing
        self.kinds = kinds
        limits = Limits(role)
    }
}
