import FloorKit
import SimKit
import WatchProto

/// How much is measured on each link.
struct RealPlan: Sendable {
    var updates: Int
    /// Rounds: in each, 100 records and some of the updates.
    var rounds: Int
    var hasTCP: Bool

    /// Updates of a round: all of them together are ``updates``, evenly spread.
    func updates(of round: Int) -> Int {
        updates * (round + 1) / rounds - updates * round / rounds
    }

    static let recordsPerRound = 100
    static let recordBytes = 200

    /// How long the line rests before an exchange, after all of the former was over: a round trip
    /// and a bit, never in step with anything.
    static func pause(_ number: Int, _ settings: FloorSettings) -> Duration {
        settings.weather.delay * 2 + .milliseconds(60 + Int64(number &* 37 % 61))
    }
}
