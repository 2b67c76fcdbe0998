import ControlProtocol
import WatchProtoCore

/// Goes through the members of a file of thresholds.
struct ThresholdReader: BoundsReader {
    /// The names of what is measured; nil where any may be.
    let measured: [String]?
    var rows: [Thresholds.Row] = []
    var faults: [Thresholds.Refusal.Fault] = []

    private static let statistics: [(name: String, statistic: Target.Statistic)] =
        [Percentile.p50, .p90, .p95, .p99, .p999].map { ($0.name, .percentile($0)) }
        + [("max", .worst(ofAtLeast: 1))]

    init(measuring series: [String]?) {
        measured = series.map { $0 + [Thresholds.Row.delivery] }
    }

    mutating func read(_ node: JSONNode) {
        guard let members = node.members else {
            return fault(node, "the file is \(node.kindName), must be an object")
        }
        let missing = ["format", "targets"].filter { node[$0] == nil }
        if !missing.isEmpty {
            let names = missing.map { "'\($0)'" }.joined(separator: " and ")
            fault(
                at: node.position, 1,
                "the file lacks \(names); it has format (\"\(Thresholds.format)\"), and targets, "
                    + "an object of bounds")
        }
        for member in members {
            switch member.name {
            case "format":
                if member.value.string != Thresholds.format {
                    fault(
                        member.value,
                        "format is \(text(of: member.value)), must be \"\(Thresholds.format)\"")
                }
            case "targets":
                readTargets(member.value)
            default: unknown(member, among: ["format", "targets"])
            }
        }
    }

    private mutating func readTargets(_ node: JSONNode) {
        guard let members = node.members, !members.isEmpty else {
            return fault(node, "targets is \(text(of: node)), must be an object of bounds")
        }
        for member in members { readRow(member) }
    }

    private mutating func readRow(_ member: JSONNode.Member) {
        let isDelivery = member.name == Thresholds.Row.delivery
        let words = member.name.split(separator: " ")
        let found = Self.statistics.first { $0.name == words.last ?? "" }
        guard isDelivery || (found != nil && words.count > 1) else {
            let names = Self.statistics.map(\.name).joined(separator: ", ")
            return fault(
                atNameOf: member,
                "'\(Excerpt.of(member.name))' is no measure, must be 'delivery', or a kind and one of "
                    + "\(names), as in 'sync p99'")
        }
        checkName(member, words)
        guard let members = member.value.members else {
            return fault(
                member.value,
                "\(member.name) is \(text(of: member.value)), must be an object with 'target'")
        }
        var bounds: [String: Double] = [:]
        let before = faults.count
        for bound in members {
            guard bound.name == "target" || bound.name == "max" else {
                unknown(bound, among: ["target", "max"])
                continue
            }
            if let value = value(of: bound, isDelivery) { bounds[bound.name] = value }
        }
        guard faults.count == before else { return }
        guard let goal = bounds["target"] else {
            return fault(member.value, "\(member.name) has no 'target'")
        }
        if let limit = bounds["max"], isDelivery ? limit > goal : limit < goal {
            return fault(
                member.value,
                isDelivery
                    ? "the max of \(member.name) is above its target, must be what is still borne"
                    : "the max of \(member.name) is below its target")
        }
        let series = isDelivery ? Thresholds.Row.delivery : Self.kind(of: words)
        // The heading names a percentile by itself.
        let title = words.last == "max" ? member.name : series
        rows.append(
            Thresholds.Row(
                series: series,
                target: Target(
                    id: member.name.replacing(" ", with: "."),
                    title: isDelivery ? "delivered exactly once" : title, group: .watchLink,
                    device: .both, unit: isDelivery ? .percent : .nanoseconds,
                    sense: isDelivery ? .atLeast : .atMost, goal: goal, limit: bounds["max"],
                    statistic: found?.statistic ?? .total, asksForDurable: false, isBuilt: true)))
    }

    /// A measure has one name, so that none stands in a file twice; and one of what nobody measures
    /// would have no value in any run: better to say so before it.
    private mutating func checkName(_ member: JSONNode.Member, _ words: [Substring]) {
        let plain = words.joined(separator: " ")
        guard plain == member.name else {
            return fault(
                atNameOf: member,
                "'\(Excerpt.of(member.name))' is written '\(Excerpt.of(plain))', its words with one "
                    + "blank between them")
        }
        let kind = member.name == Thresholds.Row.delivery ? plain : Self.kind(of: words)
        guard let measured, !measured.contains(kind) else { return }
        let all = measured.dropLast().joined(separator: ", ") + " and \(Thresholds.Row.delivery)"
        fault(
            atNameOf: member,
            "this load does not measure '\(Excerpt.of(kind))'"
                + Self.hint(kind, measured, otherwise: "only \(all); --mix says what it sends"))
    }

    private static func kind(of words: [Substring]) -> String {
        words.dropLast().joined(separator: " ")
    }

    /// In the units of the target.
    private mutating func value(of bound: JSONNode.Member, _ isDelivery: Bool) -> Double? {
        guard let string = bound.value.string else {
            let example = isDelivery ? "100%" : "500ms"
            fault(
                bound.value,
                "\(bound.name) is \(text(of: bound.value)), must be a text with its unit, as "
                    + "\"\(example)\"")
            return nil
        }
        do throws(QuantityError) {
            return isDelivery
                ? Double(try Percentage(quantity: string).millionths) / 10_000
                : Double(try Duration(quantity: string).nanosecondsClamped)
        } catch {
            fault(bound.value, "\(bound.name) is \(text(of: bound.value)): \(error)")
            return nil
        }
    }
}
