package import ControlProtocol
import Simulation

/// A link's network conditions as a file of JSON: the keys of ``ConditionKey`` with their values as
/// strings, `format` and `name`, `profile` (what it begins with), `one-way`, `up` and `down`.
package enum ConditionsFile {
    /// What `format` must say.
    package static let format = "watchproto.link/1"

    /// A file that is no network conditions, with everything that is wrong with it. The author of
    /// the file is at fault.
    package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// The file as its user named it.
        package var file: String
        /// The faults, in the order of their places; never empty.
        package var faults: [Fault]

        /// A line for each fault: `car.json:7:15: error: loss is 120%, must be 0% to 100%`.
        package var description: String { faults.map(line).joined(separator: "\n") }

        /// ``description`` with the faulty line of `source` under each fault, a mark below it, and
        /// the number of faults at the end.
        package func description(source: [UInt8]) -> String {
            let lines = faults.flatMap { fault in
                [line(fault)]
                    + SourceExcerpt.lines(
                        of: source, at: fault.position, byteCount: fault.byteCount)
            }
            let count = "\(faults.count) \(faults.count == 1 ? "error" : "errors")"
            return (lines + ["\(count) in 1 file; nothing was run."]).joined(separator: "\n")
        }

        private func line(_ fault: Fault) -> String {
            "\(file):\(fault.position): error: \(fault.message)"
        }
    }

    /// One fault, where it stands and what it is.
    package struct Fault: Hashable, Sendable {
        /// The beginning of the faulty part.
        package var position: JSONPosition
        /// How many bytes it takes.
        package var byteCount: Int
        /// The observation, and what must stand there.
        package var message: String
    }

    /// Reads the bytes of `file`.
    ///
    /// - Throws: all that is wrong with them.
    package static func read(_ bytes: [UInt8], file: String) throws(Refusal) -> NetworkConditions {
        let limits = JSONLimits(depth: 16, bytes: 1 << 20)
        let findings = JSONParser.examine(bytes, limits: limits)
        var reader = ConditionsFileReader(source: bytes)
        reader.faults = findings.errors.map { error in
            Fault(
                position: error.position, byteCount: error.byteCount,
                message: "expected \(error.expected), found \(error.found)")
        }
        if let node = findings.nodes.first {
            // Unreadable lines leave gaps: that something lacks may be a consequence.
            if reader.faults.isEmpty { reader.requireFormat(node) }
            reader.read(node)
        }
        guard reader.faults.isEmpty else {
            let faults = reader.faults.sorted { $0.position < $1.position }
            throw Refusal(file: file, faults: faults)
        }
        if !reader.isNamed { reader.conditions.name = name(of: file) }
        return reader.conditions
    }

    /// Reads an object that stands in another file, whose bytes are `source`: its keys are those of
    /// a file of network conditions.
    ///
    /// - Returns: the network conditions, and all that is wrong with it.
    package static func read(
        _ node: JSONNode, source: [UInt8]
    ) -> (conditions: NetworkConditions, faults: [Fault]) {
        var reader = ConditionsFileReader(source: source)
        reader.read(node)
        return (reader.conditions, reader.faults)
    }

    /// The last part of the path, without `.json`.
    private static func name(of file: String) -> String {
        let last = file.split(separator: "/").last.map(String.init) ?? file
        return last.hasSuffix(".json") ? String(last.dropLast(5)) : last
    }
}

/// Goes through the members of a file; the base first, whatever its place.
private struct ConditionsFileReader {
    let source: [UInt8]
    var conditions = NetworkConditions()
    var faults: [ConditionsFile.Fault] = []
    var isNamed = false

    /// A file says what it is; an object in another file need not.
    mutating func requireFormat(_ node: JSONNode) {
        guard node.members != nil, node["format"] == nil else { return }
        fault(at: node.position, 1, "the file lacks 'format', must be \"\(ConditionsFile.format)\"")
    }

