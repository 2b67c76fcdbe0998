import Bench
import CommandLine
import ControlProtocol
import WatchProtoCore

/// Checks the contents of both sides at rest.
extension CrashRun {
    /// Compares the two stores with each other, and both with what was promised and asked for, by
    /// identity: one that was kept unasked cannot stand for one that was lost.
    ///
    /// - Returns: what is wrong.
    func compare() throws(RigFailure) -> [String] {
        let (phone, watch) = try both()
        var findings = refusals.map { "\($0.key) refused its load: \($0.value)" }.sorted()
        let (here, there) = (try doses(of: watch), try doses(of: phone))
        doses.missing = doses.promised.subtracting(Set(here).intersection(there))
        for (simulator, list) in [(watch, here), (phone, there)] {
            let held = Set(list)
            func find(_ some: Set<String>, _ text: String) {
                guard let one = some.min() else { return }
                findings.append("\(some.count) \(text) \(simulator.name), dose \(one) for one")
            }
            find(doses.promised.subtracting(held), "promised doses are not on")
            find(held.subtracting(doses.asked), "doses that nobody asked for are on")
            let twice = Dictionary(grouping: list) { $0 }.filter { $0.value.count > 1 }
            find(Set(twice.keys), "doses are more than once on")
        }
        if !repeats.isEmpty {
            findings.append("PhoneSim was given \(repeats.count) doses twice")
        }
        if let one = older.min() {
            findings.append(
                "WatchSim was given \(older.count) medications in an older revision after a newer "
                    + "one, medication \(one) for one")
        }
        let apart = Set(here).symmetricDifference(there)
        if let one = apart.min() {
            findings.append(
                "\(apart.count) doses are on one side only, dose \(one) for one "
                    + "(WatchSim holds \(here.count), PhoneSim \(there.count))")
        }
        findings += try compareLists(phone, watch)
        return findings
    }

    private func compareLists(
        _ phone: SimulatorProcess, _ watch: SimulatorProcess
    ) throws(RigFailure) -> [String] {
        var findings: [String] = []
        let here = try medications(of: phone)
        let there = try medications(of: watch)
        let forgotten = revisions.filter { (here[$0.key]?.revision ?? 0) < $0.value }
        if let one = forgotten.keys.min() {
            findings.append(
                "\(forgotten.count) promised changes are not on PhoneSim, medication \(one) for "
                    + "one")
        }
        // No change of the load is of what a medication is called or how strong it is.
        for (simulator, held, known) in [(phone, here, texts.phone), (watch, there, texts.watch)] {
            let keys = Set(held.keys).union(known.keys)
            let others = keys.filter { held[$0]?.text != known[$0] }
            guard let one = others.min() else { continue }
            findings.append(
                "\(others.count) medications of \(simulator.name) are not what was imported, "
                    + "medication \(one) for one")
        }
        let behind = here.filter { there[$0.key]?.revision != $0.value.revision }
        if !behind.isEmpty || here.count != there.count {
            findings.append(
                "\(behind.count) medications of PhoneSim have another revision on WatchSim "
                    + "(\(here.count) and \(there.count) in all)")
        }
        guard findings.isEmpty else { return findings }
        // A sync brings the values that depend on the clock (the next dose, whether one is
        // overdue).
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

    /// Notes what both sides call the medications, before anything happens to them.
    func noteTexts() throws(RigFailure) {
        let (phone, watch) = try both()
        let (here, there) = (try medications(of: phone), try medications(of: watch))
        texts = (here.mapValues(\.text), there.mapValues(\.text))
    }

    /// The medications of a side in its own words, by key.
    private func medications(
        of simulator: SimulatorProcess
    ) throws(RigFailure) -> [String: (revision: UInt64, text: String)] {
        var found: [String: (revision: UInt64, text: String)] = [:]
        var after: JSONValue?
        while true {
            var fields: JSONObject = ["limit": 1000]
            if let after { fields["after"] = after }
            let page = try simulator.call("medication.list", fields, timeout: Self.timeout)
            for one in page["medications"]?.array ?? [] {
                guard let key = one["key"]?.string else { continue }
                found[key] = (
                    one["revision"]?.unsigned ?? 0,
                    ["name", "strength", "dosage"].map { text(one[$0]) }.joined(separator: " ")
                )
            }
            guard let next = page["next"], next != .null else { return found }
            after = next
        }
    }

    private func text(_ value: JSONValue?) -> String { value.map { JSONWriter.text($0) } ?? "none" }

    /// The identities of all doses a side holds, page by page.
    private func doses(of simulator: SimulatorProcess) throws(RigFailure) -> [String] {
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
