import Bench
import CommandLine
import ControlProtocol
import ReferenceDevice

extension DemoRun {
    /// Imports the first fifty medications and syncs them: the time until the watch shows the last,
    /// and the bytes that took. A second sync of the same list must find nothing to do. Then the
    /// rest of the list follows, untimed.
    func syncList() throws(RigFailure) {
        let (_, watch) = try both()
        let first = min(DemoList.firstCount, list.medications.count)
        progress.step("syncing \(first) medications")
        try importList(first: first)
        let bytesBefore = try wireBytes()
        let begin = MonotonicClock.nowNanoseconds
        try synchronize()
        try awaitStore(of: watch, count: UInt64(first))
        try drain("The sync of the list")
        let end = MonotonicClock.nowNanoseconds
        spans.list = begin..<end
        let bytes = try wireBytes() - bytesBefore
        found("wire.list", Double(bytes), samples: UInt64(first))
        found(
            "record.size", list.sizes.watchRecord.mean,
            samples: UInt64(list.sizes.watchRecord.count))
        notes.append(list.sizesNote)
        try synchronize()
        try drain("The second sync of the list")
        let again = try wireBytes() - bytesBefore - bytes
        notes.append(
            "list of \(first): \(bytes) bytes both ways; the same list again: \(again) bytes")
        guard list.medications.count > first else { return }
        progress.step("syncing all \(Counted.words(list.medications.count, "medication"))")
        try importList(first: list.medications.count)
        try synchronize()
        try awaitStore(of: watch, count: UInt64(list.medications.count))
        try drain("The sync of the whole list")
    }

    /// Makes the phone sync its list.
    ///
    /// - Throws: exit code 65 when it is more than can be synced at once.
    private func synchronize() throws(RigFailure) {
        let (phone, _) = try both()
        // The phone has nothing to tell of single records while they are measured.
        try phone.call("events", ["records": false], timeout: options.timeout)
        let reply = try phone.request("sync", timeout: options.timeout)
        guard reply["ok"] != true else { return }
        let error = reply["error"] ?? .null
        let reason: String
        switch error["code"] {
        case "queue_full":
            reason =
                "too long to sync at once: PhoneSim's queue was full with "
                + "\(error["records"]?.unsigned ?? 0) records"
        case "set_too_large":
            reason =
                "too large for a watch: its records take more than the "
                + "\(error["limit_bytes"]?.unsigned ?? 0) bytes that a watch must hold"
        case "too_large":
            reason =
                "not fit to sync: a record takes \(error["bytes"]?.unsigned ?? 0) bytes, at most "
                + "\(error["limit_bytes"]?.unsigned ?? 0) are allowed"
        default:
            throw RigFailure(.software, "PhoneSim refused 'sync': \(JSONWriter.text(error))")
        }
        throw RigFailure(
            .badInput, "The list of \(importedCount) is \(reason).",
            details: ["Try: a shorter list."])
    }

    /// One change at a time on a link that was quiet before.
    func pushOnIdleLink() throws(RigFailure) {
        progress.step("changing one medication on an idle link")
        let (phone, _) = try both()
        for index in 0..<5 as Range<Int64> {
            try supervisor.rest(.milliseconds(120))
            let begin = MonotonicClock.nowNanoseconds
            try phone.call("medication.change", ["index": .integer(index)])
            try drain("A single change")
            spans.pushes.append(begin..<MonotonicClock.nowNanoseconds)
        }
    }

    private func importList(first count: Int) throws(RigFailure) {
        let (phone, _) = try both()
        let path = "\(directoryPath)/list-\(count).json"
        do throws(SystemError) {
            try Files.write(list.text(first: count), to: path)
        } catch {
            throw RigFailure(.cannotWrite, "Cannot write the list for the phone: \(error).")
        }
        let reply = try phone.request("import", ["path": .string(path)])
        importedCount = reply["imported"]?.integer ?? 0
        guard reply["ok"] == true, importedCount > 0 else {
            throw RigFailure(
                .software, "PhoneSim refused a list that rig could read: \(JSONWriter.text(reply))")
        }
    }

    private func awaitStore(of watch: SimulatorProcess, count: UInt64) throws(RigFailure) {
        let deadline = deadline(options.timeout)
        while true {
            let store = try watch.call("store", timeout: options.timeout)
            let held = store["count"]?.unsigned ?? 0
            if held >= count { return }
            guard MonotonicClock.nowNanoseconds < deadline else {
                throw RigFailure(
                    .timedOut,
                    "WatchSim held \(held) of \(count) medications "
                        + "after \(options.timeout.meaning)."
                )
            }
            try supervisor.rest(.milliseconds(2))
        }
    }

    /// Bytes that both sides have put on the link so far, framing included.
    func wireBytes() throws(RigFailure) -> UInt64 {
        let (phone, watch) = try both()
        var sum: UInt64 = 0
        for simulator in [phone, watch] {
            let status = try simulator.call("status", timeout: options.timeout)
            guard let sent = status["counters"]?["bytes_written"]?.unsigned else {
                throw RigFailure(
                    .software,
                    "\(simulator.name) does not count its bytes: \(JSONWriter.text(status))")
            }
            sum += sent
        }
        return sum
    }
}
