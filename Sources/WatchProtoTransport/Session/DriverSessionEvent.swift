package import WatchProtoCore

/// An event of a session, for a reader of ``DriverSession/events``.
package enum DriverSessionEvent: Hashable, Sendable {
    /// A record of the counterpart, if the session has no delegate. It stays *pending* until
    /// ``DriverSession/applied(_:writes:)`` or ``DriverSession/rejected(_:code:writes:)``.
    case received(InboundRecord, at: Instant)
    /// An event of the peer.
    case peer(PeerEvent, at: Instant)
    /// An event below the peer.
    case transport(TransportEvent, at: Instant)
    /// The reader was too slow: this number of events was dropped here.
    case missed(count: Int)
}
