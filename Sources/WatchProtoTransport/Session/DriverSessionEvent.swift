package import WatchProtoCore

/// An event of a session, for a reader of ``DriverSession/events``.
package enum DriverSessionEvent: Hashable, Sendable {
    /// A record of the counterpart, when the session has no delegate. It stays *pending* until
    /// ``DriverSession/applied(_:writes:)`` or ``DriverSession/rejected(_:code:writes:)``.
    case received(InboundRecord, at: Instant)
    /// Something happened to the peer.
    case peer(PeerEvent, at: Instant)
    /// Something happened below it.
    case transport(TransportEvent, at: Instant)
    /// The reader was too slow: so many events that stood here were not kept.
    case missed(count: Int)
}
