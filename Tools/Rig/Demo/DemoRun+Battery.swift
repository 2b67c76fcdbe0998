import Bench
import CommandLine
import ControlProtocol
import Reports
import Simulation
import WatchProtoCore

extension DemoRun {
    /// Four hours in the background over BLE, in virtual time: the energy of a sync every 15
    /// minutes by a stated model, and of the same changes sent one by one.
    func measureBattery() throws(RigFailure) {
        progress.step("computing four hours in the background")
        guard let profile = LinkProfile.all.first(where: { $0.name == "ble" }) else {
            throw RigFailure(.software, "There is no link profile 'ble'.")
        }
        let conditions = profile.options(.reliableDatagram)
        let begin = MonotonicClock.nowNanoseconds
        let gathered = BackgroundRun(conditions, gathers: true, seed: options.seed)
        let taken = Double(MonotonicClock.nowNanoseconds - begin) / 1e6
        let single = BackgroundRun(conditions, gathers: false, seed: options.seed)
        let syncs = Double(BackgroundRun.length / BackgroundRun.syncInterval)
        let ledger = gathered.ledger
        let perSync = ledger.percent(of: ledger.total.millijoules) / syncs
        found("battery.sync", perSync, "by a stated model of BLE")
        found("battery.wakeups", Double(ledger.total.wakeUps))
        found("battery.awake", Double(ledger.wakeTime.nanosecondsClamped))
        found("battery.packets", Double(ledger.total.packets))
        for (name, run) in [("gathered and planned", gathered), ("one by one", single)] {
            let total = run.ledger.total
            notes.append(
                "4 h in the background, changes \(name): \(total.wakeUps) wake-ups, "
                    + "\(Self.text(run.ledger.wakeTime)) awake, \(total.bytes) bytes, "
                    + "\(Decimals.fixed(total.millijoules, decimals: 0)) mJ")
        }
        notes.append(
            "the gathered 4 h were computed in \(Decimals.fixed(taken, decimals: 0)) ms; the radio "
                + "was awake for at most \(Self.text(ledger.longestWake)) at once")
        let idle = ledger.maintenance(for: BackgroundRun.length)
        notes.append(
            "an idle BLE connection in that time, an event every 2 s: "
                + "\(Decimals.fixed(idle, decimals: 0)) mJ")
        for (kind, share) in ledger.classes {
            notes.append(
                "of the gathered changes, \(kind.channel.map { "\($0)" } ?? "no record"), "
                    + "\(kind.cause.name): "
                    + "\(share.wakeUps) wake-ups, \(Self.text(share.wakeTime)) awake, "
                    + "\(share.packets) packets, \(share.bytes) bytes, "
                    + "\(Decimals.fixed(share.millijoules, decimals: 1)) mJ")
        }
    }

    private static func text(_ time: Duration) -> String {
        TimeText.rounded(UInt64(max(0, time.nanosecondsClamped)))
    }
}
