import ControlKit
import RigKit
import WatchProto

/// Load, and the end in the middle of it.
extension KillRun {
    /// Some bursts of load, then the end of one side or both, then a new start.
    func round() throws(RigFailure) {
        let (phone, watch) = try both()
        for _ in 0...random.uniform(in: 0...3) {
            let doseCount = random.uniform(in: 1...6)
            let dose = try watch.send(
                "dose.record",
                ["index": .whole(random.uniform(in: 0...100_000)), "count": .whole(doseCount)])
            asked.append((false, Asked(id: dose, isDose: true, count: doseCount)))
            let changeCount = random.uniform(in: 1...4)
            let change = try phone.send(
                "medication.change",
                ["index": .whole(random.uniform(in: 0...100_000)), "count": .whole(changeCount)])
            asked.append((true, Asked(id: change, isDose: false, count: changeCount)))
            try supervisor.rest(.microseconds(Int64(random.uniform(in: 0...6_000))))
        }
        let choice = random.uniform(in: 0...9)
        // Both at once, at times, and at times one while the other still starts.
        let victims = choice == 0 ? [true, false] : choice < 5 ? [true] : [false]
        for isPhone in victims {
            try (isPhone ? phone : watch).kill()
            if isPhone { killed.phone += 1 } else { killed.watch += 1 }
            try settleReplies(of: isPhone, mayBeMissing: true)
        }
        for isPhone in victims.reversed() { try start(isPhone: isPhone) }
        for isPhone in [true, false] where !victims.contains(isPhone) {
            try settleReplies(of: isPhone, mayBeMissing: false)
        }
        try noteRepeats()
    }

    /// A dose that the phone's store had is one that the protocol gave it twice.
    func noteRepeats() throws(RigFailure) {
        let (phone, watch) = try both()
        repeats += phone.takeEvents().count {
            $0["event"] == "dose.arrived" && $0["new"] == false
        }
        _ = watch.takeEvents()
    }

    /// Books what was answered. A simulator that was killed leaves some commands without an answer.
    private func settleReplies(of isPhone: Bool, mayBeMissing: Bool) throws(RigFailure) {
        let (phone, watch) = try both()
        let simulator = isPhone ? phone : watch
        for entry in asked where entry.phone == isPhone {
            let reply: JSONValue?
            if mayBeMissing {
                reply = simulator.replyIfAny(to: entry.command.id)
            } else {
                reply = try simulator.reply(
                    to: entry.command.id, command: "the load", timeout: Self.timeout)
            }
            try book(entry.command, reply, simulator.name)
        }
        asked.removeAll { $0.phone == isPhone }
    }

    private func book(_ command: Asked, _ reply: JSONValue?, _ name: String) throws(RigFailure) {
        guard let reply else {
            if command.isDose {
                doses.uncertain += command.count
            } else {
                changes.uncertain += command.count
            }
            return
        }
        guard reply["ok"] == true else {
            // What it was told before would let it: it has lost that.
            let why = reply["error"]?["code"]?.string ?? JSONWriter.text(reply)
            refusals[name, default: why] = why
            return
        }
        guard !command.isDose else {
            doses.promised += command.count
            return
        }
        changes.promised += command.count
        for record in reply["records"]?.array ?? [] {
            guard let key = record["key"]?.string, let number = record["revision"]?.unsigned else {
                throw RigFailure(.software, "\(name) names no revision: \(JSONWriter.text(reply))")
            }
            revisions[key] = max(revisions[key] ?? 0, number)
        }
    }
}
