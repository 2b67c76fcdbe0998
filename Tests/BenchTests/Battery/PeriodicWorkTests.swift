import Bench
import Simulation
import Testing
import WatchProtoCore

/// The work that platforms grant in the background.
@Suite struct PeriodicWorkTests {
    private static func run(_ work: PeriodicWork) throws -> (RadioLedger, grants: Int) {
        let ble = try #require(LinkProfile.all.first { $0.name == "ble" })
        let conditions = ble.options(.reliableDatagram)
        // An app asks for the others at each change. A daily task syncs once in the run.
        guard let interval = work.interval else {
            let run = BackgroundRun(conditions, gathers: false, seed: 3)
            return (run.ledger, grants: Int(run.ledger.total.wakeUps))
        }
        let every = min(interval, BackgroundRun.length)
        let run = BackgroundRun(conditions, gathers: true, every: every, seed: 3)
        #expect(run.isSettled)
        return (run.ledger, grants: Int(BackgroundRun.length / every))
    }

    @Test(arguments: PeriodicWork.all.map(\.name))
    func four_hours_keep_to_what_is_granted(_ name: String) throws {
        let work = try #require(PeriodicWork.all.first { $0.name == name })
        let (ledger, grants) = try Self.run(work)
        #expect(ledger.total.packets > 0 && ledger.longestWake > .zero)
        #expect(work.holds(ledger, grants: grants), "\(ledger.longestWake), \(ledger.total)")
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
