import ControlProtocol
import NetworkEmulation
import Simulation
import WatchProtoCore

/// Goes through the members of a scenario's file.
struct ScenarioReader {
    let source: [UInt8]
    var plan = ScenarioPlan(name: "", title: "", why: "")
    var faults: [ScenarioFile.Refusal.Fault] = []
    /// The entries of `steps`, for faults that only show when all are read.
    var entries: [JSONNode] = []
    /// Whether all steps could be read; if not, further faults of them would be a consequence.
    var areStepsWhole = true

    private static let keys = [
        "format", "name", "title", "why", "seed", "records", "link", "steps", "settle", "expect",
    ]

    init(source: [UInt8]) { self.source = source }

    mutating func read(_ node: JSONNode) {
        guard let members = node.members else {
            return fault(node, "the file is \(node.kindName), must be an object")
        }
        for member in members where !Self.keys.contains(member.name) {
            unknown(member, in: "", among: Self.keys)
        }
        let missing = Self.needed.filter { node[$0] == nil }
        if !missing.isEmpty {
            let names = missing.map { "'\($0)'" }.joined(separator: ", ")
            fault(
                at: node.position, 1,
                "the file lacks \(names); a scenario has format (\(ScenarioFile.format)), name, "
                    + "title, why, steps and expect")
        }
        if let format = node["format"], format.string != ScenarioFile.format {
            fault(format, "format is \(shown(format)), must be \"\(ScenarioFile.format)\"")
        }
        plan.name = text(node, "name")
        plan.title = text(node, "title")
        plan.why = text(node, "why")
        if let seed = node["seed"] { readSeed(seed) }
        if let records = node["records"] { readRecords(records) }
        if let link = node["link"], let conditions = conditions(link, "link") {
            plan.link = conditions
        }
        if let settle = node["settle"] {
            let range = Duration.zero...Duration.seconds(600)
            plan.settle = duration(settle, "settle", in: range) ?? plan.settle
        }
        let before = faults.count
        if let steps = node["steps"] { readSteps(steps) }
        areStepsWhole = faults.count == before
        if let expect = node["expect"] { readExpectations(expect) }
        if areStepsWhole {
            checkCourse()
            checkTouched(node["expect"])
        }
    }

    private static let needed = ["format", "name", "title", "why", "steps", "expect"]

    private mutating func text(_ node: JSONNode, _ name: String) -> String {
        guard let value = node[name] else { return "" }
        guard let text = value.string, !text.isEmpty else {
            fault(value, "\(name) is \(shown(value)), must be a text")
            return ""
        }
        return text
    }

    private mutating func readSeed(_ node: JSONNode) {
        guard let seed = node.value.unsigned else {
            return fault(node, "seed is \(shown(node)), must be a whole number from 0")
        }
        plan.seed = seed
    }

    private mutating func readRecords(_ node: JSONNode) {
        guard let members = node.members else {
            return fault(
                node, "records is \(shown(node)), must be an object with 'medications'")
        }
        for member in members {
            switch member.name {
            case "medications":
                let range = 1...Int64(Medicines.most)
                plan.medications =
                    number(member.value, "records.medications", in: range) ?? 1
            case "on_watch":
                guard let isOn = member.value.bool else {
                    fault(
                        member.value,
                        "records.on_watch is \(shown(member.value)), must be true or false")
                    continue
                }
                plan.isOnWatch = isOn
            default: unknown(member, in: "records", among: ["medications", "on_watch"])
            }
        }
    }

    // MARK: Values

    /// A profile by its name, or what a file of network conditions holds.
    mutating func conditions(_ node: JSONNode, _ path: String) -> NetworkConditions? {
        if let name = node.string {
            if let profile = LinkProfile.named(name) { return NetworkConditions(profile) }
            let names = LinkProfile.all.map(\.name)
            let near = Spelling.nearest(to: name, among: names)
                .map { ", did you mean '\($0)'?" }
            fault(
                node,
                "\(path) is \(shown(node))"
                    + (near ?? ", must be an object, or one of \(names.joined(separator: ", "))"))
            return nil
        }
        guard node.members != nil else {
            fault(node, "\(path) is \(shown(node)), must be the name of a profile, or an object")
            return nil
        }
        let (conditions, found) = ConditionsFile.read(node, source: source)
        for one in found { fault(at: one.position, one.byteCount, "\(path): \(one.message)") }
        return found.isEmpty ? conditions : nil
    }

    /// A time with its unit.
    mutating func duration(
        _ node: JSONNode, _ path: String, in range: ClosedRange<Duration>
    ) -> Duration? {
        guard let text = node.string else {
            fault(
                node, "\(path) is \(shown(node)), must be a text with its unit, as \"500ms\"")
            return nil
        }
        do throws(QuantityError) {
            let time = try Duration(quantity: text)
            guard range.contains(time) else {
                fault(
                    node,
                    "\(path) is \(shown(node)), must be \(range.lowerBound.meaning) to "
                        + range.upperBound.meaning)
                return nil
            }
            return time
        } catch {
            fault(node, "\(path) is \(shown(node)): \(error)")
            return nil
        }
    }

    mutating func number(
        _ node: JSONNode, _ path: String, in range: ClosedRange<Int64>
    ) -> Int? {
        guard let number = node.integer, range.contains(number) else {
            fault(
                node,
                "\(path) is \(shown(node)), must be a whole number, \(range.lowerBound) to "
                    + "\(range.upperBound)")
            return nil
        }
        return Int(number)
    }

    mutating func device(_ node: JSONNode, _ path: String) -> Device? {
        guard let device = node.string.flatMap(Device.init) else {
            fault(node, "\(path) is \(shown(node)), must be \"phone\" or \"watch\"")
            return nil
        }
        return device
    }

    // MARK: Faults

    mutating func unknown(_ member: JSONNode.Member, in path: String, among names: [String]) {
        let near = Spelling.nearest(to: member.name, among: names)
            .map { ", did you mean '\($0)'?" }
        fault(
            at: member.namePosition, member.name.utf8.count + 2,
            (path.isEmpty ? "" : "\(path): ")
                + "unknown key '\(Excerpt.of(member.name))'"
                + (near ?? ", expected one of \(names.joined(separator: ", "))"))
    }

    mutating func fault(_ node: JSONNode, _ message: String) {
        fault(at: node.position, node.byteCount, message)
    }

    mutating func fault(at position: JSONPosition, _ byteCount: Int, _ message: String) {
        faults.append(.init(position: position, byteCount: byteCount, message: message))
    }

    func shown(_ node: JSONNode) -> String { Excerpt.of(JSONWriter.text(node.value)) }
}
