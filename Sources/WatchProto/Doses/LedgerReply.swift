import WatchProtoCore

/// The answer to a ``LedgerRequest``.
enum LedgerReply: Hashable, Sendable {
    /// The ledgers are equal.
    case equal
    /// The ledgers differ: the short digests of the root's children in the answering one.
    case digests([UInt32])
    /// The differences in the nodes of a question.
    case found(Findings)
    /// A call arrived.
    case acknowledged

    /// The differences in the nodes of a question.
    struct Findings: Hashable, Sendable {
        /// Whether the answering device has events in these nodes that the question does not name.
        /// It sends them by itself.
        var hasMore = false
        /// The short digests of the children of each opened node, one node after the other.
        var digests: [UInt32] = []
        /// For each name of the question whether the answering device lacks the event.
        var lacks: [Bool] = []
    }
}

extension LedgerReply {
    /// The bytes of the answer.
    var bytes: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .equal: writer.byte(1)
        case .digests(let digests):
            writer.byte(2)
            for digest in digests { writer.short(digest) }
        case .found(let found):
            writer.byte(3)
            writer.byte(found.hasMore ? 1 : 0)
            for digest in found.digests { writer.short(digest) }
            for start in stride(from: 0, to: found.lacks.count, by: 8) {
                let bits = found.lacks[start...].prefix(8).enumerated()
                writer.byte(bits.reduce(0) { $0 | ($1.element ? 1 << $1.offset : 0) })
            }
        case .acknowledged: writer.byte(4)
        }
        return writer.bytes
    }

    /// Reads an answer to `request`. Throws for bytes that are none; the other device is at fault.
    init(_ bytes: [UInt8], to request: LedgerRequest) throws(WireError) {
        var reader = WireReader(bytes.span)
        let code = try reader.byte("an answer about a ledger")
        switch (code, request) {
        case (1, .compare): self = .equal
        case (2, .compare): self = .digests(try reader.digests(of: 1))
        case (3, .nodes): self = .found(try Findings(&reader, to: request))
        case (4, .call): self = .acknowledged
        default: throw WireError.unknown("an answer to the question about a ledger", code)
        }
        try reader.finish("the end of an answer about a ledger")
    }
}

extension LedgerReply.Findings {
    fileprivate init(_ reader: inout WireReader, to request: LedgerRequest) throws(WireError) {
        let (opened, names) = request.asked
        let start = reader.offset
        let more = try reader.byte("whether there are more events")
        guard more <= 1 else {
            throw .malformed(start, "0 or 1 for whether there are more events", UInt64(more))
        }
        hasMore = more == 1
        digests = try reader.digests(of: opened.count)
        for place in stride(from: 0, to: names, by: 8) {
            let bits = try reader.byte("the bits of events")
            let count = min(8, names - place)
            guard count == 8 || bits >> count == 0 else {
                throw .malformed(reader.offset - 1, "zero after the last event's bit", UInt64(bits))
            }
            lacks += (0..<count).map { bits >> $0 & 1 == 1 }
        }
    }
}

extension WireReader {
    /// The short digests of the children of so many nodes.
    fileprivate mutating func digests(of nodes: Int) throws(WireError) -> [UInt32] {
        var digests: [UInt32] = []
        for _ in 0..<nodes * 16 { digests.append(try short("a short digest")) }
        return digests
    }
}
