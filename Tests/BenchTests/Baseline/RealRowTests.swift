import ControlProtocol
import Simulation
import Testing
import WatchProtoCore

@testable import Bench

/// Rows of figures in real time.
@Suite struct RealRowTests {
    private static let settings = BaselineSettings(LinkProfile.named("3g")!)

    private static func row(_ milliseconds: [UInt64?], simulated: [UInt64] = []) -> RealRow {
        var row = RealRow(.complication, settings)
        for time in milliseconds { row.add(time.map { $0 * 1_000_000 }, bytes: 500, first: 250) }
        if !simulated.isEmpty {
            var samples = BaselineSamples()
            samples.ours = simulated.map { $0 * 1_000_000 }
            samples.ideal = [UInt64](repeating: 152_000_000, count: simulated.count)
            row.simulated = samples
        }
        return row
    }

    @Test func the_median_is_the_lower_middle_of_few() {
        #expect(RealRow.median([]) == nil)
        #expect(RealRow.median([9]) == 9)
        #expect(RealRow.median([9, 1]) == 1)
        #expect(RealRow.median([9, 1, 5]) == 5)
    }

    @Test func a_median_agrees_within_what_was_measured() {
        #expect(Self.row([152]).agrees == nil)
        var row = Self.row([154, 154], simulated: [152, 152])
        #expect(row.budget == 2_000_000)
        #expect(row.agrees == true)
        // A tenth of the figure, or 10 ms, are no longer given away.
        #expect(Self.row([155, 155], simulated: [152, 152]).agrees == false)
        // A real one that is faster than possible is no agreement either.
        #expect(Self.row([149, 149], simulated: [152, 152]).agrees == false)
        row = Self.row([155, 155], simulated: [152, 152])
        row.lateness = 1_000_000
        #expect(row.budget == 3_000_000 && row.agrees == true)
        // A reconnection crosses the line three times.
        row.cell = .complicationEarly
        #expect(row.budget == 5_000_000)
        var records = RealRow(.hundredWarm, Self.settings)
        records.add(160_000_000, bytes: 0, commit: 4_000_000)
        #expect(records.budget == 6_000_000)
    }

    @Test func an_exchange_that_is_not_over_agrees_with_nothing() {
        let fair = [UInt64](repeating: 152, count: 200)
        #expect(Self.row(Array(repeating: 152, count: 99), simulated: fair).agrees == true)
        let row = Self.row(Array(repeating: 152, count: 99) + [nil], simulated: fair)
        #expect(row.agrees == false)
        #expect(Self.row([], simulated: fair).agrees == false)
        var report = RealReport(Self.settings)
        report.rows = [row]
        #expect(report.isMissed && report.text().contains("1 not over"))
    }

    /// Few exchanges of a wide distribution may have any median of it, many only the middle.
    @Test func chance_is_allowed_for_and_no_more() {
        let wide = (0..<1000).map { UInt64(100 + $0 % 100) }
        #expect(Self.row([110, 120], simulated: wide).agrees == true)
        #expect(Self.row(Array(repeating: 110, count: 50), simulated: wide).agrees == false)
        #expect(Self.row(Array(repeating: 145, count: 50), simulated: wide).agrees == true)
    }

    @Test func tails_are_compared_where_there_are_enough() throws {
        let fair = [UInt64](repeating: 152, count: 196) + [UInt64](repeating: 464, count: 4)
        let same = [UInt64](repeating: 152, count: 98) + [464, 464]
        #expect(Self.row(same, simulated: fair).agrees == true)
        // Retransmission lives in the tail: the median and p90 notice nothing.
        let late = [UInt64](repeating: 152, count: 91) + [UInt64](repeating: 464, count: 9)
        let row = Self.row(late, simulated: fair)
        #expect(row.comparisons.map(\.name) == ["p50", "p90", "above ideal"])
        #expect(row.comparisons.map(\.agrees) == [true, true, false])
        #expect(row.agrees == false)
        let worse = [UInt64](repeating: 152, count: 320) + [UInt64](repeating: 464, count: 80)
        let many = [UInt64](repeating: 152, count: 980) + [UInt64](repeating: 464, count: 20)
        #expect(Self.row(worse, simulated: many).comparisons.map(\.agrees) == [true, false, false])
        #expect(Self.row(Array(late.suffix(99)), simulated: fair).comparisons.count == 1)
    }

    /// Packets sent in vain make the line's time longer, and the limit no higher.
    @Test func waste_raises_no_limit() {
        let row = Self.row([152])
        #expect(row.limit == 152_000_000)
        #expect(row.lineTimes == [154_000_000])
        var records = RealRow(.hundredWarm, Self.settings)
        records.add(400_000_000, bytes: 100_000)
        #expect(records.limit == nil)
        var samples = BaselineSamples()
        samples.limit = [310_000_000, 320_000_000, 330_000_000]
        records.simulated = samples
        #expect(records.limit == 320_000_000)
        #expect(records.lineTimes == [950_000_000])
    }

