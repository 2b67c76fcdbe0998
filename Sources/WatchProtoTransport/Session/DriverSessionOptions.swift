package import WatchProtoCore

/// How a ``DriverSession`` is set up.
package struct DriverSessionOptions: Sendable {
    /// The address of the link.
    package var address: LinkAddress
    /// Whether this side waits at the address or comes to it.
    package var side: LinkSide
    /// The driver's and the peer's settings.
    package var driver: DriverConfiguration
    /// Events kept for a slow reader of ``DriverSession/events``; further ones are counted and
    /// announced as ``DriverSessionEvent/missed(count:)``. Records are never among them.
    package var eventLimit = 4096

    /// - Parameters:
    ///   - peer: the peer's settings.
    ///   - address: where the two sides meet.
    ///   - side: by default the watch listens and the phone connects.
    package init(_ peer: PeerConfiguration, at address: LinkAddress, side: LinkSide? = nil) {
        self.address = address
        self.side = side ?? (peer.role == .watch ? .listening : .connecting)
        driver = DriverConfiguration(peer)
    }
}
