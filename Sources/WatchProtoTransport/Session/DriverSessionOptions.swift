package import WatchProtoCore

/// The settings of a ``DriverSession``.
package struct DriverSessionOptions: Sendable {
    /// The address of the link.
    package var address: LinkAddress
    /// Whether this side listens at the address or connects to it.
    package var side: LinkSide
    /// The driver's and the peer's settings.
    package var driver: DriverConfiguration
    /// The events kept for a slow reader of ``DriverSession/events``. Further ones are counted and
    /// reported as ``DriverSessionEvent/missed(count:)``. Records are always kept.
    package var eventLimit = 4096

    /// Makes options.
    ///
    /// - Parameters:
    ///   - peer: the peer's settings.
    ///   - address: the address of the link.
    ///   - side: by default the watch listens and the phone connects.
    package init(_ peer: PeerConfiguration, at address: LinkAddress, side: LinkSide? = nil) {
        self.address = address
        self.side = side ?? (peer.role == .watch ? .listening : .connecting)
        driver = DriverConfiguration(peer)
    }
}
