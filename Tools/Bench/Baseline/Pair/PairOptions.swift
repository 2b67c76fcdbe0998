package import Simulation
package import WatchProtoCore
import WatchProtoRecords

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
    /// The network conditions of each direction: away from the phone, away from the watch.
    package var conditions: [LinkOptions]
    /// Bytes of the carrier's largest datagram.
    package var datagramBytes: Int
    /// How long each journal takes over a batch.
    package var commitTime: Duration = .zero
    /// A mistake to plant, for tests.
    package var planted: PlantedFault?
    /// The clock of both sides at the start.
    package var clock = WallClock(time: WallTime(milliseconds: 1_790_000_000_000))
    /// The kinds that both sides know.
    package var kinds = RecordKinds.product
    /// The seed of every random choice.
    package var seed: UInt64

    /// Makes a pair with the same network conditions both ways.
    package init(_ conditions: LinkOptions, datagramBytes: Int, seed: UInt64) {
        self.conditions = [conditions, conditions]
        self.datagramBytes = datagramBytes
        self.seed = seed
    }

    /// The carrier away from a side.
    func carrier(of side: Int) -> CarrierTraits {
        let conditions = conditions[side]
        if case .stream = conditions.kind { return .stream }
        return CarrierTraits(
            framing: .datagram(largestBytes: datagramBytes), isLossy: conditions.kind.isLossy,
            sendInterval: conditions.sendInterval)
    }
}
