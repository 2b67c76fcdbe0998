import ControlProtocol
import WatchProto

/// Reads members of JSON objects as what they should be, and keeps every fault it meets.
///
/// The text may have faults of its own; then what holds one of them is not blamed for what it lacks
/// or seems to say, and all else is looked at as ever.
struct NodeReader {
    /// The faults: first those of the text.
    var errors: [JSONError]
    /// The number of faults that are only counted.
    private(set) var omitted = 0
    private let source: ChunkedText
    /// Where the faults of the text stand, ascending.
    private var damage: [Int]

    init(_ source: ChunkedText, _ faults: [JSONError]) {
        self.source = source
        errors = faults
        damage = faults.map(\.position.byteOffset).sorted()
    }

    /// Adds the faults of the text of one more line.
    mutating func add(_ faults: [JSONError]) {
        errors += faults
        damage += faults.map(\.position.byteOffset).sorted()
    }

    /// Notes that `node` is not what it should be.
    mutating func fault(_ node: JSONNode, expected: String, found: String? = nil) {
        note(
            node.position, byteCount: node.byteCount, expected: expected,
            found: found ?? describe(node))
    }

    /// Notes that `place` is not what it should be.
    mutating func fault(_ place: JSONPlace, expected: String, found: String) {
        note(place.position, byteCount: place.byteCount, expected: expected, found: found)
    }

    /// Adds the faults of another reader, which did not know those of the text.
    mutating func add(_ other: NodeReader) {
        errors += other.errors.filter { !isDamaged($0.position, $0.byteCount) }
    }

    /// Keeps the first `count` faults of the file if there are many more. The others are only
    /// counted.
    mutating func shorten(to count: Int) {
        guard errors.count >= 2 * count else { return }
        errors.sort { $0.position < $1.position }
        omitted += errors.count - count
        errors.removeLast(errors.count - count)
    }

    private mutating func note(
        _ position: JSONPosition, byteCount: Int, expected: String, found: String
    ) {
        guard !isDamaged(position, byteCount) else { return }
        errors.append(
            JSONError(
                .unexpected, at: position, byteCount: byteCount, expected: expected, found: found))
    }

    /// Whether a fault of the text stands in `node`, or where it breaks off.
    func isDamaged(_ node: JSONNode) -> Bool { isDamaged(node.place) }

    /// Whether a fault of the text stands in `place`, or where it breaks off.
    func isDamaged(_ place: JSONPlace) -> Bool { isDamaged(place.position, place.byteCount) }

    private func isDamaged(_ position: JSONPosition, _ byteCount: Int) -> Bool {
        let first = damage.partitioningIndex { $0 >= position.byteOffset }
        return first < damage.count && damage[first] <= position.byteOffset + byteCount
    }

    /// Notes that `object` lacks the member `name`.
    mutating func missing(_ name: String, in object: JSONNode) {
        fault(object, expected: "an object with a member '\(name)'", found: "none")
    }

    /// A string; nil, with a fault, when it is something else.
    mutating func string(_ node: JSONNode?, _ what: String) -> String? {
        guard let node else { return nil }
        if let text = node.string { return text }
        fault(node, expected: "a string (\(what))")
        return nil
    }

    /// A truth value; nil, with a fault, when it is something else.
    mutating func bool(_ node: JSONNode?, _ what: String) -> Bool? {
        guard let node else { return nil }
        if let value = node.bool { return value }
        fault(node, expected: "true or false (\(what))")
        return nil
    }

    /// A number; nil, with a fault, when it is something else.
    mutating func number(_ node: JSONNode?, _ what: String) -> Double? {
        guard let node else { return nil }
        if let value = node.number { return value }
        fault(node, expected: "a number (\(what))")
        return nil
    }

    /// A whole number of `range`; nil, with a fault, when it is something else.
    mutating func integer(_ node: JSONNode?, _ what: String, in range: ClosedRange<Int64>) -> Int? {
        guard let node else { return nil }
        if let value = node.integer, range.contains(value) { return Int(value) }
        let bounds = "from \(range.lowerBound) to \(range.upperBound)"
        fault(node, expected: "a whole number \(bounds) (\(what))")
        return nil
    }

    /// The elements of an array; none, with a fault, when it is something else.
    mutating func array(_ node: JSONNode?, _ what: String) -> [JSONNode] {
        guard let node else { return [] }
        if let elements = node.array { return elements }
        fault(node, expected: "an array (\(what))")
        return []
    }

    /// The node itself, when it is an object.
    mutating func object(_ node: JSONNode?, _ what: String) -> JSONNode? {
        guard let node else { return nil }
        if node.members != nil { return node }
        fault(node, expected: "an object (\(what))")
        return nil
    }

    /// The result of `read` for a string; a fault when it is nil.
    mutating func parsed<Value>(
        _ node: JSONNode?, _ expected: String, _ read: (String) -> Value?
    ) -> Value? {
        guard let node else { return nil }
        if let text = node.string, let value = read(text) { return value }
        fault(node, expected: expected)
        return nil
    }

    /// The result of `read` for one of `names`; a fault, with the nearest of them, when it is nil.
    mutating func named<Value>(
        _ node: JSONNode?, _ what: String, _ names: [String], _ read: (String) -> Value?
    ) -> Value? {
        if let text = node?.string, let value = read(text) { return value }
        let near = node?.string.flatMap { EditDistance.nearest(to: $0, in: names) }
        let list = "one of \(names.joined(separator: ", "))"
        let expected = near.map { "\(what), perhaps '\($0)' (\(list))" } ?? "\(what), \(list)"
        return parsed(node, expected, read)
    }

    /// Notes each member of `object` that is not in `names`; names that begin with `x-` are the
    /// writer's own and free.
    mutating func refuseUnknown(in object: JSONNode, known names: [String]) {
        for member in object.members ?? [] {
            guard !names.contains(member.name), !member.name.hasPrefix("x-") else { continue }
            let near = EditDistance.nearest(to: member.name, in: names)
            note(
                member.namePosition, byteCount: member.name.utf8.count + 2,
                expected: near.map { "a known member, perhaps '\($0)'" }
                    ?? "one of \(names.joined(separator: ", "))",
                found: "'\(Excerpt.of(member.name))'")
        }
    }

    /// Describes a value for a message. A number is given as the text has it: `1e6`, not 1000000.0.
    private func describe(_ node: JSONNode) -> String {
        let first = node.position.byteOffset
        switch node.content {
        case .string(let text): return "'\(Excerpt.of(text))'"
        case .integer, .unsigned, .number, .bool:
            let range = first..<first + min(node.byteCount, 80)
            guard let bytes = source.slice(range) else { return node.kindName }
            return Excerpt.of(String(decoding: bytes, as: UTF8.self))
        default: return node.kindName
        }
    }
}
