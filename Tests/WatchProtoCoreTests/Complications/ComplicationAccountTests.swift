import Testing

@testable import WatchProtoCore

/// The durable count of pushes (DOSES.md, *The budget of complication pushes*, rule 1).
@Suite struct ComplicationAccountTests {
    private static let day = 24 * PlannedPhone.hour

    /// A phone that has made all of its pushes, a second apart.
    private static func spent() -> PlannedPhone {
        var phone = PlannedPhone()
        for _ in 0..<50 {
            #expect(phone.urgent() == .pushed)
            phone.pass(1000)
        }
        #expect(phone.urgent() == .demoted && phone.planner.left == 0)
        return phone
    }

    @Test("At most 50 pushes leave in any 24 hours, whenever they are counted from (P-1)")
    func window() {
        var phone = PlannedPhone()
        var pushes: [Int64] = []
        // An update every 11 minutes for a week: more than the budget, at every hour.
        for _ in 0..<900 {
            if phone.urgent() == .pushed { pushes.append(phone.elapsed) }
            phone.pass(11 * PlannedPhone.minute)
        }
        #expect(pushes.count >= 6 * 50 && phone.sumsUp)
        for (first, later) in zip(pushes, pushes.dropFirst(50)) {
            #expect(later - first >= Self.day)
        }
    }

    @Test("A clock set forward refills nothing, and one set back loses nothing that was spent")
    func jumps() {
        var phone = Self.spent()
        for jump in [400 * Self.day, -800 * Self.day, Self.day, -Self.day] {
            phone.wall += jump
            phone.pass(2000)
            #expect(phone.urgent() == .demoted, "\(jump)")
        }
        // 25 hours later by both clocks the pushes are back, whatever the wall clock says.
        phone.pass(25 * PlannedPhone.hour)
        #expect(phone.urgent() == .pushed && phone.planner.left == 49)
    }

    @Test("A change of the zone refills nothing")
    func zones() {
        var phone = Self.spent()
        for zone in [Int16(-660), 840, 0, .min, .max] {
            phone.zone = zone
            phone.pass(PlannedPhone.hour)
            #expect(phone.urgent() == .demoted, "\(zone)")
        }
    }

    @Test("A restart and a reboot keep the count", arguments: [false, true])
    func restart(isReboot: Bool) throws {
        var phone = Self.spent()
        // A reboot is noticed by a monotonic clock that is less than it was at the last reading.
        let (minute, hour) = (PlannedPhone.minute, PlannedPhone.hour)
        for (off, running) in [(5 * minute, 20_000), (hour, 10_000)] as [(Int64, Int64)] {
            try phone.restart(isReboot: isReboot, off: off)
            phone.pass(running)
            #expect(phone.urgent() == .demoted)
        }
        try phone.restart(isReboot: isReboot, off: 23 * PlannedPhone.hour)
        #expect(phone.urgent() == .pushed)
    }

    @Test("After a reboot a wall clock that was set back counts no time")
    func rebootSetBack() throws {
        var phone = Self.spent()
        phone.wall -= 30 * Self.day
        try phone.restart(isReboot: true)
        #expect(phone.urgent() == .demoted)
        phone.pass(25 * PlannedPhone.hour)
        #expect(phone.urgent() == .pushed)
    }

    @Test("Readings many times a second lose no time")
    func manyReadings() {
        var phone = Self.spent()
        // 24 hours in steps below a second, near the end of them.
        phone.pass(Self.day - 52_000)
        for _ in 0..<200 {
            phone.pass(333)
            phone.planner.report(remaining: 0, at: phone.now, phone.clock)
        }
        let elapsed = phone.planner.account.elapsed
        #expect(abs(phone.elapsed - elapsed) <= 1000)
    }

