import Bench
import CommandLine
import ControlProtocol
import ReferenceDevice
import Reports
import WatchProtoCore
import WatchProtoRecords
import WatchProtoTransport

extension DemoRun {
    /// The face and the reminders move by themselves.
    func watchTheFace() throws(RigFailure) {
        try updateTwice()
        try lookWithoutLink()
        try silenceReminders()
    }

    /// Two updates of the complication, 30 ms apart, on a link that was quiet before. The second
    /// is measured.
    private func updateTwice() throws(RigFailure) {
        progress.step("updating the complication twice, 30 ms apart")
        let (phone, _) = try both()
        for number in 1...Self.pairCount {
            try supervisor.rest(.milliseconds(60))
            try update(phone, "first \(number)")
            try supervisor.rest(.milliseconds(30))
            let begin = MonotonicClock.nowNanoseconds
            try update(phone, "second \(number)")
            spans.seconds.append(begin..<MonotonicClock.nowNanoseconds)
            try drain("The second update", every: .milliseconds(2))
        }
    }

    private static let pairCount = 20

    private func update(_ phone: SimulatorProcess, _ text: String) throws(RigFailure) {
        try phone.call("complication.update", ["text": .string(text)], timeout: options.timeout)
    }

    /// Doses of the watch while the link is down: its face follows without the phone.
    private func lookWithoutLink() throws(RigFailure) {
        progress.step("recording doses on the watch without a link")
        let (phone, watch) = try both()
        for simulator in [phone, watch] {
            try simulator.call("link.close", ["abrupt": true], timeout: options.timeout)
        }
        _ = watch.takeEvents("complication.shown")
        var ages: [UInt64] = []
        // Those of today, as the face counts them. A dose that conflicts already changes nothing.
        let today = try watch.call("dose.today", ["limit": 1000], timeout: options.timeout)
        for row in today["doses"]?.array ?? [] where row["state"] == "open" {
            guard ages.count < Self.pairCount else { break }
            let dose: JSONObject = [
                "key": row["key"] ?? .null, "day": row["day"] ?? .null,
                "entry": row["entry"] ?? .null,
            ]
            try watch.call("dose.record", dose, timeout: options.timeout)
            try supervisor.rest(.milliseconds(70))
            let shown = watch.takeEvents("complication.shown").last { $0["source"] == "timeline" }
            if let age = shown?["age_ns"]?.unsigned { ages.append(age) }
        }
        found("face.age.alone", ages.max().map { Double($0) }, samples: UInt64(ages.count))
        try watch.call("link.open", timeout: options.timeout)
        try phone.call("link.open", timeout: options.timeout)
        try drain("The doses without a link")
    }

    /// Doses of each device, ten at most, until the reminder of the other one is silenced. They are
    /// snoozed before, so that they have a reminder at every hour of the day.
    private func silenceReminders() throws(RigFailure) {
        progress.step("silencing reminders on the other device")
        let (phone, watch) = try both()
        // The phone tells of its reminders only while it tells of single records.
        try phone.call("events", ["records": true], timeout: options.timeout)
        let end = WallMinute(SystemClock.wall.time).minutes + 60
        // The last medications of the list: the first ones have their doses by now.
        for medication in list.medications.suffix(3 * Self.pairCount) {
            let snooze: JSONObject = [
                "key": .string(medication.id.recordKey.hex), "action": "snoozed",
                "until_minute": .whole(end),
            ]
            try phone.call("dose.record", snooze, timeout: options.timeout)
        }
        try drain("The snoozes")
        // The phone has looked at the last of them by then.
        try supervisor.rest(.milliseconds(700))
        // A dose taken as needed is not planned, and its snooze has no reminder.
        let today = try watch.call("dose.today", ["limit": 1000], timeout: options.timeout)
        let snoozed = (today["doses"]?.array ?? []).filter { $0["phase"] == "snoozed" }
        let count = min(Self.pairCount, snoozed.count)
        var times: [UInt64] = []
        for (place, row) in snoozed.prefix(count).enumerated() {
            let (tapped, other) = place < count / 2 ? (phone, watch) : (watch, phone)
            times.append(try silence(row, recordedOn: tapped, of: other))
        }
        try phone.call("events", ["records": false], timeout: options.timeout)
        found("dose.silenced", times.max().map { Double($0) }, samples: UInt64(times.count))
    }

    /// The time from a dose on one device until the other one silences its reminder. One that is
    /// not silenced counts with the time that was waited, which is over the limit.
    private func silence(
        _ row: JSONValue, recordedOn tapped: SimulatorProcess, of other: SimulatorProcess
    ) throws(RigFailure) -> UInt64 {
        _ = other.takeEvents("reminder.silenced")
        let dose: JSONObject = [
            "key": row["key"] ?? .null, "day": row["day"] ?? .null, "entry": row["entry"] ?? .null,
        ]
        let begin = MonotonicClock.nowNanoseconds
        let deadline = deadline(.seconds(5))
        try tapped.call("dose.record", dose, timeout: options.timeout)
        while MonotonicClock.nowNanoseconds < deadline {
            try other.call("status", timeout: options.timeout)
            let told = other.takeEvents("reminder.silenced").first { event in
                ["key", "day", "entry"].allSatisfy { event[$0] == row[$0] }
            }
            if let time = told?["t_ns"]?.unsigned { return time - min(begin, time) }
            try supervisor.rest(.milliseconds(2))
        }
        return MonotonicClock.nowNanoseconds - begin
    }

    /// The work that a platform grants in the background: the link is opened, 120 changes pass, and
    /// it is closed again.
    func syncInBackground() throws(RigFailure) {
        progress.step("one sync in the background")
        let (phone, watch) = try both()
        try report(isForeground: false)
        for simulator in [phone, watch] {
            try simulator.call("link.close", timeout: options.timeout)
        }
        try phone.call("medication.change", ["index": 0, "count": .integer(Self.changed)])
        try watch.call("dose.record", ["index": 0, "count": .integer(Self.recorded)])
        let before = ProcessFigures(pid: watch.pid)
        let begin = MonotonicClock.nowNanoseconds
        try watch.call("link.open", timeout: options.timeout)
        try phone.call("link.open", timeout: options.timeout)
        try drain("The sync in the background", every: .milliseconds(20))
        try watch.call("link.close", timeout: options.timeout)
        let time = MonotonicClock.nowNanoseconds - begin
        let after = ProcessFigures(pid: watch.pid)
        try phone.call("link.close", timeout: options.timeout)
        try watch.call("link.open", timeout: options.timeout)
        try phone.call("link.open", timeout: options.timeout)
        try report(isForeground: true)
        let changes = UInt64(Self.changed + Self.recorded)
        found("background.time", Double(time), samples: changes)
        guard let before, let after, after.threadNanoseconds > before.threadNanoseconds else {
            return
        }
        found("background.memory", Double(after.peakBytes), "in this demo")
        let busy = after.threadNanoseconds - before.threadNanoseconds
        // A platform looks at longer times than such a task takes on a fast link.
        found(
            "background.cpu", 100 * Double(busy) / Double(max(time, 1_000_000_000)),
            "busy \(busy / 1_000_000) ms")
    }

    private static let changed: Int64 = 100
    private static let recorded: Int64 = 20

    func deadline(_ timeout: Duration) -> UInt64 {
        MonotonicClock.nowNanoseconds + UInt64(timeout.nanosecondsClamped)
    }
}
