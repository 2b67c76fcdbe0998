import Bench
import Reports
import Simulation
import Testing
import WatchProtoCore

/// The work that platforms grant in the background.
@Suite struct PeriodicWorkTests {
    private static func run(_ work: PeriodicWork) throws -> (RadioLedger, grants: Int) {
        let ble = try #require(LinkProfile.all.first { $0.name == "ble" })
        let conditions = ble.options(.reliableDatagram)
        // An app asks for the others at each change. A daily task syncs once in the run.
        guard work.interval != nil else {
            let run = BackgroundRun(conditions, gathers: false, seed: 3)
            return (run.ledger, grants: Int(run.ledger.total.wakeUps))
        }
        var random = SeededGenerator(seed: 5)
        let syncs = work.runs(in: BackgroundRun.length, &random)
        let run = BackgroundRun(conditions, gathers: true, syncs: syncs, seed: 3)
        #expect(run.isSettled)
        return (run.ledger, grants: syncs.count)
    }

    @Test(arguments: PeriodicWork.all.map(\.name))
    func four_hours_keep_to_what_is_granted(_ name: String) throws {
        let work = try #require(PeriodicWork.all.first { $0.name == name })
        let (ledger, grants) = try Self.run(work)
        #expect(ledger.total.packets > 0 && ledger.longestWake > .zero)
        #expect(work.holds(ledger, grants: grants), "\(ledger.longestWake), \(ledger.total)")
    }

    @Test func a_job_runs_in_its_window_and_backs_off() throws {
        let job = try #require(PeriodicWork.all.first { $0.job != nil })
        let (minute, hour) = (Duration.seconds(60), Duration.seconds(3600))
        var random = SeededGenerator(seed: 9)
        let usual = job.runs(in: hour * 100, &random)
        #expect(
            usual.count == 400 && Set(usual.map { Int($0 / minute) % 15 }).isSubset(of: 10...14))
        for (place, at) in usual.enumerated() {
            let end = minute * 15 * (place + 1)
            #expect(at <= end && at >= end - minute * 5)
        }
        // Three attempts, a minute and two minutes apart, if the window has room for them.
        let failing = job.runs(in: hour * 100, &random, fails: { _ in true })
        let attempts = Dictionary(grouping: failing) { Int(($0 - .nanoseconds(1)) / (minute * 15)) }
        #expect(attempts.count == 400 && attempts.values.allSatisfy { $0.count <= 3 })
        #expect(attempts.values.contains { $0.count == 3 })
        for at in attempts.values where at.count == 3 {
            #expect(at[1] - at[0] == minute && at[2] - at[1] == minute * 2)
        }
        // None while the battery is low.
        let low = job.runs(in: hour * 100, &random, isBatteryLow: { $0 > hour * 50 })
        #expect(low.allSatisfy { $0 <= hour * 50 } && (199...200).contains(low.count))
        // A fetch is at its moment, and the app asks for the others.
        let fetch = try #require(PeriodicWork.all.first { $0.name == "background fetch" })
        #expect(fetch.runs(in: hour, &random) == (1...4).map { minute * 15 * $0 })
        let push = try #require(PeriodicWork.all.first { $0.name == "silent push" })
        #expect(push.runs(in: hour, &random).isEmpty)
    }

    @Test func the_rows_of_a_real_sync_have_the_limits_of_its_grant() throws {
        let sync = try #require(PeriodicWork.all.first { $0.name == "background sync" })
        let limits = try #require(sync.limits)
        let rows = TargetTable.all
        #expect(rows.first { $0.id == "background.memory" }?.goal == limits.bytes)
        #expect(rows.first { $0.id == "background.cpu" }?.goal == limits.processorPercent)
        #expect(
            rows.first { $0.id == "background.time" }?.goal
                == Double(sync.longest.nanosecondsClamped))
    }

    @Test func work_that_takes_longer_or_more_energy_does_not_hold() throws {
        let fetch = try #require(PeriodicWork.all.first { $0.name == "background fetch" })
        var long = RadioLedger()
        for second in 0...31 as ClosedRange<UInt64> {
            let at = Instant(nanoseconds: second * 1_000_000_000)
            long.add(.context, bytes: 20, isSent: false, at: at)
        }
        #expect(long.longestWake > .seconds(30) && !fetch.holds(long, grants: 1))
        var hungry = RadioLedger()
        let bytes = 5_000_000
        for number in 0..<100 as Range<UInt64> {
            let at = Instant(nanoseconds: number * 100_000_000)
            hungry.add(.bulk, bytes: bytes, isSent: true, at: at)
        }
        #expect(hungry.longestWake <= .seconds(30) && !fetch.holds(hungry, grants: 1))
        #expect(fetch.holds(hungry, grants: 1000))
    }

    @Test func an_hour_in_the_foreground_takes_less_than_its_share() throws {
        let ble = try #require(LinkProfile.all.first { $0.name == "ble" })
        let run = BackgroundRun(ble.options(.reliableDatagram), gathers: false, seed: 3)
        let hours = Double(BackgroundRun.length / .seconds(3600))
        let energy =
            run.ledger.total.millijoules + run.ledger.maintenance(for: BackgroundRun.length)
        let percent = run.ledger.percent(of: energy) / hours
        #expect(percent < PeriodicWork.foregroundServicePercent)
        #expect(percent < PeriodicWork.foregroundPercent)
    }
}
