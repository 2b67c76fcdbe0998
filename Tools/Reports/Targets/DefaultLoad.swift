/// The default load of a bench: its rates and its length. It is enough for the product's own
/// targets to be evaluated, which need 99th percentiles.
package enum DefaultLoad {
    /// Records of each kind: more than a 99th percentile needs, for some fall into the warm-up.
    static let recordCount = 1200.0

    /// How often each kind of record is sent, a second: what a slow link bears, and on one without
    /// network conditions so often that a run takes ten seconds.
    package static func ratePerSecond(isConditioned: Bool) -> Double { isConditioned ? 20 : 120 }

    /// How long a round lasts: until the kind that is sent least has been sent often enough in all
    /// rounds together, but not below 10 s nor above 60 s.
    package static func duration(leastPerSecond: Double, rounds: Int) -> Duration {
        let seconds = recordCount / max(1, leastPerSecond * Double(rounds))
        return .seconds(min(60, max(10, seconds.rounded(.up))))
    }
}
