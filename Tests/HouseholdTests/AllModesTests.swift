import CPosix
import Foundation
import Testing
import WatchProto

/// All modes at once between a phone and two watches, under conditions that change hourly, with
/// cuts, changes of the active watch, and crashes of one device or of two at once. For some hours
/// both watches are connected. Every promise holds at the end, and in the last quarter of the day a
/// device takes at most 0.5 MB more than in the second. The account that the test keeps grows
/// evenly, and its part is left out.
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
        var (sizes, seconds): ([Int], [Int64]) = ([], [])
        for hour in 0..<hours {
            let begun = ContinuousClock.now
            try await day.live(hour)
            seconds.append((ContinuousClock.now - begun).components.seconds)
            sizes.append(Int(watchproto_used_heap_bytes()) / 1000)
        }
        try await day.settle()
        try await day.check()
        let whole = Int(watchproto_used_heap_bytes())
        day.account.note { $0 = DayAccount.State() }
        let account = (whole - Int(watchproto_used_heap_bytes())) / 1000
        print(
            """
            memory in use after each hour, in KB: \(sizes), the account in the end \(account); \
            took \(seconds) s
            """)
        if hours >= 24 {
            // The tables of a device fill for hours, and those of one that crashes are empty again.
            let part = hours / 4
            let (early, late) = (sizes[part..<2 * part], sizes.suffix(part))
            let growth = (late.reduce(0, +) - early.reduce(0, +)) / part - account / 2
            #expect(growth / 3 <= 500, "each of the three devices, from the second quarter on")
        }
        await day.household.close()
    }
}