    @Test func the_limit_has_the_bytes_that_can_have_mattered() {
        let start = Instant(nanoseconds: 5_000_000_000)
        func packet(_ milliseconds: Int64, _ bytes: Int) -> (at: Instant, bytes: Int) {
            (start.advanced(by: .milliseconds(milliseconds)), bytes)
        }
        let packets = [packet(-1, 1), packet(0, 10), packet(50, 100), packet(51, 1_000)]
        // 150 ms each way: bytes that came 51 ms after the start cannot have been there at 200.
        let end = start.advanced(by: .milliseconds(200))
        #expect(
            Ideal.bytes(of: packets, from: start, until: end, Self.settings.conditions) == 110)
        // 250 bytes at 1 Mbit/s: 2 ms, behind 150.
        #expect(Self.row([152]).limits == [152_000_000])
    }

    @Test func the_report_says_what_it_rests_on() {
        var report = RealReport(Self.settings)
        report.rows = [
            Self.row([152, 153, nil], simulated: [152]), RealRow(.lineCold, Self.settings),
        ]
        report.rows[1].add(nil, bytes: 0)
        report.notes = ["UDP: handed over later than planned: p50 70 us"]
        report.skipped = "unshare of the network: Operation not permitted (errno 1)"
        let lines = report.text().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines[0]
                == "3g (rtt), 150 ms each way, 1 Mbit/s, 2 % loss, datagrams of 1200 B, seed 1")
        let words = lines[2].split(separator: " ").map(String.init)
        let told = [
            "152", "153", "-", "never", "152", "1.007", "154", "152", "2.00", "1", "not", "over",
        ]
        #expect(words.suffix(12) == told[...])
        #expect(lines[3].hasPrefix("TCP, complication, cold") && lines[3].hasSuffix("1 not over"))
        #expect(lines[4] == "UDP: handed over later than planned: p50 70 us")
        #expect(
            lines[5]
                == "kernel TCP skipped: unshare of the network: Operation not permitted (errno 1)")
        #expect(
            lines[6]
                == "WARNING: fewer than 30 exchanges: complication, link up 3; TCP, complication, "
                + "cold 1; more --time, --rounds or --updates give more")
        #expect(report.isMissed)
        report.rows[0] = Self.row([152], simulated: [152])
        #expect(!report.isMissed && report.text().contains("agrees, few"))
        report.rows[0] = Self.row([400], simulated: [152])
        #expect(report.isMissed && report.text().contains("DIFFERS (p50)"))
    }

    @Test func a_figure_of_thirty_exchanges_is_not_few() {
        var report = RealReport(Self.settings)
        report.rows = [Self.row([UInt64?](repeating: 152, count: 29))]
        #expect(report.rows[0].isFew && report.text().contains("WARNING"))
        report.rows[0].add(nil, bytes: 0)
        #expect(!report.rows[0].isFew && !report.text().contains("WARNING"))
        #expect(report.json["rows"]?.array?.first?["few"] == false)
    }

    /// By hand, for 3g: 5 s, 10 * 300 ms; 62 times (1,070 ms and 240 for 160,000 bits, half as much
    /// again), 122 times 1,070 ms.
    @Test func a_link_has_the_time_that_its_latency_and_rate_need() throws {
        let plan = RealPlan(updates: 60, rounds: 30)
        #expect(plan.time(on: Self.settings) == .milliseconds(8_000 + 62 * 1_310 + 122 * 1_070))
        func time(_ name: String) throws -> Duration {
            plan.time(on: BaselineSettings(try #require(LinkProfile.named(name))))
        }
        #expect(try time("edge") > time("3g") && time("3g") > time("5g"))
        #expect(try time("ble") > time("loopback") && time("loopback") > .seconds(5))
        var oneWay = Self.settings
        oneWay.reading = .oneWay
        #expect(plan.time(on: oneWay) > plan.time(on: Self.settings))
        #expect((0..<30).map(plan.updates(of:)).reduce(0, +) == 60)
    }

    @Test func programs_get_whole_nanoseconds() {
        var report = RealReport(Self.settings)
        report.rows = [Self.row([152, nil], simulated: [151])]
        let row = report.json["rows"]?.array?.first
        #expect(row?["cell"] == "complication" && row?["n"] == 2 && row?["never_ended"] == 1)
        #expect(row?["median_ns"] == 152_000_000 && row?["most_ns"] == -1)
        #expect(row?["p90_ns"]?.isNull == true)
        #expect(row?["simulated_median_ns"] == 151_000_000 && row?["agrees"] == false)
        #expect(row?["limit_median_ns"] == 152_000_000 && row?["line_median_ns"] == 154_000_000)
        report.rows = [Self.row([152, 152], simulated: [151])]
        let other = report.json["rows"]?.array?.first
        #expect(other?["agrees"] == true && other?["budget_ns"] == 2_000_000)
        #expect(other?["compared"]?.array?.first?["name"] == "p50")
        #expect(report.json["skipped"]?.isNull == true)
        #expect(Set(RealCell.allCases.map(\.title)).count == RealCell.allCases.count)
    }
}
