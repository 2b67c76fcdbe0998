/// Counts of a peer's actions and drops since it was opened, for reports.
package struct PeerCounters: Hashable, Sendable {
    /// Records accepted for delivery.
    package var recordsAccepted: UInt64 = 0
    /// Records of the counterpart that were answered as an earlier one under their idempotency key.
    package var recordsRepeated: UInt64 = 0
    /// Values that left as a delta, again or not.
    package var deltasSent: UInt64 = 0
    /// Times the counterpart asked for a value whole.
    package var basesAsked: UInt64 = 0
    /// Packets handed to the carrier, or begun to be.
    package var packetsSent: UInt64 = 0
    /// Packets that came whole and with a readable header, later dropped or not.
    package var packetsReceived: UInt64 = 0
    /// Bytes that the carrier took.
    package var bytesSent: UInt64 = 0
    /// Bytes that the carrier brought.
    package var bytesReceived: UInt64 = 0
    /// Packets of early data that left.
    package var earlyPacketsSent: UInt64 = 0
    /// Of those, the ones that the counterpart took.
    package var earlyPacketsTaken: UInt64 = 0
    /// Packets of early data that were refused, or whose fate nobody can say: their records wait
    /// again.
    package var earlyPacketsReturned: UInt64 = 0
    /// Records that came as early data.
    package var earlyRecordsReceived: UInt64 = 0
    /// Frames sent again because a packet was lost.
    package var framesResent: UInt64 = 0
    /// Packets of another session, or that did not authenticate.
    package var packetsDropped: UInt64 = 0
    /// Packets that came a second time.
    package var packetsRepeated: UInt64 = 0
    /// Advisory packets that came, reported or not.
    package var advisoriesReceived: UInt64 = 0
    /// Packets that were lost on their way here, and recovered from repair packets.
    package var packetsRecovered: UInt64 = 0
    /// Repair packets that were sent.
    package var repairPacketsSent: UInt64 = 0
    /// Values, complications above all, that a newer one replaced before they left.
    package var valuesReplaced: UInt64 = 0
    /// Complication updates equal to the last one.
    package var valuesEqual: UInt64 = 0
    /// Carriers that the environment opened for this peer.
    package var linksOpened: UInt64 = 0
    /// Calls to ``Peer/wake(at:)`` in which a timer went off.
    package var timersFired: UInt64 = 0

    /// Makes counters that are all zero.
    package init() {}
}
