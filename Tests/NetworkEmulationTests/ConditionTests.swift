import Articles
import CommandLine
import ControlProtocol
import Simulation
import Testing
import WatchProtoCore

@testable import NetworkEmulation

/// Changes to network conditions as they stand on a command line.
@Suite struct ConditionSettingsTests {
    private static func conditions(_ text: String) throws -> DirectionConditions {
        var conditions = DirectionConditions()
        try ConditionSettings(text).apply(to: &conditions)
        return conditions
    }

    private static func fault(_ text: String) -> String {
        do throws(ArgumentFault) {
            _ = try ConditionSettings(text)
            return "none"
        } catch {
            return error.reason
        }
    }

    /// A link without network conditions needs no model: every single key that does something has
    /// an effect. Nothing passes where all is lost, and where the line carries nothing.
    @Test(arguments: [
        ("loss=100%", NetworkConditions.Closure.loss), ("rate=0kbit/s", .rate),
        ("loss=100%,rate=0bit/s", .loss), ("loss=99%,rate=1bit/s", nil), ("rate=unlimited", nil),
    ])
    func a_closed_way_says_why(changes: String, closure: NetworkConditions.Closure?) throws {
        var conditions = NetworkConditions()
        conditions.apply(nil, down: try ConditionSettings(changes))
        let expected = closure.map { [$0] } ?? []
        #expect(conditions.closedWays.map(\.closure) == expected)
        #expect(conditions.closedWays.allSatisfy { $0.way == .down })
    }

    @Test func each_key_that_does_something_has_an_effect() throws {
        #expect(!NetworkConditions().hasEffect)
        #expect(!NetworkConditions(try #require(LinkProfile.named("loopback"))).hasEffect)
        for profile in LinkProfile.all where profile.name != "loopback" {
            #expect(NetworkConditions(profile).hasEffect, "\(profile.name)")
        }
        for text in ["rtt=2ms", "jitter=1ms", "rate=1Mbit/s", "loss=1%", "corruption=1%"] {
            for way in NetworkConditions.Way.allCases {
                var conditions = NetworkConditions()
                conditions[way] = try Self.conditions(text)
                #expect(conditions.hasEffect, "\(text) \(way)")
            }
        }
        var calm = NetworkConditions()
        calm.up = try Self.conditions("rtt=0ms,loss=0%")
        #expect(!calm.hasEffect)
    }

    @Test func every_key_reaches_its_option() throws {
        let text =
            "rtt=60ms,jitter=10ms,jitter-shape=heavy-tailed,jitter-reorders=yes,rate=700kbit/s,"
            + "loss=2%,burst=4,recovery=70ms,duplication=1%,duplicate-delay=5ms,reorder=3%,"
            + "reorder-delay=6ms,corruption=0.5%,truncation=0.25%,clog=4%,longest-clog=2s,"
            + "blackout=2s every 7s,interval=30ms,stall=5%,queue-packets=9,queue-bytes=64KiB"
        let conditions = try Self.conditions(text)
        var expected = DirectionConditions()
        expected.latency = .roundTrip(.milliseconds(60))
        expected.recovery = .milliseconds(70)
        expected.blackout = Blackout(.seconds(2), every: .seconds(7), after: .seconds(5))
        var options = LinkOptions()
        options.jitter = .milliseconds(10)
        options.jitterShape = .heavyTailed
        options.jitterReorders = true
        options.rateBitsPerSecond = 700_000
        options.loss = 0.02
        options.lossBurstPackets = 4
        options.duplication = 0.01
        options.duplicateDelay = .milliseconds(5)
        options.reordering = 0.03
        options.reorderDelay = .milliseconds(6)
        options.corruption = 0.005
        options.truncation = 0.0025
        options.clogging = 0.04
        options.longestClog = .seconds(2)
        options.sendInterval = .milliseconds(30)
        options.stalling = 0.05
        options.queuePackets = 9
        options.queueBytes = 65_536
        expected.options = options
        #expect(conditions == expected)
        let used = text.split(separator: ",").map { $0.prefix { $0 != "=" } }
        let keys = ConditionKey.allCases.map(\.rawValue).filter { $0 != "delay" }
        #expect(used.map(String.init) == keys)
    }

    @Test func a_round_trip_is_halved_and_a_delay_is_not() throws {
        let round = try Self.conditions("rtt=60ms")
        #expect(round.delay(.roundTrip) == .milliseconds(30))
        #expect(round.delay(.oneWay) == .milliseconds(60))
        let oneWay = try Self.conditions("delay=60ms")
        #expect(oneWay.delay(.roundTrip) == .milliseconds(60))
        #expect(oneWay.delay(.oneWay) == .milliseconds(60))
        let options = round.options(.lossyDatagram, reading: .oneWay, since: .zero, around: .zero)
        #expect(options.delay == .milliseconds(60) && options.recoveryTime == .milliseconds(120))
    }

