import WatchProtoCore
import WatchProtoRecords

/// A question of one device about the ledger of the other. It is the body of an interactive message
/// of the kind ``ContentKind/ledger``.
enum LedgerRequest: Hashable, Sendable {
    /// Whether the other ledger has this digest. The asker's wall clock showed the time.
    case compare(LedgerDigest, LedgerSalt, at: WallTime)
    /// How the other ledger differs in these nodes, which rise and have no event in common.
    case nodes(LedgerSalt, [Part])
    /// The phone is asked to compare again. Only a watch sends it.
    case call

    /// A node in a question.
    struct Part: Hashable, Sendable {
        let node: LedgerNode
        /// The names of all events that the asker has in the node; nil to ask for the digests of
        /// its children.
        let names: [UInt32]?
    }

    /// The most nodes in one question.
    static let nodeLimit = 64
    /// The events in the buckets of a question's nodes, unless it has one node (D-10).
    static let eventLimit = 20_000
    /// The most events that an answering device adds to those it sends (D-19).
    static let missingLimit = 32_768
    /// The most names of one node.
    static let nameLimit = 64
    /// Stands in place of the number of names.
    private static let opened: UInt8 = 255
}

extension LedgerRequest {
    /// The nodes whose children are asked for, and the number of names.
    var asked: (opened: [LedgerNode], names: Int) {
        guard case .nodes(_, let parts) = self else { return ([], 0) }
        return (
            parts.filter { $0.names == nil }.map(\.node),
            parts.reduce(0) { $0 + ($1.names?.count ?? 0) }
        )
    }

    /// The bytes of the question.
    var bytes: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .compare(let digest, let salt, let time):
            writer.byte(1)
            writer.byte(salt.byte)
            digest.write(to: &writer)
            writer.uint64(UInt64(bitPattern: time.milliseconds))
        case .nodes(let salt, let parts):
            writer.byte(2)
            writer.byte(salt.byte)
            for part in parts {
                part.node.write(to: &writer)
                writer.byte(part.names.map { UInt8($0.count) } ?? Self.opened)
                for name in part.names ?? [] { writer.short(name) }
            }
        case .call: writer.byte(3)
        }
        return writer.bytes
    }

    /// Reads a question. Throws for bytes that are none; the other device is at fault.
    init(_ bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        let code = try reader.byte("a question about a ledger")
        switch code {
        case 1:
            let salt = LedgerSalt(byte: try reader.byte("a salt"))
            let digest = try LedgerDigest(&reader)
            let time = try reader.uint64("the asker's wall clock")
            self = .compare(digest, salt, at: WallTime(milliseconds: Int64(bitPattern: time)))
        case 2:
            let salt = LedgerSalt(byte: try reader.byte("a salt"))
            self = .nodes(salt, try Self.parts(&reader))
        case 3: self = .call
        default: throw WireError.unknown("a question about a ledger", code)
        }
        try reader.finish("the end of a question about a ledger")
    }

    private static func parts(_ reader: inout WireReader) throws(WireError) -> [Part] {
        var parts: [Part] = []
        repeat {
            let start = reader.offset
            let node = try LedgerNode(&reader)
            guard parts.last.map({ $0.node.last < node.first }) ?? true, parts.count < nodeLimit
            else { throw .malformed(start, "rising nodes, at most 64", node.first) }
            let count = try reader.byte("the number of names in a node")
            guard count <= nameLimit || count == opened && node.digits < LedgerNode.mostDigits
            else { throw .malformed(start, "at most 64 names of a node", UInt64(count)) }
            var names: [UInt32] = []
            if count != opened {
                for _ in 0..<count { names.append(try reader.short("the name of an event")) }
            }
            parts.append(Part(node: node, names: count == opened ? nil : names))
        } while !reader.isAtEnd
        return parts
    }
}

extension LedgerNode {
    /// The number of digits, then the digits, two in a byte.
    fileprivate func write(to writer: inout WireWriter) {
        writer.byte(UInt8(digits))
        for place in 0..<(digits + 1) / 2 {
            writer.byte(UInt8(truncatingIfNeeded: first >> (56 - 8 * place)))
        }
    }

    fileprivate init(_ reader: inout WireReader) throws(WireError) {
        let start = reader.offset
        digits = Int(try reader.byte("the number of digits of a node"))
        guard (1...Self.mostDigits).contains(digits) else {
            throw .malformed(start, "a node of 1 to 16 digits", UInt64(digits))
        }
        var first: UInt64 = 0
        for place in 0..<(digits + 1) / 2 {
            first |= UInt64(try reader.byte("the digits of a node")) << (56 - 8 * place)
        }
        guard first & UInt64.max >> (4 * digits) == 0 else {
            throw .malformed(start, "zero after the last digit of a node", first)
        }
        self.first = first
    }
}

extension WireWriter {
    /// A short digest, or a name.
    mutating func short(_ value: UInt32) { fixed(UInt64(value), count: 3) }
}

extension WireReader {
    /// A short digest, or a name.
    mutating func short(_ what: StaticString) throws(WireError) -> UInt32 {
        UInt32(try fixed(3, what))
    }
}

extension WireError {
    static func unknown(_ what: StaticString, _ code: UInt8) -> WireError {
        WireError(.unknownCode, at: 0, expected: what, found: UInt64(code))
    }

    static func malformed(_ offset: Int, _ what: StaticString, _ found: UInt64) -> WireError {
        WireError(.notCanonical, at: offset, expected: what, found: found)
    }
}

extension ContentKind {
    /// A question about a ledger, or the answer to one: ``LedgerRequest``, ``LedgerReply``.
    package static let ledger = ContentKind(rawValue: 9)
}
