/// Every bound of a peer, and how the bounds relate. A hostile counterpart can cost its link,
/// never our memory, our data or our process.
package struct Limits: Hashable, Sendable {
    /// The largest packet on a stream or pipe, in bytes, length prefix excluded.
    package var streamPacketBytes = 1 << 16
    /// The smallest datagram a carrier may offer, in bytes. Handshake messages fit it.
    package var smallestDatagramBytes = 244
    /// The largest datagram a peer makes or takes, in bytes.
    package var largestDatagramBytes = 1 << 16
    /// Records that wait for their predecessor, per ordered channel.
    package var reorderRecords = 1024
    /// Bytes of records that wait for their predecessor, per ordered channel.
    package var reorderBytes = 1 << 20
    /// Records waiting or in flight per ordered channel; one more is refused to the caller.
    package var queuedRecords = 65_536
    /// Bytes waiting or in flight per ordered channel; more is refused to the caller.
    package var queuedBytes = 64 << 20
    /// Keys of a latest-value channel that a sender has, or a receiver remembers.
    package var keys = 65_536
    /// A receiver's capacity for a latest-value channel, as a number of sets of the largest size. A
    /// value that does not fit is rejected.
    package var setsHeld = 2
    /// Keys of a range of names that are listed at once where values are compared; of a range with
    /// more, the digests of its parts are told first.
    package var rangeKeys = 8
    /// Epochs of either side that a journal remembers: openings, tickets, known and closed epochs.
    package var epochs = 1024
    /// Epochs of one side that can hold unsettled records; at the bound the sender waits.
    package var listedEpochs = 32
    /// Ranges above the watermark in one acknowledgement; further ones go into further frames.
    package var acknowledgementRanges = 32
    /// Ranges in one acknowledgement of packets.
    package var ackRanges = 32
    /// Packets of early data behind one message 1.
    package var earlyPackets = 512
    /// Bytes of the frames in those packets together.
    package var earlyBytes = 1 << 16
    /// The same on a carrier that can lose and is not known to carry more (RFC 9002, 7.2).
    package var earlyBurstBytes = 14_720
    /// Packets in flight on a carrier that can lose.
    package var packetsInFlight = 4096
    /// Bytes of one handshake message.
    package var handshakeBytes = 244
    /// Numbers of an ordered channel between the oldest record of its epoch that is not reported
    /// committed and a record that leaves; the sender waits there.
    package var numberSpan: UInt64 = 1 << 13
    /// Ranges of exceptions (pending, rejected, cancelled, expired, skipped) of an epoch and
    /// channel that a receiver keeps. The sender waits at half of it; one more closes the link.
    package var exceptionRanges = 1 << 14
    /// Outcomes and requests that wait to be told, per channel. One more closes the link.
    package var requests = 4096
    /// Records of any length being put together from fragments, per channel. In an ordered channel
    /// more are, as long as they are within its windows.
    package var assemblies = 2
    /// Fragments of a record that came before those in front of them.
    package var fragmentsAhead = 16_384

    /// The limits that every peer starts from.
    package init() {}

    /// Those limits, as a reader of bytes enforces them.
    static let standard = Limits()

    /// The limits of a device: a watch has little memory, and little to send.
    package init(_ role: DeviceRole) {
        guard role == .watch else { return }
        queuedRecords = 8192
        queuedBytes = 4 << 20
    }
}
