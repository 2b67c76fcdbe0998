import WatchProtoCore

/// A named kind of link: one row of the table of profiles.
package struct LinkProfile: Hashable, Sendable {
    /// The meaning of a profile's latency.
    package enum Reading: String, Hashable, Sendable, CaseIterable {
        /// It is the round trip: each direction carries half.
        case roundTrip = "rtt"
        /// Each direction carries the whole.
        case oneWay = "one-way"
    }

    /// The name in reports and on command lines.
    package var name: String
    /// The latency, to be read as a ``Reading`` says; zero when none is added.
    package var latency: Duration
    /// Bits per second (1 kbit = 1,000 bits); nil when none is added, 0 when nothing passes.
    package var rateBitsPerSecond: UInt64?
    /// Share of packets lost, 0 … 1.
    package var loss: Double
    /// The connection interval; zero when the line may send at any time.
    package var sendInterval: Duration
    /// Chance that an occasion to send passes unused.
    package var stalling: Double

    /// Makes a profile.
    package init(
        name: String, latency: Duration = .zero, rateBitsPerSecond: UInt64? = nil, loss: Double = 0,
        sendInterval: Duration = .zero, stalling: Double = 0
    ) {
        self.name = name
        self.latency = latency
        self.rateBitsPerSecond = rateBitsPerSecond
        self.loss = loss
        self.sendInterval = sendInterval
        self.stalling = stalling
    }

    /// One direction of this profile on a carrier of `kind`. A lossless carrier pays a loss with
    /// one round trip, which is what a fast retransmission costs.
    package func options(_ kind: LinkKind, reading: Reading = .roundTrip) -> LinkOptions {
        var options = LinkOptions()
        options.kind = kind
        options.rateBitsPerSecond = rateBitsPerSecond
        options.delay = reading == .roundTrip ? latency / 2 : latency
        options.loss = loss
        options.recoveryTime = options.delay * 2
        options.sendInterval = sendInterval
        options.stalling = stalling
        return options
    }

    /// All profiles, best link first.
    package static let all: [LinkProfile] = [
        LinkProfile(name: "5g", latency: .milliseconds(20), rateBitsPerSecond: 100_000_000),
        LinkProfile(
            name: "4g-good", latency: .milliseconds(50), rateBitsPerSecond: 20_000_000,
            loss: 0.001),
        LinkProfile(
            name: "4g-average", latency: .milliseconds(100), rateBitsPerSecond: 5_000_000,
            loss: 0.005),
        LinkProfile(
            name: "3g", latency: .milliseconds(300), rateBitsPerSecond: 1_000_000, loss: 0.02),
        LinkProfile(
            name: "edge", latency: .milliseconds(500), rateBitsPerSecond: 200_000, loss: 0.05),
        LinkProfile(name: "offline", rateBitsPerSecond: 0, loss: 1),
        LinkProfile(
            name: "ble", rateBitsPerSecond: 700_000, sendInterval: .milliseconds(30),
            stalling: 0.02),
        LinkProfile(name: "loopback"),
    ]

    /// The profile called `name`; nil when there is none.
    package static func named(_ name: String) -> LinkProfile? { all.first { $0.name == name } }
}
