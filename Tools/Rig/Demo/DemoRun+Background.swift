import Bench
import CommandLine
import ControlProtocol
import WatchProtoCore

extension DemoRun {
    /// Updates of the complication for a watch in the background: urgent ones, each of which costs
    /// a push, and 1,000 in a second. Every other step has it in the foreground.
    func updateInBackground() throws(RigFailure) {
        let (phone, _) = try both()
        progress.step("updating the complication in the background")
        try report(isForeground: false)
        let before = try complications()
        let begin = MonotonicClock.nowNanoseconds
        for number in 1...Self.updateCount {
            // Pushes are half a second apart.
            try supervisor.rest(.milliseconds(520))
            try phone.call(
                "complication.update", ["text": .string("background \(number)")],
                timeout: options.timeout)
        }
        // Each by itself.
        spans.background = begin..<MonotonicClock.nowNanoseconds
        try drain("The updates in the background")
        let between = try complications()
        let burst = try burst()
        let after = try complications()
        found(
            "complication.burst", Double(after.reasons("pushed") - between.reasons("pushed")),
            samples: burst)
        let offered = after["offered"]?.unsigned ?? 0
        found("complication.offered", Double(offered), Self.others(in: after))
        for reason in Self.ownRows {
            found("complication.\(reason)", Double(after.reasons(reason)))
        }
        found("complication.free", Double(Self.free.reduce(0) { $0 + after.reasons($1) }))
        found("complication.left", (after["left"]?.unsigned).map { Double($0) })
        let spent = (before["left"]?.unsigned ?? 0) - (after["left"]?.unsigned ?? 0)
        notes.append(
            "complications in the background: \(spent) pushes for "
                + "\(UInt64(Self.updateCount) + burst) updates")
        try report(isForeground: true)
        try measureBattery()
    }

    private static let updateCount = 5

    /// Reasons that are rows, and those that are in the row of free updates.
    private static let ownRows = ["pushed", "merged"]
    private static let free = ["foreground", "riding", "unreachable"]

    /// The offered updates that no row counts, by reason; nil for none.
    static func others(in complications: JSONValue) -> String? {
        let reasons = complications["reasons"]?.object?.members ?? []
        let others = reasons.compactMap { reason -> String? in
            guard !(ownRows + free).contains(reason.name), let count = reason.value.unsigned,
                count > 0
            else { return nil }
            return "\(count) \(reason.name.replacing("_", with: " "))"
        }
        return others.isEmpty ? nil : "in no row below: " + others.joined(separator: ", ")
    }

    /// Sends 1,000 updates in a second.
    ///
    /// - Returns: how many were sent.
    private func burst() throws(RigFailure) -> UInt64 {
        let (phone, _) = try both()
        _ = phone.takeEvents("load.done")
        try phone.call(
            "load.start",
            [
                "mix": [["kind": "complication", "rate_per_s": 1020]],
                "duration_ms": 980, "seed": .whole(options.seed),
            ], timeout: options.timeout)
        let done = try phone.event("load.done", timeout: .seconds(2) + options.timeout)
        try wait("PhoneSim did not push the last update") { $0.reasons("waiting") == 0 }
        return done["sent"]?.unsigned ?? 0
    }

    /// Lets the watch tell where it is, and waits until the phone knows.
    func report(isForeground: Bool) throws(RigFailure) {
        let (_, watch) = try both()
        try watch.call("app.report", ["foreground": .bool(isForeground)])
        try wait("PhoneSim did not hear of the watch's face") {
            $0["foreground"]?.bool == isForeground
        }
    }

    /// Waits until the planner's counts are so.
    private func wait(
        _ trouble: String, until isSo: (JSONValue) -> Bool
    ) throws(RigFailure) {
        let deadline = deadline(options.timeout)
        while !isSo(try complications()) {
            guard MonotonicClock.nowNanoseconds < deadline else {
                throw RigFailure(.unreachable, "\(trouble) within \(options.timeout.meaning).")
            }
            try supervisor.rest(.milliseconds(5))
        }
    }

    private func complications() throws(RigFailure) -> JSONValue {
        let (phone, _) = try both()
        return try phone.call("status", timeout: options.timeout)["complications"] ?? .null
    }
}

extension JSONValue {
    /// The count of a reason in the planner's counts.
    fileprivate func reasons(_ name: String) -> UInt64 { self["reasons"]?[name]?.unsigned ?? 0 }
}
