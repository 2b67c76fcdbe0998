import Simulation
import WatchProtoCore

/// How much is measured on each link.
package struct RealPlan: Sendable {
    /// Complication updates.
    package var updates: Int
    /// Rounds: in each, 100 records and some of the updates.
    package var rounds: Int
    /// Whether kernel TCP is measured beside it.
    package var hasTCP: Bool

    /// Records that are sent at once.
    package static let recordsPerRound = 100
    /// Bytes of each.
    package static let recordBytes = 200

    /// Makes a plan.
    package init(updates: Int, rounds: Int, hasTCP: Bool = true) {
        self.updates = updates
        self.rounds = rounds
        self.hasTCP = hasTCP
    }

    /// Updates of a round: all of them together are ``updates``, evenly spread.
    package func updates(of round: Int) -> Int {
        updates * (round + 1) / rounds - updates * round / rounds
    }

    /// How long the line rests before an exchange, after all of the former was over: a round trip
    /// and a bit, never in step with anything.
    package static func pause(_ number: Int, _ settings: BaselineSettings) -> Duration {
        settings.conditions.delay * 2 + .milliseconds(60 + Int64(number &* 37 % 61))
    }

    /// How long all of it may take on a link. The exchanges of this package are over before, and
    /// TCP fits in as often as it can.
    ///
    /// Two simulators start and pair; an exchange takes a delay and what its bytes take, half as
    /// much again for headers and losses, a round trip and a half until the sender knows of it, and
    /// the longest pause. Each is made with the link up, and again as it comes up. The exchanges
    /// that are not counted are one round more.
    package func time(on settings: BaselineSettings) -> Duration {
        let conditions = settings.conditions
        let roundTrip = conditions.delay * 2 + conditions.sendInterval * 2
        let rate = conditions.rateBitsPerSecond ?? 0
        let bits = UInt64(Self.recordsPerRound * Self.recordBytes * 8)
        let onLine: Duration =
            rate > 0 ? .nanoseconds(Int64(bits * 1_500_000_000 / max(1, rate))) : .zero
        let exchange = roundTrip * 3 + .milliseconds(170)
        return .seconds(5) + roundTrip * 10 + (exchange + onLine) * 2 * (rounds + 1)
            + exchange * 2 * (updates + 1)
    }
}
