import CommandLine
import ControlProtocol
import Testing

@Suite struct QuantityTests {
    @Test(arguments: [
        ("30ns", 30, "30 ns"), ("10us", 10_000, "10 us"), ("10µs", 10_000, "10 us"),
        ("60ms", 60_000_000, "60 ms"), ("1.5s", 1_500_000_000, "1.5 s"),
        ("0.25 s", 250_000_000, "250 ms"), ("2min", 120_000_000_000, "2 min"),
        ("1h", 3_600_000_000_000, "1 h"), ("0s", 0, "0 ns"), ("90s", 90_000_000_000, "90 s"),
        ("1.000000001s", 1_000_000_001, "1000000.001 us"),
    ])
    func durations_are_exact_and_echoed(text: String, nanoseconds: Int64, echo: String) throws {
        let value = try Duration(quantity: text)
        #expect(value == .nanoseconds(nanoseconds))
        #expect(value.meaning == echo)
        #expect(try Duration(quantity: value.argumentText) == value)
    }

    @Test(arguments: [
        ("30", "a unit is needed (ns, us, ms, s, min or h)"),
        ("30 sec", "unknown unit 'sec', expected ns, us, ms, s, min or h"),
        ("ms", "a number with a unit is needed (ns, us, ms, s, min or h)"),
        ("", "a number with a unit is needed (ns, us, ms, s, min or h)"),
        ("-5ms", "it must not be negative"),
        ("1.5ns", "it is finer than 1 ns, the smallest step"),
        ("1.2.3s", "'1.2.3' is not a number"), (".5s", "'.5' is not a number"),
        ("5.s", "'5.' is not a number"), ("99999999999999h", "it is too large"),
        ("9223372036854775808ns", "it is too large"),
        ("0.0000000000000000001s", "it has more than 18 decimals"),
    ])
    func what_is_not_a_duration_says_why(text: String, reason: String) {
        #expect(throws: QuantityError(reason)) { try Duration(quantity: text) }
    }

    @Test(arguments: [
        ("700kbit/s", 700_000, "700 kbit/s"), ("1Mbit/s", 1_000_000, "1 Mbit/s"),
        ("12kB/s", 96_000, "96 kbit/s"), ("1.5Mbit/s", 1_500_000, "1.5 Mbit/s"),
    ])
    func a_kilobit_is_a_thousand_bits(text: String, bits: UInt64, echo: String) throws {
        let value = try BitRate(quantity: text)
        #expect(value.bitsPerSecond == bits)
        #expect(value.meaning == echo)
    }

    @Test func rates_sizes_and_shares() throws {
        #expect(try Rate(quantity: "20/s").perSecond == 20)
        #expect(try Rate(quantity: "0.5/s").meaning == "0.5/s")
        #expect(try ByteCount(quantity: "64KiB").bytes == 65_536)
        #expect(try ByteCount(quantity: "1.5KiB").bytes == 1536)
        #expect(try ByteCount(quantity: "1MB").meaning == "1 MB")
        #expect(try Percentage(quantity: "2%").fraction == 0.02)
        #expect(try Percentage(quantity: "0.5%").meaning == "0.5 %")
        #expect(throws: QuantityError("it must be 0% to 100%")) { try Percentage(quantity: "120%") }
        #expect(throws: QuantityError("a unit is needed (/s)")) { try Rate(quantity: "20") }
    }

    @Test func decimals_round_half_away_from_zero() {
        #expect(Decimals.fixed(0.0005, decimals: 3) == "0.001")
        #expect(Decimals.fixed(-1.25, decimals: 1) == "-1.3")
        #expect(Decimals.fixed(-0.001, decimals: 1) == "0.0")
        #expect(Decimals.fixed(12.5, decimals: 0) == "13")
        #expect(Decimals.shortest(20, decimals: 3) == "20")
        #expect(Decimals.table(411.7) == "412")
        #expect(Decimals.table(41.26) == "41.3")
        #expect(Decimals.table(0.0412) == "0.041")
        #expect(Decimals.table(0.0005) == "0.001")
        #expect(Decimals.table(0.000499) == "0.000499")
        #expect(Decimals.table(0.000001) == "0.000001")
        #expect(Decimals.table(-0.00043) == "-0.00043")
        #expect(Decimals.table(0.000_000_4) == "<0.000001")
        #expect(Decimals.table(0) == "0.000")
    }
}
