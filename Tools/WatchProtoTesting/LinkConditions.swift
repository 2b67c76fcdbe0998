import Simulation
import WatchProtoCore

/// The conditions of a link between two devices of a test. Both directions have the same.
public struct LinkConditions: Hashable, Sendable {
    /// Whether the link carries packets of at most 1,200 bytes, which may be lost, repeated or
    /// overtaken. Else it carries a stream of bytes: it loses none, and a loss costs time. A change
    /// takes effect with the next link.
    public var carriesPackets = false
    /// The time of a packet from one device to the other.
    public var delay = Duration.zero
    /// The longest time that a packet takes beyond the delay; each takes a random part of it.
    public var jitter = Duration.zero
    /// The bits of each second; nil for no limit, and 0 for a link that carries nothing.
    public var bitsPerSecond: UInt64?
    /// The part of the packets that is lost, from 0 to 1.
    public var lossRate = 0.0
    /// The part of the packets that arrives twice, from 0 to 1.
    public var repetitionRate = 0.0
    /// The part of the packets that others overtake, from 0 to 1.
    public var reorderingRate = 0.0
    /// The time between two chances to send, as the connection interval of Bluetooth Low Energy.
    public var sendInterval = Duration.zero

    /// The platform whose messages carry the packets; nil for none. Its limits and faults act on
    /// them. Another platform takes effect with the next link, and another trait at once.
    public var platform: PlatformProfile?

    /// A link without delay, limit or loss.
    public init() {}

    /// A mobile network of the third generation: 150 ms each way, 1 Mbit/s, 2 % lost.
    public static let threeG = LinkConditions(profile: "3g")
    /// A mobile network of the fourth generation on an average day: 50 ms each way, 5 Mbit/s,
    /// 0.5 % lost.
    public static let fourG = LinkConditions(profile: "4g-average")
    /// A mobile network at the edge of coverage: 250 ms each way, 200 kbit/s, 5 % lost.
    public static let edge = LinkConditions(profile: "edge")
    /// Bluetooth Low Energy: a connection interval of 30 ms, 700 kbit/s. It stalls where others
    /// lose.
    public static let bluetoothLowEnergy = LinkConditions(profile: "ble")

    private init(profile name: String) {
        guard let profile = LinkProfile.named(name) else { return }
        delay = profile.latency / 2
        bitsPerSecond = profile.rateBitsPerSecond
        lossRate = profile.loss
        sendInterval = profile.sendInterval
        stalling = profile.stalling
    }

    private var stalling = 0.0

    /// The carriers of a link of this form.
    var traits: CarrierTraits {
        if let platform { return platform.carrierTraits }
        return carriesPackets
            ? CarrierTraits(framing: .datagram(largestBytes: 1200), isLossy: true) : .stream
    }

    /// The same for the link model. Rates count as from 0 to 1, and times as from 0 to a day.
    var options: LinkOptions {
        var options = LinkOptions()
        options.kind = carriesPackets || platform != nil ? .lossyDatagram : .stream(.whole)
        options.rateBitsPerSecond = bitsPerSecond
        options.delay = Self.time(delay)
        options.jitter = Self.time(jitter)
        options.loss = Self.rate(lossRate)
        options.recoveryTime = options.delay * 2
        options.duplication = Self.rate(repetitionRate)
        options.reordering = Self.rate(reorderingRate)
        options.sendInterval = Self.time(sendInterval)
        options.stalling = stalling
        return options
    }

    private static func time(_ value: Duration) -> Duration {
        min(max(value, .zero), .seconds(86_400))
    }

    private static func rate(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
}
