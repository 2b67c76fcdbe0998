import ControlKit
import RigKit
import WatchProto

/// Load, and what became of it.
extension CrashRun {
    /// Some bursts of load, then the end of one side or both, then a new start.
    func killRound() throws(RigFailure) {
        for _ in 0...random.uniform(in: 0...3) { try burst() }
        let choice = random.uniform(in: 0...9)
        // Both at once, at times, and at times one while the other still starts.
        let victims = choice == 0 ? [true, false] : choice < 5 ? [true] : [false]
        for isPhone in victims {
            try simulator(isPhone).kill()
            if isPhone { struck.phone += 1 } else { struck.watch += 1 }
            try settleReplies(of: isPhone, mayBeMissing: true)
        }
        for isPhone in victims.reversed() { try start(isPhone: isPhone) }
        for isPhone in [true, false] where !victims.contains(isPhone) {
            try settleReplies(of: isPhone, mayBeMissing: false)
        }
        try noteRepeats()
    }

    /// A few doses on the watch and a few changes on the phone, and a moment to get on with them.
    func burst() throws(RigFailure) {
        for isPhone in [false, true] { try ask(isPhone: isPhone) }
        try supervisor.rest(.microseconds(Int64(random.uniform(in: 0...6_000))))
    }

    /// Gives a side some of its load without waiting for the reply.
    func ask(isPhone: Bool) throws(RigFailure) {
        let count = random.uniform(in: isPhone ? 1...4 : 1...6)
        var fields: JSONObject = [
            "index": .whole(random.uniform(in: 0...100_000)), "count": .whole(count),
        ]
        var names: [String] = []
        if !isPhone {
            // Named here, so that also what nobody answered is known when it turns up.
            let first = UInt128(random.next()) << 64 | UInt128(random.next() >> 8)
            names = (0..<UInt128(count)).map { Self.hex(first + $0) }
            fields["dose"] = .string(names[0])
            doses.asked.formUnion(names)
        }
        let id = try simulator(isPhone).send(
            isPhone ? "medication.change" : "dose.record", fields)
        asked.append(Asked(isPhone: isPhone, id: id, doses: names, count: count))
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
    ///
    /// - Parameter isTroubled: whether its disk fails, so that it may refuse them for that.
    func settleReplies(
        of isPhone: Bool, mayBeMissing: Bool, isTroubled: Bool = false
    ) throws(RigFailure) {
        let simulator = try simulator(isPhone)
        for entry in asked where entry.isPhone == isPhone {
            let reply: JSONValue?
            if mayBeMissing {
                reply = simulator.replyIfAny(to: entry.id)
            } else {
                reply = try simulator.reply(
                    to: entry.id, command: "the load", timeout: Self.timeout)
            }
            try book(entry, reply, simulator.name, isTroubled)
        }
        asked.removeAll { $0.isPhone == isPhone }
    }

    private func book(
        _ command: Asked, _ reply: JSONValue?, _ name: String, _ isTroubled: Bool
    ) throws(RigFailure) {
        let code = reply?["ok"] == false ? reply?["error"]?["code"]?.string : nil
        let isRefusedForDisk = isTroubled && code == "journal_failed"
        if isRefusedForDisk { disk.refused += 1 }
        guard let reply, !isRefusedForDisk else {
            if command.isPhone { changes.uncertain += command.count }
            return
        }
        guard reply["ok"] == true else {
            // What it was told before would let it: it has lost that.
            let why = code ?? JSONWriter.text(reply)
            refusals[name, default: why] = why
            return
        }
        let records = reply["records"]?.array ?? []
        guard command.isPhone else {
            guard records.compactMap({ $0["dose"]?.string }) == command.doses else {
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
