import ControlProtocol
import WatchProtoCore

/// Goes through the members of a file of bounds, and keeps all that is wrong in it.
protocol BoundsReader {
    var faults: [Thresholds.Refusal.Fault] { get set }

    mutating func read(_ node: JSONNode)
}

extension BoundsReader {
    /// Reads the bytes of a file.
    ///
    /// - Throws: all that is wrong with them.
    mutating func read(_ bytes: [UInt8]) throws(Thresholds.Refusal) {
        let findings = JSONParser.examine(bytes, limits: JSONLimits(depth: 8, bytes: 1 << 20))
        for error in findings.errors {
            fault(
                at: error.position, error.byteCount,
                "expected \(error.expected), found \(error.found)")
        }
        // Unreadable lines leave gaps; faults of those would be consequences.
        if let node = findings.nodes.first, faults.isEmpty { read(node) }
        guard faults.isEmpty else {
            throw Thresholds.Refusal(faults: faults.sorted { $0.position < $1.position })
        }
    }

    mutating func unknown(_ member: JSONNode.Member, among names: [String]) {
        fault(
            atNameOf: member,
            "there is no '\(Excerpt.of(member.name))'"
                + Self.hint(
                    member.name, names, otherwise: "only \(names.joined(separator: " and "))"))
    }

    /// The name that was perhaps meant, or the words `otherwise`.
    static func hint(_ name: String, _ names: [String], otherwise: String) -> String {
        let near = Spelling.nearest(to: name, among: names)
        return ", " + (near.map { "did you mean '\($0)'?" } ?? otherwise)
    }

    mutating func fault(_ node: JSONNode, _ message: String) {
        fault(at: node.position, node.byteCount, message)
    }

    mutating func fault(atNameOf member: JSONNode.Member, _ message: String) {
        fault(at: member.namePosition, member.name.utf8.count + 2, message)
    }

    mutating func fault(at position: JSONPosition, _ byteCount: Int, _ message: String) {
        faults.append(.init(position: position, byteCount: byteCount, message: message))
    }

    func text(of node: JSONNode) -> String { Excerpt.of(JSONWriter.text(node.value)) }
}
