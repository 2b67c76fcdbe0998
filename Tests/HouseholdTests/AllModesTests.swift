import CPosix
import Foundation
import Testing
import WatchProto

/// All modes at once between a phone and two watches, under conditions that change hourly, with
/// cuts, crashes and changes of the active watch. For some hours both watches are connected. Every
/// promise holds at the end, and the memory in use in the last quarter of the day is that of the
/// second. It is the memory of the whole process: of the three devices, of the link, and of the
/// account that the test keeps.
///
/// `WATCHPROTO_DAY_HOURS` and `WATCHPROTO_DAY_SEED` make it another day.
@Suite(.timeLimit(.minutes(30))) struct AllModesTests {
    private static func setting(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    @Test func every_promise_holds_for_a_day_of_all_modes() async throws {
        let hours = Self.setting("WATCHPROTO_DAY_HOURS", 24)
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
            let part = hours / 4
            let (early, late) = (sizes[part..<2 * part], sizes.suffix(part))
            let growth = (late.reduce(0, +) - early.reduce(0, +)) / part
            #expect(growth <= 1000, "the last \(part) hours take more than the second \(part)")
        }
        await day.household.close()
    }
}
