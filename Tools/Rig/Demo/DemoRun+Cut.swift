import Bench
import CommandLine
import ControlProtocol

extension DemoRun {
    /// Cuts the link three times, changes things on both sides meanwhile, gives it back and waits
    /// until everything is through.
    func cutAndCatchUp() throws(RigFailure) {
        progress.step("cutting the link: 20 changes each way")
        try cut("sync.offline", medications: 20, doses: 20)
        progress.step("cutting the link: 100 changes to catch up with")
        try cut("sync.incremental", medications: 100, doses: 0)
        progress.step("cutting the link: 100 pending operations")
        let retriesBefore = try retries()
        try cut("stress.time", medications: 50, doses: 50)
        found("stress.retries", Double(try retries() - retriesBefore))
    }

    private func cut(_ id: String, medications: Int64, doses: Int64) throws(RigFailure) {
        let (phone, watch) = try both()
        try phone.call("link.close", ["abrupt": true], timeout: options.timeout)
        try watch.call("link.close", ["abrupt": true], timeout: options.timeout)
        let begin = MonotonicClock.nowNanoseconds
        if medications > 0 {
            try phone.call("medication.change", ["index": 0, "count": .integer(medications)])
        }
        if doses > 0 { try watch.call("dose.record", ["index": 0, "count": .integer(doses)]) }
        let end = MonotonicClock.nowNanoseconds
        for simulator in [phone, watch] { _ = simulator.takeEvents("synced") }
        // The clock starts when the first side is told, so the time to connect counts.
        let reopened = MonotonicClock.nowNanoseconds
        try watch.call("link.open", timeout: options.timeout)
        let opening = try phone.send("link.open")
        var reads: [Range<UInt64>] = []
        try readLocally(&reads)
        let opened = try phone.reply(to: opening, command: "link.open", timeout: options.timeout)
        guard opened["ok"] == true else {
            throw RigFailure(
                .software, "PhoneSim refused 'link.open': \(JSONWriter.text(opened))")
        }
        try drain("Catching up after a cut", every: .milliseconds(1)) { () throws(RigFailure) in
            try readLocally(&reads)
        }
        let told = [phone, watch].map { $0.takeEvents("synced").count }
        spans.cuts.append(
            Cut(
                name: id, changed: begin..<end, reopened: reopened,
                operationCount: UInt64(medications + doses), reads: reads,
                progressCount: told.reduce(0, +)))
    }

    /// Asks the watch for its store and its face, and notes when it was asked and had answered.
    private func readLocally(_ reads: inout [Range<UInt64>]) throws(RigFailure) {
        let (_, watch) = try both()
        for command in ["store", "face"] {
            let begin = MonotonicClock.nowNanoseconds
            try watch.call(command, timeout: options.timeout)
            reads.append(begin..<MonotonicClock.nowNanoseconds)
        }
    }

    /// How often either side sent something again, so far.
    private func retries() throws(RigFailure) -> UInt64 {
        let (phone, watch) = try both()
        var sum: UInt64 = 0
        for simulator in [phone, watch] {
            let status = try simulator.call("status", timeout: options.timeout)
            sum += status["counters"]?["frames_resent"]?.unsigned ?? 0
        }
        return sum
    }
}
