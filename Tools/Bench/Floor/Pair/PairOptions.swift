package import Simulation
import WatchProtoCore

/// A mistake to plant in a pair, for tests of the figures.
package enum PlantedFault: Hashable, Sendable {
    /// Each side holds back every packet this long.
    case slowness(Duration)
    /// Every tenth record is given to the application once more a round trip later.
    case repetition
    /// Every tenth record never gets durable.
    case loss
    /// Every tenth record is given to the application behind the one after it.
    case disorder
}

/// How a pair is set up.
package struct PairOptions: Sendable {
    /// The weather of each direction: away from the phone, away from the watch.
    package var weather: [LinkOptions]
    /// Bytes of the carrier's largest datagram.
    package var datagramBytes: Int
    /// How long each journal takes over a batch.
    package var commitTime: Duration = .zero
    /// A mistake to plant, for tests.
    package var planted: PlantedFault?
    /// What everything drawn follows from.
    package var seed: UInt64

    /// Makes a pair with the same weather both ways.
    package init(_ weather: LinkOptions, datagramBytes: Int, seed: UInt64) {
        self.weather = [weather, weather]
        self.datagramBytes = datagramBytes
        self.seed = seed
    }

    /// The carrier away from a side.
    func carrier(of side: Int) -> CarrierTraits {
        let weather = weather[side]
        if case .stream = weather.kind { return .stream }
        return CarrierTraits(
            framing: .datagram(largestBytes: datagramBytes), isLossy: weather.kind.isLossy,
            sendInterval: weather.sendInterval)
    }
}
