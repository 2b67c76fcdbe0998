import Simulation
import Testing

@Suite struct LinkProfileTests {
    /// The published table of profiles: name, latency in ms, kbit/s (nil: none added), loss in ‰,
    /// connection interval in ms.
    static let table: [(name: String, ms: Int, kbit: UInt64?, permille: Double, interval: Int)] = [
        ("5g", 20, 100_000, 0, 0),
        ("4g-good", 50, 20_000, 1, 0),
        ("4g-average", 100, 5_000, 5, 0),
        ("3g", 300, 1_000, 20, 0),
        ("edge", 500, 200, 50, 0),
        ("offline", 0, 0, 1_000, 0),
        ("ble", 0, 700, 0, 30),
        ("loopback", 0, nil, 0, 0),
    ]

    @Test func the_profiles_are_those_of_the_table() {
        #expect(LinkProfile.all.map(\.name) == Self.table.map(\.name))
        for (profile, row) in zip(LinkProfile.all, Self.table) {
            #expect(profile.latency == .milliseconds(row.ms), "\(row.name)")
            #expect(profile.rateBitsPerSecond == row.kbit.map { $0 * 1_000 }, "\(row.name)")
            #expect(profile.loss == row.permille / 1_000, "\(row.name)")
            #expect(profile.sendInterval == .milliseconds(row.interval), "\(row.name)")
        }
    }

    @Test func a_round_trip_is_halved_and_a_one_way_figure_is_not() throws {
        let edge = try #require(LinkProfile.named("edge"))
        #expect(edge.options(.lossyDatagram).delay == .milliseconds(250))
        #expect(edge.options(.lossyDatagram, reading: .oneWay).delay == .milliseconds(500))
        #expect(LinkProfile.named("6g") == nil)
    }

    @Test func ble_stalls_instead_of_losing() throws {
        let ble = try #require(LinkProfile.named("ble")).options(.lossyDatagram)
        #expect(ble.loss == 0)
        #expect(ble.stalling > 0)
    }
}
