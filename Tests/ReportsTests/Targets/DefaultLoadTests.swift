import Testing
import WatchProtoCore

@testable import Reports

@Suite struct DefaultLoadTests {
    private static func records(_ rate: Double, _ rounds: Int) -> Double {
        let length = DefaultLoad.duration(leastPerSecond: rate, rounds: rounds)
        return rate * Double(rounds) * Double(length.nanosecondsClamped) / 1e9
    }

    /// The default load has enough samples for every row of the targets.
    @Test(arguments: [false, true], [1, 2, 6, 10])
    func the_products_targets_get_their_samples(isConditioned: Bool, rounds: Int) {
        let rate = DefaultLoad.ratePerSecond(isConditioned: isConditioned)
        for id in ["sync.one-change", "complication", "message"] {
            let needed = TargetTable.target(id)?.samplesNeeded ?? .max
            #expect(Self.records(rate, rounds) > Double(needed) + 10, "\(id)")
        }
    }

    @Test func a_first_run_is_short_and_none_is_long() {
        func seconds(_ rate: Double, _ rounds: Int = 1) -> Duration {
            DefaultLoad.duration(leastPerSecond: rate, rounds: rounds)
        }
        #expect(seconds(DefaultLoad.ratePerSecond(isConditioned: false)) == .seconds(10))
        #expect(seconds(DefaultLoad.ratePerSecond(isConditioned: true)) == .seconds(60))
        #expect(seconds(20, 6) == .seconds(10))
        #expect(seconds(50) == .seconds(24))
        #expect(seconds(0) == .seconds(60) && seconds(20_000) == .seconds(10))
    }
}
