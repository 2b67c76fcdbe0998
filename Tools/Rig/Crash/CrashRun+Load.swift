import Bench
import CommandLine
import ControlProtocol
import WatchProtoCore

/// Load, and what became of it.
extension CrashRun {
    /// Some bursts of load, then the end of one side or both while they are at work, then a new
    /// start, which may be ended as well.
    func killRound() throws(RigFailure) {
        for _ in 0...random.uniform(in: 0...3) { try burst() }
        let choice = random.uniform(in: 0...9)
        // Both at once, at times, and at times one while the other still starts.
        let victims = choice == 0 ? [true, false] : choice < 5 ? [true] : [false]
        try askBoth()
        try pause(atMostMicroseconds: 3000)
        for isPhone in victims {
            try simulator(isPhone).kill()
            strike(isPhone)
            noteRepeats(of: try simulator(isPhone))
            if try settleReplies(of: isPhone, mayBeMissing: true) > 0 { met.work += 1 }
        }
        // A side that starts again finds something to do.
        let others = [true, false].filter { !victims.contains($0) }
        for isPhone in others { try ask(isPhone: isPhone) }
        for isPhone in victims.reversed() {
            try endStarts(of: isPhone)
            try start(isPhone: isPhone)
        }
        for isPhone in others { try settleReplies(of: isPhone, mayBeMissing: false) }
        try noteRepeats()
    }

    /// Starts a side and ends it at a random moment of its start or soon after, at times again and
    /// again.
    private func endStarts(of isPhone: Bool) throws(RigFailure) {
        while random.uniform(in: 0...2) == 0 {
            let simulator = try launch(isPhone: isPhone)
            // In a release build a start is over after some milliseconds, in a debug build it may
            // take all of them.
            let longest: [UInt64] = [5_000, 15_000, 60_000]
            try pause(atMostMicroseconds: longest[Int(random.uniform(in: 0...2))])
            try simulator.kill()
            strike(isPhone)
            noteRepeats(of: simulator)
            if simulator.ready == nil { met.start += 1 }
        }
    }

    private func strike(_ isPhone: Bool) {
        if isPhone { struck.phone += 1 } else { struck.watch += 1 }
    }

    /// Lets a random time pass. `poll` counts in milliseconds: the rest of one is waited out awake.
    private func pause(atMostMicroseconds longest: UInt64) throws(RigFailure) {
        let time = random.uniform(in: 0...longest) * 1000
        let end = MonotonicClock.nowNanoseconds + time
        let whole = time / 1_000_000
        if whole > 1 { try supervisor.rest(.milliseconds(Int64(whole - 1))) }
        while MonotonicClock.nowNanoseconds < end {}
    }

    /// Some doses on both sides and some changes on the phone, and a moment to get on with them.
    func burst() throws(RigFailure) {
        try askBoth()
        try supervisor.rest(.microseconds(Int64(random.uniform(in: 0...6_000))))
    }

    /// Gives both sides several commands, which wait behind one another.
    private func askBoth() throws(RigFailure) {
        for _ in 0...random.uniform(in: 1...3) {
            for isPhone in [false, true] { try ask(isPhone: isPhone) }
        }
    }

    /// Gives a side some of its load without waiting for the reply.
    func ask(isPhone: Bool) throws(RigFailure) {
        let isChange = isPhone && random.uniform(in: 0...2) > 0
        let count = random.uniform(in: isPhone ? 1...4 : 1...6)
        var fields: JSONObject = [
            "index": .whole(random.uniform(in: 0...100_000)), "count": .whole(count),
        ]
        var names: [String] = []
        if !isChange {
            // Named here, so that also what nobody answered is known when it turns up.
            let first = UInt128(random.next()) << 64 | UInt128(random.next() >> 8)
            names = (0..<UInt128(count)).map { Self.hex(first + $0) }
            fields["dose"] = .string(names[0])
            doses.asked.formUnion(names)
        }
        let id = try simulator(isPhone).send(
            isChange ? "medication.change" : "dose.record", fields)
        asked.append(Asked(isPhone: isPhone, id: id, doses: names, count: count))
    }

    /// A dose that the phone's store had is one that the protocol gave it twice. Of a medication
    /// the same revision may come twice: a change by a dose taken is no edit. But while a process
    /// of the watch runs, none comes that is older than one it was given; a change leaves the phone
    /// only when the phone's file holds it, so that no end of the phone takes one back.
    func noteRepeats() throws(RigFailure) {
        let (phone, watch) = try both()
        for simulator in [phone, watch] {
            noteRepeats(of: simulator)
            _ = simulator.takeEvents()
        }
    }

    /// The same of one that has ended: the events that it had written by then were read to their
    /// end, and go with it when its successor starts.
    func noteRepeats(of simulator: SimulatorProcess) {
        for event in simulator.takeEvents("dose.arrived") where event["new"] == false {
            repeats.insert(event["dose"]?.string ?? "")
        }
        for event in simulator.takeEvents("medication.visible") {
            guard let key = event["key"]?.string, let revision = event["revision"]?.unsigned else {
                continue
            }
            if revision < given[key] ?? 0 { older.insert(key) }
            given[key] = max(given[key] ?? 0, revision)
        }
    }

    /// Books what was answered. A simulator that was killed leaves some commands without an answer.
    ///
    /// - Parameter isTroubled: whether its disk fails, so that it may refuse them for that.
    /// - Returns: how many have no answer.
    @discardableResult
    func settleReplies(
        of isPhone: Bool, mayBeMissing: Bool, isTroubled: Bool = false
    ) throws(RigFailure) -> Int {
        var unanswered = 0
        let simulator = try simulator(isPhone)
        for entry in asked where entry.isPhone == isPhone {
            let reply: JSONValue?
            if mayBeMissing {
                reply = simulator.replyIfAny(to: entry.id)
            } else {
                reply = try simulator.reply(
                    to: entry.id, command: "the load", timeout: Self.timeout)
            }
            if reply == nil { unanswered += 1 }
            try book(entry, reply, simulator.name, isTroubled)
        }
        asked.removeAll { $0.isPhone == isPhone }
        return unanswered
    }

    private func book(
        _ command: Asked, _ reply: JSONValue?, _ name: String, _ isTroubled: Bool
    ) throws(RigFailure) {
        let code = reply?["ok"] == false ? reply?["error"]?["code"]?.string : nil
        let isRefusedForDisk = isTroubled && code == "journal_failed"
        if isRefusedForDisk { disk.refused += 1 }
        guard let reply, !isRefusedForDisk else {
            if command.doses.isEmpty { changes.uncertain += command.count }
            return
        }
        guard reply["ok"] == true else {
            // The state that it acknowledged before would allow the command: it has lost that
            // state.
            let why = code ?? JSONWriter.text(reply)
            refusals[name, default: why] = why
            return
        }
        let records = reply["records"]?.array ?? []
        guard command.doses.isEmpty else {
            let named = (reply["doses"]?.array ?? []).compactMap(\.string)
            guard named == command.doses else {
                throw RigFailure(
                    .software, "\(name) names other doses than asked: \(JSONWriter.text(reply))")
            }
            doses.promised.formUnion(command.doses)
            return
        }
        changes.promised += command.count
        for record in records {
            guard let key = record["key"]?.string, let number = record["revision"]?.unsigned else {
                throw RigFailure(.software, "\(name) names no revision: \(JSONWriter.text(reply))")
            }
            revisions[key] = max(revisions[key] ?? 0, number)
        }
    }
}
