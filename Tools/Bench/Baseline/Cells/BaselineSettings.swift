package import Simulation

/// One column of the report: a link, and how it is used.
package struct BaselineSettings: Sendable {
    /// The kind of link.
    package var profile: LinkProfile
    /// The meaning of the profile's latency.
    package var reading: LinkProfile.Reading = .roundTrip
    /// Bytes of the largest datagram.
    package var datagramBytes: Int
    /// How long each journal takes over a batch.
    package var commitTime: Duration = .zero
    /// A mistake to plant, for tests.
    package var planted: PlantedFault?
    /// The seed of every random choice.
    package var seed: UInt64 = 1

    /// The usual use of a link with `profile`: datagrams of 1,200 bytes, of 244 over Bluetooth
    /// Low Energy.
    package init(_ profile: LinkProfile) {
        self.profile = profile
        datagramBytes = profile.sendInterval > .zero ? 244 : 1200
    }

    /// The network conditions of each direction.
    package var conditions: LinkOptions { profile.options(.lossyDatagram, reading: reading) }
}
