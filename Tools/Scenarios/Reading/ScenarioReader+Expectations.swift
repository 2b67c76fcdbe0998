import ControlProtocol
import Reports
import WatchProtoCore

/// The expected results.
extension ScenarioReader {
    /// The words that say what is expected; each expectation has one of them.
    static let kinds = [
        "taps", "lists", "under_way", "errors", "changes_within", "taps_within", "faces_within",
        "face_age", "face", "reachable", "told",
    ]
    private static let percentiles = [Percentile.p50, .p90, .p95, .p99]

    /// The further members that an expectation of a kind must or may have.
    private static func further(_ kind: String) -> (must: [String], may: [String]) {
        switch kind {
        case "changes_within", "taps_within", "faces_within": ([], ["of", "counted_from"])
        case "face_age": (["at"], [])
        case "face": ([], ["at"])
        case "reachable": (["on", "at"], [])
        case "told": (["on"], [])
        default: ([], [])
        }
    }

    mutating func readExpectations(_ expect: JSONNode) {
        guard let entries = expect.array, !entries.isEmpty else {
            return fault(
                expect, "expect is \(shown(expect)), must be an array of expectations")
        }
        for (index, entry) in entries.enumerated() {
            if let what = readExpectation(entry, "expect[\(index)]") {
                plan.expectations.append(Expectation(what, entry: index))
            }
        }
    }

    private mutating func readExpectation(
        _ node: JSONNode, _ path: String
    ) -> Expectation.What? {
        guard let members = node.members else {
            fault(node, "\(path) is \(node.kindName), must be an object")
            return nil
        }
        let found = members.filter { Self.kinds.contains($0.name) }
        guard let kind = found.first, found.count == 1 else {
            if let other = members.first, found.isEmpty {
                unknown(other, in: path, among: Self.kinds)
            } else {
                let names = found.map { "'\($0.name)'" }.joined(separator: " and ")
                fault(
                    node,
                    "\(path) expects \(names.isEmpty ? "nothing" : names), must expect one of "
                        + Self.kinds.joined(separator: ", "))
            }
            return nil
        }
        let (must, may) = Self.further(kind.name)
        for member in members where member.name != kind.name {
            if !(must + may).contains(member.name) {
                unknown(member, in: path, among: [kind.name] + must + may)
            }
        }
        for name in must where node[name] == nil {
            fault(at: node.position, 1, "\(path): there is no '\(name)', '\(kind.name)' needs it")
            return nil
        }
        return what(kind, node, path)
    }

    private mutating func what(
        _ kind: JSONNode.Member, _ node: JSONNode, _ entry: String
    ) -> Expectation.What? {
        let path = "\(entry).\(kind.name)"
        let value = kind.value
        switch kind.name {
        case "taps": return word(value, path, "once", .tapsOnce)
        case "lists": return word(value, path, "equal", .listsEqual)
        case "under_way": return word(value, path, "nothing", .nothingUnderWay)
        case "errors": return word(value, path, "none", .noErrors)
        case "changes_within": return within(.changes, value, node, entry, path)
        case "taps_within": return within(.taps, value, node, entry, path)
        case "faces_within": return within(.faces, value, node, entry, path)
        case "face_age":
            guard let age = duration(value, path, in: .zero...Self.longest),
                let at = moment(node, entry)
            else { return nil }
            return .faceAge(age, at: at)
        case "face":
            guard let text = value.string else {
                fault(value, "\(path) is \(shown(value)), must be a text")
                return nil
            }
            guard !areStepsWhole || plan.steps.contains(where: { $0.act == .face(text) })
            else {
                fault(value, "\(path) is \(shown(value)), which no step gives the face")
                return nil
            }
            return .face(text, at: node["at"] == nil ? nil : moment(node, entry))
        case "reachable":
            guard let isReachable = value.bool else {
                fault(value, "\(path) is \(shown(value)), must be true or false")
                return nil
            }
            guard let device = node["on"].flatMap({ device($0, "\(entry).on") }),
                let at = moment(node, entry)
            else { return nil }
            return .reachable(isReachable, on: device, at: at)
        default:
            let words = Expectation.changes
            guard let text = value.string, words.contains(text) else {
                let near = value.string.flatMap { Spelling.nearest(to: $0, among: words) }
                fault(
                    value,
                    "\(path) is \(shown(value))"
                        + (near.map { ", did you mean '\($0)'?" }
                            ?? ", must be one of \(words.joined(separator: ", "))"))
                return nil
            }
            return node["on"].flatMap { device($0, "\(entry).on") }.map { .told(text, on: $0) }
        }
    }

    private mutating func moment(_ node: JSONNode, _ entry: String) -> Duration? {
        node["at"].flatMap { duration($0, "\(entry).at", in: .zero...Self.longest) }
    }

    private mutating func word(
        _ value: JSONNode, _ path: String, _ word: String, _ meant: Expectation.What
    ) -> Expectation.What? {
        guard value.string == word else {
            fault(value, "\(path) is \(shown(value)), must be \"\(word)\"")
            return nil
        }
        return meant
    }

    private mutating func within(
        _ subject: Expectation.Subject, _ value: JSONNode, _ node: JSONNode, _ entry: String,
        _ path: String
    ) -> Expectation.What? {
        let bound = duration(value, path, in: .milliseconds(1)...Self.longest)
        var measure = Expectation.Measure()
        let count = plan.count(of: subject)
        guard count > 0 || !areStepsWhole else {
            fault(value, "\(path) speaks of \(subject.rawValue), and no step makes any")
            return nil
        }
        if let of = node["of"] {
            guard let word = of.string, let percentile = Self.percentile(word) else {
                let names = Self.percentiles.map { "\"\($0.name)\"" }.joined(separator: ", ")
                fault(of, "\(entry).of is \(shown(of)), must be \"max\" or one of \(names)")
                return nil
            }
            measure.percentile = percentile
            if let percentile, areStepsWhole, count < Int(percentile.samplesNeeded) {
                fault(
                    of,
                    "\(entry).of is \(word), which needs \(percentile.samplesNeeded) "
                        + "\(subject.rawValue), and the steps make \(count); \"max\" needs one")
                return nil
            }
        }
        if let from = node["counted_from"] {
            guard let word = from.string, ["act", "clear"].contains(word) else {
                fault(
                    from,
                    "\(entry).counted_from is \(shown(from)), must be \"act\" or \"clear\"")
                return nil
            }
            measure.fromClear = word == "clear"
        }
        return bound.map { .within(subject, $0, measure) }
    }

    /// Nil for a word that is none; a nil percentile for the longest time.
    private static func percentile(_ word: String) -> Percentile?? {
        if word == "max" { return .some(nil) }
        return percentiles.first { $0.name == word }.map { .some($0) }
    }
}

extension ScenarioPlan {
    /// How many of these the steps make.
    package func count(of subject: Expectation.Subject) -> Int {
        steps.filter { step in
            switch (subject, step.act) {
            case (.changes, .change), (.changes, .remove), (.taps, .take), (.taps, .skip),
                (.faces, .face):
                true
            default: false
            }
        }.count
    }

    /// Whether a step is a tap on the watch.
    func isTap(_ step: ScenarioStep) -> Bool {
        switch step.act {
        case .take, .skip: true
        default: false
        }
    }
}
