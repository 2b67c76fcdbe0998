package import CommandLine
import ControlProtocol
import Simulation

/// Changes to network conditions as they stand on a command line: `rtt=60ms,loss=2%`.
package struct ConditionSettings: Hashable, Sendable {
    /// The settings and their values, in the order of the text.
    package private(set) var settings: [(key: ConditionKey, text: String)]

    /// Reads `text`.
    ///
    /// - Throws: every fault of it, in one clause; whoever typed it is at fault.
    package init(_ text: String) throws(ArgumentFault) {
        var faults: [String] = []
        settings = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].trimmed
            guard let key = ConditionKey(rawValue: name) else {
                faults.append(Self.unknown(name))
                continue
            }
            guard pair.count == 2 else {
                faults.append("\(name) lacks its value, \(key.form)")
                continue
            }
            if settings.contains(where: { $0.key == key }) {
                faults.append("\(name) is given twice")
            }
            let value = pair[1].trimmed
            var scratch = DirectionConditions()
            do throws(QuantityError) {
                try key.apply(value, to: &scratch)
                settings.append((key, value))
            } catch {
                faults.append(ConditionKey.clause(name, value, error))
            }
        }
        if settings.contains(where: { $0.key == .rtt }),
            settings.contains(where: { $0.key == .delay })
        {
            faults.append("rtt and delay are both given")
        }
        guard faults.isEmpty else { throw ArgumentFault(faults.joined(separator: "; ")) }
    }

    /// The fault of a word that is no key, nor one of the `further` that may stand there.
    static func unknown(_ name: String, further: [String] = []) -> String {
        let keys = further + ConditionKey.allCases.map(\.rawValue)
        let word = Excerpt.of(name)
        if let near = Spelling.nearest(to: name, among: keys) {
            return "unknown key '\(word)', did you mean '\(near)'?"
        }
        return "unknown key '\(word)', expected one of \(keys.joined(separator: ", "))"
    }

    /// Whether blackouts are among what is set.
    package var namesBlackout: Bool { settings.contains { $0.key == .blackout } }

    /// Changes one direction.
    package func apply(to conditions: inout DirectionConditions) {
        // Reading has tried each already.
        for (key, text) in settings { try? key.apply(text, to: &conditions) }
    }

    package static func == (left: ConditionSettings, right: ConditionSettings) -> Bool {
        left.settings.elementsEqual(right.settings) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        for (key, text) in settings {
            hasher.combine(key)
            hasher.combine(text)
        }
    }
}

extension ConditionSettings: ArgumentValue {
    /// Reads a word of a command line. Throws every fault of it, in one clause.
    package init(argument: String) throws(ArgumentFault) { try self.init(argument) }

    /// As it was typed.
    package var argumentText: String {
        settings.map { "\($0.key.rawValue)=\($0.text)" }.joined(separator: ",")
    }
}

/// ``ConditionSettings`` of one direction: a round trip is of both.
package struct DirectionSettings: ArgumentValue, Hashable {
    /// The changes.
    package var settings: ConditionSettings

    /// Reads a word of a command line. Throws every fault of it, in one clause.
    package init(argument: String) throws(ArgumentFault) {
        settings = try ConditionSettings(argument)
        if settings.settings.contains(where: { $0.key == .rtt }) {
            throw ArgumentFault("rtt covers both directions; give this one its delay")
        }
    }

    /// As it was typed.
    package var argumentText: String { settings.argumentText }
}

extension NetworkConditions {
    /// Changes both directions, then each.
    package mutating func apply(
        _ both: ConditionSettings?, up: ConditionSettings? = nil, down: ConditionSettings? = nil
    ) {
        both?.apply(to: &self.up)
        both?.apply(to: &self.down)
        up?.apply(to: &self.up)
        down?.apply(to: &self.down)
    }
}

extension Substring {
    /// Without blanks at either end.
    var trimmed: String {
        let rest = drop { $0 == " " }
        return String(rest.lastIndex { $0 != " " }.map { rest[...$0] } ?? "")
    }
}