    @Test(
        "a fault says what was seen and what is expected",
        arguments: [
            ("rtt=30", "rtt is 30, a unit is needed (ns, us, ms, s, min or h)"),
            ("rtt=30x", "rtt is 30x, unknown unit 'x', expected ns, us, ms, s, min or h"),
            ("loss=120%", "loss is 120%, must be 0% to 100%"),
            ("loss=0.02", "loss is 0.02, a unit is needed (%)"),
            ("loss=-1%", "loss is -1%, must not be negative"),
            ("los=2%", "unknown key 'los', did you mean 'loss'?"),
            ("delay=2h", "delay is 2h, must be at most 1h"),
            ("burst=0", "burst is 0, must be a whole number, 1 to 10000"),
            ("queue-bytes=0B", "queue-bytes is 0B, must be 1B to 1GiB"),
            (
                "jitter-shape=flat",
                "jitter-shape is flat, must be one of uniform, triangular, heavy-tailed"
            ),
            ("jitter-reorders=1", "jitter-reorders is 1, must be yes or no"),
            (
                "rate=5Mb",
                "rate is 5Mb, unknown unit 'Mb', "
                    + "expected bit/s, kbit/s, Mbit/s, Gbit/s, B/s, kB/s or MB/s"
            ),
            (
                "blackout=7s every 2s",
                "blackout is 7s every 2s, must end before the next begins: every 2 s"
            ),
            (
                "blackout=2s every 2h",
                "blackout is 2s every 2h, each of its times must be at most 1h, not 2 h"
            ),
            (
                "blackout=1ns every 2ns",
                "blackout is 1ns every 2ns, must come every 1ms at most, not every 2 ns"
            ),
            (
                "blackout=2s sometimes",
                "blackout is 2s sometimes, must be a time such as '2s every 7s' or '2s after 5s'"
            ),
            ("loss", "loss lacks its value, a share: 2%"),
            ("loss=1%,loss=2%", "loss is given twice"),
            ("rtt=1s,delay=1s", "rtt and delay are both given"),
            (
                "loss=120%,rtt=30,x=1",
                "loss is 120%, must be 0% to 100%; "
                    + "rtt is 30, a unit is needed (ns, us, ms, s, min or h); "
                    + "unknown key 'x', expected one of "
                    + ConditionKey.allCases.map(\.rawValue).joined(separator: ", ")
            ),
        ])
    func faults(_ text: String, _ expected: String) {
        #expect(Self.fault(text) == expected)
    }

    @Test func one_direction_has_no_round_trip() {
        #expect(
            throws: ArgumentFault("rtt covers both directions; give this one its delay")
        ) { try DirectionSettings(argument: "rtt=60ms") }
    }

    @Test func changes_of_one_direction_come_after_those_of_both() throws {
        var conditions = NetworkConditions(try #require(LinkProfile.named("3g")))
        conditions.apply(
            try ConditionSettings("loss=1%,rate=unlimited"), up: try ConditionSettings("loss=3%"),
            down: try ConditionSettings("delay=10ms"))
        #expect(conditions.up.options.loss == 0.03 && conditions.down.options.loss == 0.01)
        #expect(conditions.up.options.rateBitsPerSecond == nil)
        #expect(conditions.up.delay(.roundTrip) == .milliseconds(150))
        #expect(conditions.down.delay(.roundTrip) == .milliseconds(10))
    }

    @Test func every_profile_is_what_its_row_says_in_both_readings() {
        for profile in LinkProfile.all {
            for reading in LinkProfile.Reading.allCases {
                for kind in [LinkKind.lossyDatagram, .reliableDatagram, .stream(.whole)] {
                    let conditions = NetworkConditions(profile, reading: reading)
                    for way in NetworkConditions.Way.allCases {
                        let options = conditions[way].options(
                            kind, reading: reading, since: .zero, around: .zero)
                        #expect(options == profile.options(kind, reading: reading))
                    }
                }
            }
        }
    }

    @Test func what_was_understood_is_told() throws {
        var conditions = NetworkConditions(try #require(LinkProfile.named("3g")))
        conditions.apply(
            nil, up: try ConditionSettings("blackout=2s every 7s,burst=3,corruption=2%"))
        #expect(
            conditions.meaning == [
                "3g: half the round trip in each direction",
                "  up    (phone to watch)  150 ms one way, 1 Mbit/s, loss 2 %, bursts to 3, "
                    + "corruption 2 %, blackout 2 s every 7 s, first after 5 s, "
                    + "queue 1000 packets, 1 MiB",
                "  down  (watch to phone)  150 ms one way, 1 Mbit/s, loss 2 %, "
                    + "queue 1000 packets, 1 MiB",
            ])
        #expect(conditions.json["up"]?["blackout"]?["every_ns"] == 7_000_000_000)
        #expect(conditions.json["down"]?["delay_ns"] == 150_000_000)
    }
}