    @Test("A carrier's count overrides the own one, and its rise teaches the hour")
    func reported() {
        var phone = Self.spent()
        phone.planner.report(remaining: 3, at: phone.now, phone.clock)
        #expect(phone.planner.left == 3 && phone.planner.account.resetMinute == nil)
        #expect(phone.urgent() == .pushed && phone.planner.left == 2)
        phone.pass(PlannedPhone.hour)
        phone.planner.report(remaining: 0, at: phone.now, phone.clock)
        #expect(phone.urgent() == .demoted)
        phone.pass(3 * PlannedPhone.hour)
        phone.planner.report(remaining: 50, at: phone.now, phone.clock)
        #expect(phone.planner.left == 50)
        // 12:00, 51 seconds, and 4 hours.
        #expect(phone.planner.account.resetMinute == 16 * 60)
    }

    @Test("A carrier's count that is a day old counts no more")
    func reportedLongAgo() {
        var phone = PlannedPhone()
        phone.planner.report(remaining: 0, at: phone.now, phone.clock)
        phone.pass(23 * PlannedPhone.hour)
        #expect(phone.urgent() == .demoted)
        let wait = phone.planner.account.nextExpiry(.watchConnectivity)
        #expect(wait.map { abs($0 - PlannedPhone.hour) < 60_000 } == true)
        phone.pass(2 * PlannedPhone.hour)
        #expect(phone.urgent() == .pushed && phone.planner.left == 49)
    }

    @Test(
        "A carrier's count that cannot be is taken as the nearest one that can",
        arguments: [(Int.min, 0), (-1, 0), (201, 200), (.max, 200)])
    func reportedNonsense(count: Int, taken: Int) {
        var phone = Self.spent()
        phone.planner.report(remaining: count, at: phone.now, phone.clock)
        #expect(phone.planner.left == taken)
        #expect(phone.urgent() == (taken == 0 ? .demoted : .pushed))
    }

    @Test("An hour's limit holds beside the day's")
    func hourly() {
        var phone = PlannedPhone(.clockKit)
        var pushes: [Int64] = []
        for _ in 0..<400 {
            if phone.urgent() == .pushed { pushes.append(phone.elapsed) }
            phone.pass(2 * PlannedPhone.minute)
        }
        #expect(pushes.count > 40 && pushes.count <= 50)
        for (first, later) in zip(pushes, pushes.dropFirst(4)) {
            #expect(later - first >= PlannedPhone.hour)
        }
    }

    @Test("The bytes of an account are read back; others are refused, or read without a trap")
    func coding() throws {
        var phone = Self.spent()
        phone.planner.report(remaining: 7, at: phone.now, phone.clock)
        let account = phone.planner.account
        var writer = WireWriter()
        account.write(to: &writer)
        let bytes = writer.bytes
        func read(_ bytes: [UInt8]) throws(WireError) -> ComplicationAccount {
            var reader = WireReader(bytes.span)
            return try ComplicationAccount(&reader)
        }
        #expect(try read(bytes) == account)
        for end in bytes.indices {
            #expect(throws: WireError.self) { try read(Array(bytes[..<end])) }
        }
        var refused = 0
        for index in bytes.indices {
            for value in [UInt8(0), 0x7F, 0x80, 0xFF] {
                var doctored = bytes
                doctored[index] = value
                guard var read = try? read(doctored) else {
                    refused += 1
                    continue
                }
                for wall in [Int64.min, 0, .max] {
                    let clock = WallClock(time: WallTime(milliseconds: wall))
                    read.advance(to: Instant(nanoseconds: .max), clock)
                    #expect((0...200).contains(read.left(.watchConnectivity)))
                }
            }
        }
        #expect(refused > 50)
    }

    @Test("An account of which nothing is known has no push left for a day")
    func exhausted() {
        var phone = PlannedPhone()
        phone.planner = ComplicationPlanner(
            .watchConnectivity, .exhausted(at: phone.now, phone.clock))
        phone.planner.setReachable(true)
        phone.pass(23 * PlannedPhone.hour)
        #expect(phone.urgent() == .demoted)
        phone.pass(2 * PlannedPhone.hour)
        #expect(phone.urgent() == .pushed)
    }
}
