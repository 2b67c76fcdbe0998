package import WatchProtoCore

/// The knowledge of the peer at one moment.
extension PeerDriver {
    /// The known status of a record of this side.
    package func status(of id: RecordID) -> RecordStatus { loop.ask { $0.peer.status(of: id) } }

    /// Records accepted and not yet settled, in the order they were accepted, channel by channel.
    package var outstandingTransfers: [RecordID] { loop.ask { $0.peer.outstandingTransfers } }

    /// The newest value of a key of this side, settled or not; nil where it has none.
    package func newestValue(_ channel: Channel, of key: RecordKey) -> OutboundRecord? {
        loop.ask { $0.peer.newestValue(channel, key) }
    }

    /// The value of a key that the application has applied, of the counterpart's; nil without one.
    package func heldValue(_ channel: Channel, of key: RecordKey) -> InboundRecord? {
        loop.ask { $0.peer.heldValue(channel, key) }
    }

    /// Whether a durable record of this side is not committed at the counterpart.
    package var hasUncommitted: Bool { loop.ask { $0.peer.hasUncommitted } }

    /// Whether the application was given a record and has not decided on it.
    package var hasPending: Bool { loop.ask { $0.peer.hasPending } }

    /// Whether the counterpart can answer now.
    package var isReachable: Bool { loop.ask { $0.peer.isReachable } }

    /// The opening of the counterpart in the last session; nil before the first of this process.
    package var counterpartEpoch: EpochID? { loop.ask { $0.peer.counterpartEpoch } }

    /// The activation state of the session.
    package var activationState: ActivationState { loop.ask { $0.peer.activationState } }

    /// Counts the driver's work by cause.
    package var counters: DriverCounters { loop.ask { $0.environment.counters } }

    /// Counts the peer's work and drops.
    package var peerCounters: PeerCounters { loop.ask { $0.peer.counters } }

    /// Starts a log of the packets in place of an earlier one, with at most `limit` lines of each
    /// kind; nil ends it.
    package func logPackets(limit: Int?) {
        loop.locked { state in
            state.peer.packetLog = limit.map { PacketLog(limit: $0, at: loop.clock.now) }
        }
    }

    /// The result of `body` on the log of packets; nil without one. No packet is sent or read
    /// meanwhile.
    package func withPacketLog<Value: Sendable>(_ body: (PacketLog) -> Value) -> Value? {
        loop.ask { $0.peer.packetLog.map(body) }
    }

    /// The smoothed round-trip time of this session's link; nil before the first sample.
    package var roundTripTime: Duration? { loop.ask { $0.peer.roundTripTime } }

    /// The measured quality of the link; nil before the first measurement.
    package var linkQuality: LinkQuality? { loop.ask { $0.peer.linkQuality } }

    /// The epoch: the name of this opening of the journal.
    package var currentEpoch: EpochID { loop.ask { $0.peer.presentEpoch } }

    /// Whether the journal survives the process.
    package var isDurable: Bool { loop.journal.isDurable }

    /// Whether packets are sealed.
    package var isSealed: Bool { loop.security.traits.isSealed }

    /// The wire version of the session's security.
    package var wireVersion: UInt8 { loop.security.traits.wireVersion }
}
