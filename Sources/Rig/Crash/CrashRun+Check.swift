import ControlKit
import RigKit
import WatchProto

/// What both sides must hold at rest.
extension CrashRun {
    /// Compares the two stores with each other and with what was promised.
    ///
    /// - Returns: what is wrong.
    func compare() throws(RigFailure) -> [String] {
        let (phone, watch) = try both()
        var findings = refusals.map { "\($0.key) refused its load: \($0.value)" }.sorted()
        let own = try doses(of: watch)
        let theirs = try doses(of: phone)
        for (name, list) in [("WatchSim", own), ("PhoneSim", theirs)] {
            let twice = list.count - Set(list).count
            if twice > 0 { findings.append("\(name) holds \(twice) doses twice") }
        }
        if repeats > 0 { findings.append("PhoneSim was given \(repeats) doses twice") }
        let lost = Set(own).subtracting(theirs)
        if !lost.isEmpty { findings.append("\(lost.count) doses of WatchSim are not on PhoneSim") }
        // A dose may have left before the watch's own file held it; then nobody was told that it
        // counts, and only the phone knows it.
        let known = UInt64(Set(own).union(theirs).count)
        let range = doses.promised...(doses.promised + doses.uncertain)
        if UInt64(own.count) < doses.promised || !range.contains(known) {
            findings.append(
                "WatchSim holds \(own.count) doses and both together \(known); promised were "
                    + "\(doses.promised), and at most \(doses.uncertain) more")
        }
        findings += try compareLists(phone, watch)
        return findings
    }

    private func compareLists(
        _ phone: Simulator, _ watch: Simulator
    ) throws(RigFailure) -> [String] {
        var findings: [String] = []
        let here = try revisions(of: phone)
        let there = try revisions(of: watch)
        let forgotten = revisions.filter { (here[$0.key] ?? 0) < $0.value }
        if !forgotten.isEmpty {
            findings.append("\(forgotten.count) promised changes of PhoneSim are not in its list")
        }
        let behind = here.filter { there[$0.key] != $0.value }
        if !behind.isEmpty || here.count != there.count {
            findings.append(
                "\(behind.count) medications of PhoneSim have another revision on WatchSim "
                    + "(\(here.count) and \(there.count) in all)")
        }
        guard findings.isEmpty else { return findings }
        // What depends on the clock (the next dose, whether one is overdue) goes with a sync.
        try phone.call("sync", timeout: Self.timeout)
        try rest()
        let list = try phone.call("list", timeout: Self.timeout)
        let store = try watch.call("store", timeout: Self.timeout)
        if list["digest"] != store["digest"] {
            findings.append(
                "the lists differ after a sync: PhoneSim \(text(list["digest"])), WatchSim "
                    + text(store["digest"]))
        }
        return findings
    }

    private func revisions(of simulator: Simulator) throws(RigFailure) -> [String: UInt64] {
        var found: [String: UInt64] = [:]
        var after: JSONValue?
        while true {
            var fields: JSONObject = ["limit": 1000]
            if let after { fields["after"] = after }
            let page = try simulator.call("medication.list", fields, timeout: Self.timeout)
            for one in page["medications"]?.array ?? [] {
                if let key = one["key"]?.string { found[key] = one["revision"]?.unsigned ?? 0 }
            }
            guard let next = page["next"], next != .null else { return found }
            after = next
        }
    }

    private func text(_ value: JSONValue?) -> String { value.map { JSONWriter.text($0) } ?? "none" }

    /// The identities of all doses a side holds, page by page.
    private func doses(of simulator: Simulator) throws(RigFailure) -> [String] {
        var names: [String] = []
        var before: JSONValue?
        while true {
            var fields: JSONObject = ["limit": 1000]
            if let before { fields["before"] = before }
            let page = try simulator.call("dose.history", fields, timeout: Self.timeout)
            names += (page["doses"]?.array ?? []).compactMap { $0["dose"]?.string }
            guard let next = page["next"], next != .null else { return names }
            before = next
        }
    }
}
