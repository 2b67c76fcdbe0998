package import WatchProtoCore
package import WatchProtoRecords

/// Receives what a ledger does. Every call comes from the ledger's thread.
package protocol LedgerObserver: AnyObject, Sendable {
    /// An event is queued for the other device, as this record.
    func queued(_ event: DoseEventID, _ encoding: [UInt8], as id: RecordID, at now: Instant)
    /// Events of this device are durable in the ledger.
    func recorded(_ events: [DoseEvent])
    /// Events of the other device are durable in the ledger, or were there before.
    func arrived(_ arrivals: [LedgerArrival])
    /// A comparison with the device of this pairing found equal ledgers.
    func checked(_ pairing: PairingID)
}

/// A dose event that came from the other device.
package struct LedgerArrival: Sendable {
    /// Its record.
    package var record: InboundRecord
    /// When the session received it.
    package var receivedAt: Instant
    /// The event; nil for bytes that are none, or that are not those of the event of this identity.
    package var event: DoseEvent?
    /// Whether the ledger had it before.
    package var isKnown = false
    /// The count of `heldRound` in the exchange when the event came.
    var heldRound = 0
}
