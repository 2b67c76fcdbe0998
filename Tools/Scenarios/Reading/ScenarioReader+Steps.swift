import ControlProtocol
import NetworkEmulation
import Simulation
import WatchProtoCore

/// The steps: actions, and their moments.
extension ScenarioReader {
    /// The words that say what a step does; each step has one of them.
    static let acts = [
        "change", "remove", "take", "skip", "face", "sync", "link", "kill", "restart", "freeze",
        "airplane",
        "back_up", "restore",
    ]
    /// A scenario is to be read and run by people: longer ones are loads, for 'rig bench'.
    static let longest = Duration.seconds(3600)
    static let mostSteps = 5_000

    mutating func readSteps(_ steps: JSONNode) {
        guard let entries = steps.array, !entries.isEmpty else {
            return fault(steps, "steps is \(shown(steps)), must be an array of steps")
        }
        self.entries = entries
        var last = Duration.zero
        for (index, entry) in entries.enumerated() {
            if let at = readStep(entry, index, after: last) { last = at }
        }
        // The repetitions of an entry may reach beyond the entries after it.
        plan.steps = plan.steps.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        if plan.steps.count > Self.mostSteps {
            fault(
                steps,
                "steps are \(plan.steps.count) with all their repetitions, must be "
                    + "\(Self.mostSteps) at most")
        }
    }

    private mutating func readStep(
        _ node: JSONNode, _ index: Int, after last: Duration
    ) -> Duration? {
        let path = "steps[\(index)]"
        guard let members = node.members else {
            fault(node, "\(path) is \(node.kindName), must be an object")
            return nil
        }
        let found = members.filter { Self.acts.contains($0.name) }
        for member in members where !found.contains(where: { $0.name == member.name }) {
            guard !["at", "for", "count", "every"].contains(member.name) else { continue }
            unknown(member, in: path, among: ["at", "for", "count", "every"] + Self.acts)
        }
        var at: Duration?
        if let moment = node["at"] {
            at = duration(moment, "\(path).at", in: .zero...Self.longest)
            if let time = at, time < last {
                fault(
                    moment,
                    "\(path).at is \(time.meaning), must not be before the step above it, at "
                        + last.meaning)
            }
        } else {
            fault(at: node.position, 1, "\(path): there is no 'at', must be a time, as \"2s\"")
        }
        guard let act = found.first, found.count == 1 else {
            // An unknown word was told already; it was meant to be the act.
            if !found.isEmpty || members.allSatisfy({ Self.known.contains($0.name) }) {
                let names = found.map { "'\($0.name)'" }.joined(separator: " and ")
                fault(
                    at: node.position, node.byteCount,
                    "\(path) does \(names.isEmpty ? "nothing" : names), must do one of "
                        + Self.acts.joined(separator: ", "))
            }
            return at
        }
        let length = self.length(node, act, path)
        let (count, every) = repetition(node, act, path)
        guard let at else { return nil }
        for turn in 0..<count {
            guard let what = self.act(act, path, length, turn: turn, of: count) else { break }
            plan.steps.append(ScenarioStep(at + every * turn, what, entry: index))
        }
        return at
    }

    private static let known = ["at", "for", "count", "every"] + acts

    private static let lasting = ["kill", "restart", "freeze", "airplane", "restore"]

    private mutating func length(
        _ node: JSONNode, _ act: JSONNode.Member, _ path: String
    ) -> Duration {
        let lasts = Self.lasting.contains(act.name)
        guard let length = node["for"] else {
            if lasts {
                fault(
                    at: node.position, 1,
                    "\(path): there is no 'for', must be a time: for how long the "
                        + "\(act.name) lasts")
            }
            return .zero
        }
        guard lasts else {
            fault(length, "\(path).for does not go with '\(act.name)', which lasts no time")
            return .zero
        }
        return duration(length, "\(path).for", in: .milliseconds(50)...Self.longest) ?? .zero
    }

    private mutating func repetition(
        _ node: JSONNode, _ act: JSONNode.Member, _ path: String
    ) -> (count: Int, every: Duration) {
        let repeats = ["change", "take", "skip"].contains(act.name)
        for name in ["count", "every"] {
            if let value = node[name], !repeats {
                fault(
                    value,
                    "\(path).\(name) does not go with '\(act.name)', only with 'change', "
                        + "'take' and 'skip'")
                return (1, .zero)
            }
        }
        let count = node["count"].map { number($0, "\(path).count", in: 1...1000) ?? 1 } ?? 1
        guard let every = node["every"] else { return (count, .zero) }
        guard count > 1 else {
            fault(every, "\(path).every needs a 'count' above 1")
            return (count, .zero)
        }
        return (count, duration(every, "\(path).every", in: .zero...Self.longest) ?? .zero)
    }

    /// The action that a member of a step names; `turn` counts its repetitions, which go through
    /// the list.
    private mutating func act(
        _ member: JSONNode.Member, _ step: String, _ length: Duration, turn: Int, of count: Int
    ) -> ScenarioStep.Act? {
        let path = "\(step).\(member.name)"
        let value = member.value
        switch member.name {
        case "change", "take", "skip", "remove":
            let range = 1...Int64(plan.medications)
            guard let whole = value.integer, range.contains(whole) else {
                let count = plan.medications
                fault(
                    value,
                    "\(path) is \(shown(value)), must be a whole number, 1 to \(count): the scenario "
                        + "has \(count) \(count == 1 ? "medication" : "medications"); 'records' sets "
                        + "how many")
                return nil
            }
            let first = Int(whole)
            let medication = (first - 1 + turn) % plan.medications + 1
            switch member.name {
            case "change": return .change(medication)
            case "take": return .take(medication)
            case "skip": return .skip(medication)
            default: return .remove(medication)
            }
        case "face": return face(value, path)
        case "sync":
            guard value.bool == true else {
                fault(value, "\(path) is \(shown(value)), must be true")
                return nil
            }
            return .sync
        case "link":
            if let word = value.string, ["down", "up"].contains(word) {
                return .linkDown(word == "down")
            }
            return conditions(value, path).map { .link($0) }
        default:
            guard let device = device(value, path) else { return nil }
            switch member.name {
            case "kill": return .kill(device, for: length)
            case "restart": return .restart(device, for: length)
            case "freeze": return .freeze(device, for: length)
            case "airplane": return .airplane(device, for: length)
            case "back_up": return .backUp(device)
            default: return .restore(device, for: length)
            }
        }
    }

    private mutating func face(_ value: JSONNode, _ path: String) -> ScenarioStep.Act? {
        guard let text = value.string, (1...20).contains(text.utf8.count) else {
            fault(value, "\(path) is \(shown(value)), must be a text of 1 to 20 bytes")
            return nil
        }
        let former = plan.steps.filter {
            if case .face = $0.act { true } else { false }
        }
        if let same = former.first(where: { $0.act == .face(text) }) {
            fault(
                value,
                "\(path) is \(shown(value)), which steps[\(same.entry)] says already, must be a "
                    + "new text: else nobody can tell which is shown")
            return nil
        }
        guard former.count < Int(Payloads.mostStates) else {
            fault(value, "\(path) is one face too many, must be \(Payloads.mostStates) at most")
            return nil
        }
        return .face(text)
    }
}
