/// What a peer did and dropped since it was opened, for ledgers and reports.
public struct PeerCounters: Hashable, Sendable {
    /// Records accepted for delivery.
    public var recordsAccepted: UInt64 = 0
    /// Records of the counterpart that were answered as an earlier one under their idempotency key.
    public var recordsRepeated: UInt64 = 0
    /// Records that left as a delta to a value the counterpart holds, again or not.
    public var deltasSent: UInt64 = 0
    /// Times the counterpart asked for a value whole: it lacked the base of a delta, or did not
    /// know the key a handle stands for.
    public var basesAsked: UInt64 = 0
    /// Packets handed to the carrier, or begun to be.
    public var packetsSent: UInt64 = 0
    /// Packets that came whole and with a readable header, later dropped or not.
    public var packetsReceived: UInt64 = 0
    /// Bytes that the carrier took.
    public var bytesSent: UInt64 = 0
    /// Bytes that the carrier brought.
    public var bytesReceived: UInt64 = 0
    /// Packets that left behind a first flight.
    public var earlyPacketsSent: UInt64 = 0
    /// Of those, the ones that the counterpart said it took.
    public var earlyPacketsTaken: UInt64 = 0
    /// The others, once that was known or nobody could say so any more: their records wait again.
    public var earlyPacketsReturned: UInt64 = 0
    /// Of the latter, those whose flight the counterpart took for an old one.
    public var earlyPacketsStale: UInt64 = 0
    /// Early packets of the counterpart that were left to the session, as a record in them had
    /// expired.
    public var earlyPacketsExpired: UInt64 = 0
    /// Verdicts on early data that were sent again, because the packet with them was lost.
    public var earlyVerdictsResent: UInt64 = 0
    /// Records that came behind a first flight.
    public var earlyRecordsReceived: UInt64 = 0
    /// Frames sent again because a packet was lost.
    public var framesResent: UInt64 = 0
    /// Packets of another session, or that could not be opened.
    public var packetsDropped: UInt64 = 0
    /// Notices that came, told or not.
    public var noticesReceived: UInt64 = 0
    /// Flights that were not looked at, as too many came at once.
    public var flightsRefused: UInt64 = 0
    /// Packets that were lost on their way here, and put together from parity.
    public var packetsRestored: UInt64 = 0
    /// Packets of parity that were sent.
    public var paritySent: UInt64 = 0
    /// Packets that came a second time.
    public var packetsRepeated: UInt64 = 0
    /// Complication updates joined with a later one.
    public var complicationsGathered: UInt64 = 0
    /// Complication updates equal to what is shown.
    public var complicationsEqual: UInt64 = 0
    /// Carriers that the host opened for this peer.
    public var linksOpened: UInt64 = 0
    /// Calls to ``Peer/wake(at:)`` in which a timer went off.
    public var timersFired: UInt64 = 0

    /// Makes counters that are all zero.
    public init() {}
}
