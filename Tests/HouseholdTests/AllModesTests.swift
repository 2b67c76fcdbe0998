import CPosix
import Foundation
import Testing
import WatchProto

/// All modes at once between a phone and two watches, under conditions that change hourly, with
/// cuts, crashes and changes of the active watch. Every promise holds at the end.
///
/// `WATCHPROTO_DAY_HOURS=24` makes a day of it, and compares the memory that is in use in its last
/// quarter with that of the second; `WATCHPROTO_DAY_SEED` is the seed.
@Suite(.timeLimit(.minutes(30))) struct AllModesTests {
    private static func setting(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    @Test func every_promise_holds_for_a_day_of_all_modes() async throws {
        let hours = Self.setting("WATCHPROTO_DAY_HOURS", DayConditions.hours.count)
        let seed = UInt64(Self.setting("WATCHPROTO_DAY_SEED", 1))
        let folder = try Folder()
        let day = try await DayOfModes(in: folder.path, seed: seed)
        var sizes: [Int] = []
        for hour in 0..<hours {
            try await day.live(hour)
            sizes.append(Int(watchproto_used_heap_bytes()) / 1000)
        }
        try await day.settle()
        try await day.check()
        print("memory in use after each hour, in KB: \(sizes)")
        if hours >= 24 {
            // The tables of a device fill for hours, and those of one that crashes are empty again.
            let (early, late) = (sizes[6..<12], sizes.suffix(6))
            let growth = (late.reduce(0, +) - early.reduce(0, +)) / 6
            #expect(growth <= 1000, "the last six hours take more than the second six")
        }
        await day.household.close()
    }
}