/// The delays that follow from a direction's figures.
@Suite struct ResultingDelayTests {
    private static func direction(_ changes: String) throws -> DirectionConditions {
        var conditions = NetworkConditions()
        conditions.apply(try ConditionSettings(changes), up: nil, down: nil)
        return conditions.up
    }

    @Test func delays_are_those_of_the_model() throws {
        let plain = try #require(try Self.direction("delay=50ms").delays(.roundTrip))
        #expect(plain.p50 == .milliseconds(50) && plain.p99 == .milliseconds(50))
        let slow = try #require(try Self.direction("delay=50ms,rate=16kbit/s").delays(.roundTrip))
        // 200 bytes take 100 ms on this line, and one comes every 20 ms.
        #expect(slow.p50 > .seconds(10))
        let even = try #require(try Self.direction("delay=50ms,jitter=10ms").delays(.roundTrip))
        #expect(even.p50 > .milliseconds(54) && even.p50 < .milliseconds(56))
        #expect(even.p99 > .milliseconds(59) && even.p99 <= .milliseconds(60))
        #expect(try Self.direction("loss=100%").delays(.roundTrip) == nil)
    }

    /// With a heavy tail in order, most packets wait behind a slow one, and a warning says so.
    @Test func a_heavy_tail_in_order_is_warned_of() throws {
        let tail = "delay=50ms,jitter=40ms,jitter-shape=heavy-tailed"
        let inOrder = try Self.direction(tail)
        let free = try Self.direction(tail + ",jitter-reorders=yes")
        let (slow, quick) = (inOrder.delays(.roundTrip), free.delays(.roundTrip))
        #expect(try #require(slow).p50 > #require(quick).p50 * 2)
        #expect(inOrder.caution?.hasPrefix("heavy-tailed jitter without reordering") == true)
        #expect(free.caution == nil)
        var conditions = NetworkConditions()
        conditions.apply(try ConditionSettings(tail), up: nil, down: nil)
        #expect(conditions.meaning.filter { $0.contains("resulting delay p50") }.count == 2)
        #expect(conditions.meaning.filter { $0.contains("warning: heavy-tailed") }.count == 2)
    }
}

/// Blackouts as outages of the model.
@Suite struct BlackoutTests {
    @Test func a_rhythm_begins_with_the_time_between_two_and_goes_on_for_ever() throws {
        let blackout = try Blackout(quantity: "2s every 7s")
        for seconds in [0, 100, 100_000] as [UInt64] {
            let now = Instant(nanoseconds: seconds * 1_000_000_000)
            let outages = blackout.outages(from: .zero, around: now)
            for offset in [0, 4_999, 5_000, 6_999, 7_000, 100_000] as [UInt64] {
                let moment = now.nanoseconds / 1_000_000 + offset
                let isOut = outages.contains {
                    $0.start.nanoseconds / 1_000_000 <= moment
                        && moment < $0.end.nanoseconds / 1_000_000
                }
                #expect(isOut == (moment % 7_000 >= 5_000), "\(moment) ms")
            }
        }
    }

    @Test func one_alone_comes_once() throws {
        let blackout = try Blackout(quantity: "2s after 5s")
        let origin = Instant(nanoseconds: 1_000_000_000)
        let expected = LinkOutage(
            from: Instant(nanoseconds: 6_000_000_000), until: Instant(nanoseconds: 8_000_000_000))
        #expect(blackout.outages(from: origin, around: origin) == [expected])
        #expect(
            blackout.outages(from: origin, around: Instant(nanoseconds: 99_000_000_000))
                == [expected])
        #expect("\(blackout)" == "2 s, first after 5 s")
    }
}

/// The keys in the article are the keys of the code.
@Suite struct ConditionArticleTests {
    @Test func the_table_of_keys_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "Keys", in: "Tools/NetworkEmulation/NetworkEmulation.docc/network-conditions.md"))
        let keys = ConditionKey.allCases.map { ["`\($0.rawValue)`", $0.form] }
        #expect(table.rows.map { Array($0.prefix(2)) } == keys)
    }
}
