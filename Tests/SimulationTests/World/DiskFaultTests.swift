import Simulation
import Testing
import WatchProtoCore

/// Each fault of the disk alone, in an otherwise calm world: it bites, and every promise holds.
@Suite struct DiskFaultTests {
    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    private func run(
        _ faults: [(UInt64, Scenario.Fault.What)], seed: UInt64 = 6,
        trace: ((String) -> Void)? = nil
    ) -> WorldResult {
        var scenario = Scenario(seed: seed)
        for (index, side) in [0, 1, 0, 1, 0, 1].enumerated() {
            let start = UInt64(500 + 700 * index)
            scenario.acts += [
                Scenario.Act(at: at(start), side: side, .send(.background, bytes: 60)),
                Scenario.Act(at: at(start + 50), side: side, .send(.context, bytes: 60, key: 1)),
                Scenario.Act(
                    at: at(start + 90), side: side,
                    .complication(key: 1, value: UInt64(index + 1))),
            ]
        }
        scenario.faults = faults.map { Scenario.Fault(at: at($0.0), $0.1) }
        return SimulatedSecurity.run(scenario, trace: trace)
    }

    @Test(arguments: StorageMoment.allCases, [0, 1, 2, 5])
    func a_crash_at_a_call_to_the_journal(moment: StorageMoment, calls: Int) {
        for side in 0..<2 {
            let result = run([(400, .storageCrash(side: side, moment, afterCalls: calls))])
            #expect(result.findings == [])
            #expect(result.isDrained)
            let rarity: Rarity =
                switch moment {
                case .before: .crashBeforeWrite
                case .inside: .crashInsideWrite
                case .after: .crashAfterCommit
                }
            #expect(result.coverage[rarity] == 1)
        }
    }

    @Test(arguments: UInt64(1)...8)
    func crashes_during_recovery(seed: UInt64) {
        let result = run(
            [(1_300, .recoveryCrash(side: 0, times: 3, downFor: .milliseconds(40)))], seed: seed)
        #expect(result.findings == [])
        #expect(result.isDrained)
        #expect(result.coverage[.crash] >= 4)
    }

    @Test func a_commit_that_fails_once_ends_the_peer_and_a_new_one_goes_on() {
        for calls in 0..<6 {
            let result = run([(400, .diskError(side: 0, count: 1, afterCalls: calls))])
            #expect(result.findings == [])
            #expect(result.isDrained)
            #expect(result.coverage[.journalFailed] == 1)
        }
    }

    /// "For ever" lasts until all faults end.
    @Test func a_disk_that_fails_for_ever_is_told_and_nothing_is_accepted() {
        var lines: [String] = []
        let result = run([(400, .diskError(side: 0, count: nil, afterCalls: 0))]) {
            lines.append($0)
        }
        #expect(result.findings == [])
        #expect(result.isDrained)
        #expect(result.coverage[.journalStuck] >= 1)
        #expect(result.coverage[.refusedJournalFailed] >= 1)
        #expect(lines.contains { $0.contains("refuse") && $0.contains("journalFailed") })
    }

    @Test func a_full_disk_that_has_room_again() {
        let result = run([(400, .diskFull(side: 1, .seconds(3)))])
        #expect(result.findings == [])
        #expect(result.isDrained)
        #expect(result.coverage[.commitFailed] >= 1)
    }

    @Test(arguments: [0, 1])
    func either_side_is_wiped_again_and_again(side: Int) {
        let result = run([
            (1_000, .wipe(side: side, downFor: .milliseconds(50))),
            (2_500, .wipe(side: side, downFor: .milliseconds(50))),
            (4_500, .wipe(side: side, downFor: .milliseconds(50))),
        ])
        #expect(result.findings == [])
        #expect(result.isDrained)
        #expect(result.coverage[.wiped] == 3)
        #expect(result.coverage[.counterpartWiped] + result.coverage[.ownJournalWentBack] > 0)
    }

    @Test(arguments: [0, 1])
    func either_side_is_restored_again_and_again(side: Int) {
        let result = run([
            (1_000, .backup(side: side)), (2_500, .restore(side: side, downFor: .milliseconds(50))),
            (4_500, .restore(side: side, downFor: .milliseconds(50))),
        ])
        #expect(result.findings == [])
        #expect(result.isDrained)
        #expect(result.coverage[.restored] == 2)
        #expect(result.coverage[.counterpartWentBack] > 0)
    }

    @Test func both_sides_are_restored() {
        let result = run([
            (1_000, .backup(side: 0)), (1_800, .backup(side: 1)),
            (3_000, .restore(side: 1, downFor: .milliseconds(700))),
            (3_100, .restore(side: 0, downFor: .milliseconds(100))),
        ])
        #expect(result.findings == [])
        #expect(result.isDrained)
    }
}
