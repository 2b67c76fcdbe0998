import Bench
import CommandLine
import ControlProtocol
import WatchProtoCore

/// The observations of the processes.
extension ProcessStage {
    func note(_ what: Observation.What, at moment: Duration) {
        observations.append(Observation(moment, what))
    }

    /// Writes down what both have said so far.
    func hear() {
        for device in Device.allCases {
            guard let simulator = running[device] else { continue }
            for event in simulator.takeEvents() { hear(event, device) }
        }
        for (index, one) in unanswered.enumerated().reversed() {
            guard let reply = running[one.device]?.replyIfAny(to: one.id) else { continue }
            unanswered.remove(at: index)
            refused(reply, one.device, one.command)
        }
    }

    private func hear(_ event: JSONValue, _ device: Device) {
        guard let name = event["event"]?.string, let moment = event["t_ns"]?.integer,
            let what = observation(name, event, device)
        else { return }
        note(what, at: .nanoseconds(moment - Int64(origin)))
    }

    private func observation(
        _ name: String, _ event: JSONValue, _ device: Device
    ) -> Observation.What? {
        switch name {
        case "dose.arrived": return event["dose"]?.string.map { .counted($0) }
        case "medication.visible":
            guard let number = event["key"]?.string.flatMap({ numbers[$0] }) else { return nil }
            let isGone = event["removed"] == true
            return .visible(number, revision: isGone ? nil : event["revision"]?.unsigned)
        // A scenario has no step for a face that the watch changes by itself.
        case "complication.shown" where event["source"] == "phone":
            return event["text"]?.string.map { .faceShown($0) }
        case "reachability": return .reachable(device, event["reachable"] == true)
        case "counterpart": return event["change"]?.string.map { .told(device, $0) }
        case "error":
            return .trouble(device, event["error"]?["code"]?.string ?? "an error")
        case "record.settled" where event["outcome"] == "rejected":
            return .trouble(device, name)
        case "record.unreadable", "link.refused", "missed": return .trouble(device, name)
        case "link.closed":
            let reason = event["reason"]?.string ?? ""
            guard !Self.harmless.contains(reason) else { return nil }
            return .trouble(device, "the link closed: \(reason)")
        default: return nil
        }
    }

    /// Why links close in the best of lives.
    private static let harmless = [
        "local_request", "counterpart", "stalled", "carrier", "cut_short",
        "handshake_timed_out",
    ]

    /// Waits until everything has arrived, but no longer than `patience`.
    func settle(within patience: Duration) throws(RigFailure) {
        let limit = MonotonicClock.nowNanoseconds + UInt64(max(0, patience.nanosecondsClamped))
        while try !isSettled(), MonotonicClock.nowNanoseconds < limit {
            try supervisor.rest(.milliseconds(20))
            hear()
        }
        hear()
    }

    /// Whether neither has anything under way, and both hold the same.
    func isSettled() throws(RigFailure) -> Bool {
        let standing = try ending(withDoses: false)
        return standing.underWay.values.allSatisfy { $0 == 0 }
            && standing.phoneList == standing.watchList
    }

    /// How many doses are asked for at once.
    private static let page = 1000

    /// How things stand.
    func ending(withDoses: Bool = true) throws(RigFailure) -> ScenarioEnding {
        var ending = ScenarioEnding()
        let (phone, watch) = (try simulator(.phone), try simulator(.watch))
        for (device, simulator) in [(Device.phone, phone), (.watch, watch)] {
            let count = try simulator.call("status")["outstanding"]?.unsigned ?? 0
            ending.underWay[device] = Int(count)
        }
        ending.phoneList = Self.list(try phone.call("list"))
        ending.watchList = Self.list(try watch.call("store"))
        ending.at = .nanoseconds(Int64(MonotonicClock.nowNanoseconds) - Int64(origin))
        guard withDoses else { return ending }
        var before: JSONValue?
        repeat {
            var fields: JSONObject = ["limit": .whole(Self.page)]
            if let place = before { fields["before"] = place }
            let page = try phone.call("dose.history", fields)
            for dose in page["doses"]?.array ?? [] {
                if let id = dose["dose"]?.string { ending.counted[id, default: 0] += 1 }
            }
            let isFull = page["doses"]?.array?.count == Self.page
            before = isFull ? page["next"] : nil
        } while before?.unsigned != nil
        return ending
    }

    private static func list(_ reply: JSONValue) -> ScenarioEnding.List {
        ScenarioEnding.List(
            count: Int(reply["count"]?.unsigned ?? 0), digest: reply["digest"]?.string ?? "")
    }
}
