import ControlProtocol
import Testing

/// Reminders of two real devices: each is given once, and a dose silences that of the other device
/// (S-15).
@Suite(.serialized, .timeLimit(.minutes(2))) struct ReminderTests {
    private let bench = Bench()
    /// 2027-01-15T08:00Z.
    private static let eight: Int64 = 1_800_000_000_000

    private func set(_ programs: [Program], to seconds: Int64) throws {
        for program in programs {
            try program.call(
                "clock.set",
                ["at_ms": .integer(Self.eight + seconds * 1000), "zone_minutes": 0])
        }
    }

    @Test func both_devices_remind_and_a_dose_on_one_silences_the_other() throws {
        let pair = try Pair(bench)
        try set([pair.phone, pair.watch], to: -60)
        try pair.synchronize(bench.plannedList())
        try set([pair.phone, pair.watch], to: -1)
        for device in [pair.phone, pair.watch] {
            var given: Set<String> = []
            for _ in 0..<3 {
                let due = try device.wait("reminder.due")
                given.insert(due["key"]?.string ?? "")
            }
            #expect(given.count == 3)
        }
        for (index, tapped, other) in [
            (0, pair.phone, pair.watch), (1, pair.watch, pair.phone),
        ] {
            let dose = try tapped.call("dose.record", ["index": .whole(index)])
            #expect(dose["recorded"] == 1)
            let own = try tapped.wait("reminder.silenced")
            let silenced = try other.wait("reminder.silenced")
            #expect(silenced["key"] == own["key"] && silenced["minute"] == own["minute"])
        }
        // The third one is snoozed, and comes again on both devices, once.
        let end = Self.eight / 60_000 + 10 - 1_577_836_800 / 60
        try pair.watch.call(
            "dose.record", ["index": 2, "action": "snoozed", "until_minute": .integer(end)])
        try pair.phone.wait("reminder.silenced")
        try set([pair.phone, pair.watch], to: 600)
        for device in [pair.phone, pair.watch] {
            #expect(try device.wait("reminder.due")["minute"] == .integer(end))
        }
        // The clock is set back, and the minute comes again: no reminder does.
        try set([pair.phone, pair.watch], to: 500)
        try pair.watch.call("face")
        try set([pair.phone, pair.watch], to: 600)
        for device in [pair.phone, pair.watch] {
            let reply = try device.request("wait", ["event": "reminder.due", "timeout_ms": 700])
            #expect(reply["ok"] != true, "\(reply)")
        }
    }
}
