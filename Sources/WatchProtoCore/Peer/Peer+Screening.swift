/// A listener's pending connections on carriers that cannot lose.
extension Peer {
    /// Looks at what a pending connection has sent; see ``Connection/screen(_:on:at:)``. No drain
    /// follows.
    package mutating func screen(
        _ first: inout FirstPacket, on carrier: CarrierTraits, at now: Instant
    ) -> Admission {
        advance(to: now)
        return connection.screen(&first, on: carrier, at: now)
    }

    /// A pending connection was admitted: it takes the place of the carrier that is open, which the
    /// environment has closed. ``FirstPacket/received`` is given to ``receive(_:from:at:)`` next.
    package mutating func linkReplaced(by carrier: CarrierTraits, at now: Instant) {
        advance(to: now)
        counts.linksOpened += 1
        output.removeAll()
        connection.firstTimeout = firstTimeout
        connection.carrierReplaced(by: carrier, at: now)
        afterInput()
    }
}
