public import NetworkModel

/// One column of the report: a link, and how it is used.
public struct FloorSettings: Sendable {
    /// The kind of link.
    public var profile: LinkProfile
    /// What its latency means.
    public var reading: LinkProfile.Reading = .roundTrip
    /// Bytes of the largest datagram.
    public var datagramBytes: Int
    /// How long each journal takes over a batch.
    public var commitTime: Duration = .zero
    /// A mistake to plant, for tests.
    public var planted: PlantedFault?
    /// What everything drawn follows from.
    public var seed: UInt64 = 1

    /// The usual use of a link with `profile`: datagrams of 1,200 bytes, of 244 over Bluetooth
    /// Low Energy.
    public init(_ profile: LinkProfile) {
        self.profile = profile
        datagramBytes = profile.sendInterval > .zero ? 244 : 1200
    }

    /// The weather of each direction.
    public var weather: LinkOptions { profile.options(.lossyDatagram, reading: reading) }
}