    mutating func read(_ node: JSONNode) {
        guard let members = node.members else {
            fault(node, "the file is \(node.kindName), must be an object")
            return
        }
        if let base = node["profile"] { takeBase(base) }
        var ways: [(way: NetworkConditions.Way, node: JSONNode)] = []
        for member in members {
            switch member.name {
            case "format":
                if member.value.string != ConditionsFile.format {
                    fault(
                        member.value,
                        "format is \(text(of: member.value)), must be \"\(ConditionsFile.format)\"")
                }
            case "profile": break
            case "name":
                if let name = member.value.string, !name.isEmpty {
                    conditions.name = Excerpt.of(name)
                    isNamed = true
                } else {
                    fault(member.value, "name is \(text(of: member.value)), must be a text")
                }
            case "one-way":
                if let isOneWay = member.value.bool {
                    conditions.reading = isOneWay ? .oneWay : .roundTrip
                } else {
                    fault(
                        member.value,
                        "one-way is \(text(of: member.value)), must be true or false")
                }
            case "up": ways.append((.up, member.value))
            case "down": ways.append((.down, member.value))
            default: take(member, NetworkConditions.Way.allCases, further: Self.ownKeys)
            }
        }
        refuseBoth(members)
        for (way, node) in ways { read(node, of: way) }
    }

    private mutating func read(_ node: JSONNode, of way: NetworkConditions.Way) {
        guard let members = node.members else {
            fault(node, "\(way.rawValue) is \(node.kindName), must be an object")
            return
        }
        for member in members {
            guard member.name != ConditionKey.rtt.rawValue else {
                fault(
                    at: member.namePosition, 5,
                    "rtt covers both directions; give this one its delay")
                continue
            }
            take(member, [way])
        }
    }

    private mutating func takeBase(_ node: JSONNode) {
        let names = LinkProfile.all.map(\.name)
        guard let name = node.string else {
            fault(node, "profile is \(text(of: node)), must be the name of one")
            return
        }
        guard let profile = LinkProfile.named(name) else {
            let near = Spelling.nearest(to: name, among: names).map { ", did you mean '\($0)'?" }
            fault(
                node,
                "profile is \(Excerpt.of(name))"
                    + (near ?? ", must be one of \(names.joined(separator: ", "))"))
            return
        }
        conditions = NetworkConditions(profile)
    }

    private mutating func refuseBoth(_ members: [JSONNode.Member]) {
        guard members.contains(where: { $0.name == "rtt" }),
            let delay = members.first(where: { $0.name == "delay" })
        else { return }
        fault(at: delay.namePosition, 7, "rtt and delay are both given")
    }

    private static let ownKeys = ["format", "name", "profile", "one-way", "up", "down"]

    private mutating func take(
        _ member: JSONNode.Member, _ ways: [NetworkConditions.Way], further: [String] = []
    ) {
        guard let key = ConditionKey(rawValue: member.name) else {
            fault(
                at: member.namePosition, member.name.utf8.count + 2,
                ConditionSettings.unknown(member.name, further: further))
            return
        }
        let text = text(of: member.value)
        do throws(QuantityError) {
            for way in ways { try key.apply(text, to: &conditions[way]) }
        } catch {
            fault(member.value, ConditionKey.clause(key.rawValue, text, error))
        }
    }

    /// A string's text; anything else as it stands in the file.
    private func text(of node: JSONNode) -> String {
        if let string = node.string { return string }
        let start = node.position.byteOffset
        let end = min(source.count, start + min(node.byteCount, 60))
        return String(decoding: source[start..<max(start, end)], as: UTF8.self)
    }

    private mutating func fault(_ node: JSONNode, _ message: String) {
        fault(at: node.position, node.byteCount, message)
    }

    private mutating func fault(at position: JSONPosition, _ byteCount: Int, _ message: String) {
        faults.append(
            ConditionsFile.Fault(position: position, byteCount: byteCount, message: message))
    }
}
