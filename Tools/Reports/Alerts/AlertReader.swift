import CommandLine
import ControlProtocol
import WatchProtoCore

/// Goes through the members of a file of alerts.
struct AlertReader: BoundsReader {
    /// The names of the measured latencies.
    let series: [String]
    var rules: [Alerts.Rule] = []
    var faults: [Thresholds.Refusal.Fault] = []

    private static let percentiles: [Percentile] = [.p50, .p90, .p95, .p99, .p999]

    init(series: [String]) { self.series = series }

    mutating func read(_ node: JSONNode) {
        rules = Alerts.defaults.compactMap { name, bound in
            guard let known = kind(of: name) else { return nil }
            return (try? value(bound, of: known)).map { rule(name, known, $0) }
        }
        guard let members = node.members else {
            return fault(node, "the file is \(node.kindName), must be an object")
        }
        if node["format"] == nil {
            fault(at: node.position, 1, "the file lacks 'format' (\"\(Alerts.format)\")")
        }
        for member in members {
            switch member.name {
            case "format":
                if member.value.string != Alerts.format {
                    fault(
                        member.value,
                        "format is \(text(of: member.value)), must be \"\(Alerts.format)\"")
                }
            case "alerts":
                guard let alerts = member.value.members else {
                    fault(member.value, "alerts is \(text(of: member.value)), must be an object")
                    continue
                }
                for alert in alerts { readAlert(alert) }
            default: unknown(member, among: ["format", "alerts"])
            }
        }
    }

    /// The subject of an alert.
    private enum Kind {
        case latency(series: String, Percentile)
        case measure(Alerts.Measure)
    }

    /// The kind of the alert called `name`; nil where nothing is measured that is called so.
    private func kind(of name: String) -> Kind? {
        if let measure = Alerts.Measure(rawValue: name) { return .measure(measure) }
        for percentile in Self.percentiles where name.hasSuffix(" \(percentile.name)") {
            let own = String(name.dropLast(percentile.name.count + 1))
            return series.contains(own) ? .latency(series: own, percentile) : nil
        }
        return nil
    }

    private mutating func readAlert(_ member: JSONNode.Member) {
        guard let kind = kind(of: member.name) else {
            // One file serves loads of other kinds too.
            if Alerts.defaults.contains(where: { $0.name == member.name }) { return }
            let names =
                series.map { "\($0) p95" } + Alerts.Measure.allCases.map(\.rawValue)
            return fault(
                atNameOf: member,
                "this run does not measure '\(Excerpt.of(member.name))'"
                    + Self.hint(
                        member.name, names, otherwise: "only \(names.joined(separator: ", "))"))
        }
        rules.removeAll { $0.name == member.name }
        if member.value.isNull { return }
        let side = Self.side(of: kind)
        guard let members = member.value.members,
            let bound = members.first(where: { $0.name == side }),
            members.count == 1
        else {
            return fault(
                member.value,
                "\(member.name) is \(text(of: member.value)), must be an object with '\(side)' "
                    + "alone, or null")
        }
        guard let words = bound.value.string else {
            return fault(
                bound.value,
                "\(side) is \(text(of: bound.value)), must be a text with its unit, as "
                    + "\"\(Self.example(of: kind))\"")
        }
        do throws(QuantityError) {
            rules.append(rule(member.name, kind, try value(words, of: kind)))
        } catch {
            fault(bound.value, "\(side) is \(text(of: bound.value)): \(error)")
        }
    }

    /// On which side of its bound an alert is raised.
    private static func side(of kind: Kind) -> String {
        if case .measure(.crashFree) = kind { "below" } else { "above" }
    }

    private static func example(of kind: Kind) -> String {
        switch kind {
        case .latency: "500ms"
        case .measure(.launch): "3s"
        case .measure(.crashFree): "99.5%"
        case .measure(.wakeUps): "3000/s"
        }
    }

    /// A bound in the units of its target.
    private func value(_ words: String, of kind: Kind) throws(QuantityError) -> Double {
        switch kind {
        case .latency, .measure(.launch):
            Double(try Duration(quantity: words).nanosecondsClamped)
        case .measure(.crashFree): Double(try Percentage(quantity: words).millionths) / 10_000
        case .measure(.wakeUps): try Rate(quantity: words).perSecond
        }
    }

    private func rule(_ name: String, _ kind: Kind, _ bound: Double) -> Alerts.Rule {
        let id = "alert." + name.replacing(" ", with: ".")
        func target(
            _ title: String, _ unit: Target.Unit, _ sense: Target.Sense, on device: Target.Device,
            _ statistic: Target.Statistic = .total
        ) -> Target {
            .expectation(id, "alert: \(title)", unit, sense, on: device, goal: bound, statistic)
        }
        switch kind {
        case .latency(let series, let percentile):
            return Alerts.Rule(
                name: name, series: series,
                target: target(series, .nanoseconds, .atMost, on: .both, .percentile(percentile)))
        case .measure(.launch):
            return Alerts.Rule(
                name: name,
                target: target(
                    "launch, longest", .nanoseconds, .atMost, on: .both, .job(ofAtLeast: 1)))
        case .measure(.crashFree):
            return Alerts.Rule(
                name: name, target: target("crash-free", .percent, .atLeast, on: .both))
        case .measure(.wakeUps):
            return Alerts.Rule(
                name: name, target: target("wake-ups", .perSecond, .atMost, on: .watch))
        }
    }
}
