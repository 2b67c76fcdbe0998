import Testing
import WatchProto
import WatchProtoTesting

/// The clocks that a test sets.
@Suite(.timeLimit(.minutes(1))) struct DeviceClockTests {
    @Test func doses_have_the_time_of_the_test() async throws {
        let pair = try await TestPair()
        let noon = WallTime(milliseconds: 4_102_444_800_000)
        let zone = try #require(ZoneOffset(minutes: 330))
        pair.setWallClock(of: .phone, to: noon, zone: zone)
        let before = pair.phone.doses.now
        #expect(before.wall == noon && before.zoneOffset == zone)
        try await pair.run(for: .seconds(10))
        let after = pair.phone.doses.now
        #expect(after.wall == WallTime(milliseconds: noon.milliseconds + 10_000))
        #expect(after.wall == pair.wallClock(of: .phone))
        await pair.close()
    }

    @Test func a_check_has_the_minute_of_the_test() async throws {
        let pair = try await TestPair()
        for role in DeviceRole.allCases {
            pair.setWallClock(of: role, to: WallTime(milliseconds: 4_102_444_800_000))
        }
        try await pair.run(for: .seconds(600))
        pair.phone.doses.check()
        try await pair.run(for: .seconds(5))
        let minute = WallMinute(pair.wallClock(of: .phone))
        #expect(try await pair.phone.doses.lastCheck() == minute)
        // Within a minute of the test there is no other check, and after it there is.
        pair.phone.doses.check()
        try await pair.run(for: .seconds(60))
        pair.phone.doses.check()
        try await pair.run(for: .seconds(5))
        let next = WallMinute(pair.wallClock(of: .phone))
        #expect(next != minute)
        #expect(try await pair.phone.doses.lastCheck() == next)
        await pair.close()
    }

    private static let edges: [Int64] = [
        .min, .min + 1, -4_611_686_018_427_387_904, 0, 4_611_686_018_427_387_904, .max - 1, .max,
    ]

    @Test(arguments: edges)
    func a_wall_clock_stops_at_the_ends_of_its_range(_ milliseconds: Int64) async throws {
        let pair = try await TestPair()
        pair.watch.apply(UserInfo.self) { _, _ in }
        try await pair.run(for: .seconds(1))
        for role in DeviceRole.allCases {
            pair.setWallClock(of: role, to: WallTime(milliseconds: milliseconds))
            let shown = pair.wallClock(of: role).milliseconds
            #expect(shown == min(max(milliseconds, -(1 << 60)), 1 << 60))
        }
        try await pair.run(for: .seconds(2))
        for session in [pair.phone, pair.watch] {
            _ = session.doses.now
            session.doses.check()
        }
        let sent = try pair.phone.send(UserInfo([1]))
        #expect(try await pair.run { try await sent.outcome() } == .reached(.applied))
        try await pair.run(for: .seconds(90))
        _ = try await pair.watch.doses.lastCheck()
        await pair.close()
    }
}
