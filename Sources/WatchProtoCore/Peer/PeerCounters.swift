/// Counts of a peer's actions and drops since it was opened, for reports.
public struct PeerCounters: Hashable, Sendable {
    /// Records accepted for delivery.
    public var recordsAccepted: UInt64 = 0
    /// Records of the counterpart that were answered as an earlier one under their idempotency key.
    public var recordsRepeated: UInt64 = 0
    /// Values that left as a delta, again or not.
    public var deltasSent: UInt64 = 0
    /// Times the counterpart asked for a value whole.
    public var basesAsked: UInt64 = 0
    /// Packets handed to the carrier, or begun to be.
    public var packetsSent: UInt64 = 0
    /// Packets that came whole and with a readable header, later dropped or not.
    public var packetsReceived: UInt64 = 0
    /// Bytes that the carrier took.
    public var bytesSent: UInt64 = 0
    /// Bytes that the carrier brought.
    public var bytesReceived: UInt64 = 0
    /// Packets of early data that left.
    public var earlyPacketsSent: UInt64 = 0
    /// Of those, the ones that the counterpart took.
    public var earlyPacketsTaken: UInt64 = 0
    /// Packets of early data that were refused, or whose fate nobody can say: their records wait
    /// again.
    public var earlyPacketsReturned: UInt64 = 0
    /// Records that came as early data.
    public var earlyRecordsReceived: UInt64 = 0
    /// Frames sent again because a packet was lost.
    public var framesResent: UInt64 = 0
    /// Packets of another session, or that did not authenticate.
    public var packetsDropped: UInt64 = 0
    /// Packets that came a second time.
    public var packetsRepeated: UInt64 = 0
    /// Advisory packets that came, reported or not.
    public var advisoriesReceived: UInt64 = 0
    /// Packets that were lost on their way here, and recovered from repair packets.
    public var packetsRecovered: UInt64 = 0
    /// Repair packets that were sent.
    public var repairPacketsSent: UInt64 = 0
    /// Values, complications above all, that a newer one replaced before they left.
    public var valuesReplaced: UInt64 = 0
    /// Complication updates equal to the last one.
    public var valuesEqual: UInt64 = 0
    /// Carriers that the environment opened for this peer.
    public var linksOpened: UInt64 = 0
    /// Calls to ``Peer/wake(at:)`` in which a timer went off.
    public var timersFired: UInt64 = 0

    /// Makes counters that are all zero.
    public init() {}
}
