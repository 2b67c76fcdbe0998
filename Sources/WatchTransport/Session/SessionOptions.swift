public import WatchProto

/// How a ``CompanionSession`` is set up.
public struct SessionOptions: Sendable {
    /// Where the two sides meet.
    public var address: LinkAddress
    /// Whether this side waits at the address or comes to it.
    public var side: LinkSide
    /// The driver's and the peer's settings.
    public var driver: DriverConfiguration
    /// Events kept for a slow reader of ``CompanionSession/events``; further ones are counted and
    /// announced as ``SessionEvent/missed(count:)``. Records are never among them.
    public var eventLimit = 4096

    /// - Parameters:
    ///   - peer: the peer's settings.
    ///   - address: where the two sides meet.
    ///   - side: by default the watch listens and the phone connects.
    public init(_ peer: PeerConfiguration, at address: LinkAddress, side: LinkSide? = nil) {
        self.address = address
        self.side = side ?? (peer.role == .watch ? .listening : .connecting)
        driver = DriverConfiguration(peer)
    }
}
