import WatchProtoCore

/// An event of a ledger, as a comparison sees it.
package struct LedgerMark: Hashable, Sendable {
    package var identity: UInt128
    /// The hash of the event's canonical bytes.
    package var fingerprint: UInt64

    package init(identity: UInt128, fingerprint: UInt64) {
        self.identity = identity
        self.fingerprint = fingerprint
    }
}

/// A part of a ledger: the events whose fingerprints begin with the same hexadecimal digits.
struct LedgerNode: Hashable, Sendable {
    /// The digits of a fingerprint.
    static let mostDigits = 16
    /// The digits of a bucket, whose digest a ledger keeps.
    static let bucketDigits = 2
    /// The whole ledger.
    static let root = LedgerNode(first: 0, digits: 0)

    /// The lowest fingerprint of the node.
    let first: UInt64
    /// The number of digits that all fingerprints of the node have in common, 0 to 16.
    let digits: Int

    /// The highest fingerprint of the node.
    var last: UInt64 { first | UInt64.max >> (4 * digits) }

    /// The buckets of the node's events.
    var buckets: ClosedRange<Int> { LedgerDigest.bucket(of: first)...LedgerDigest.bucket(of: last) }

    /// The sixteen nodes of one more digit, in order. A node of sixteen digits has none.
    var children: [LedgerNode] {
        (0..<16).map { digit in
            LedgerNode(first: first | digit << (60 - 4 * digits), digits: digits + 1)
        }
    }

    func contains(_ mark: LedgerMark) -> Bool { (first...last).contains(mark.fingerprint) }
}

extension LedgerNode: Comparable {
    static func < (one: LedgerNode, other: LedgerNode) -> Bool {
        (one.first, one.digits) < (other.first, other.digits)
    }
}

/// The byte with which one comparison shortens digests and fingerprints. Two that have one short
/// form in one comparison have different ones in the next.
struct LedgerSalt: Hashable, Sendable {
    let byte: UInt8

    /// A digest in three bytes; 0 stands for that of no events alone.
    func short(_ digest: LedgerDigest) -> UInt32 {
        guard digest != LedgerDigest() else { return 0 }
        var writer = WireWriter([byte])
        digest.write(to: &writer)
        return max(1, Self.lowest(ContentHash.of(writer.bytes)))
    }

    /// A fingerprint in three bytes.
    func name(_ mark: LedgerMark) -> UInt32 {
        Self.lowest(ContentHash.continued(ContentHash.of([byte]), with: mark.fingerprint))
    }

    private static func lowest(_ hash: UInt64) -> UInt32 { UInt32(hash & 0xFF_FFFF) }
}

/// A ledger as one question or answer needs it. Each part is read once if the nodes come in
/// rising order.
struct LedgerTree {
    private let ledger: any LedgerStore
    private let buckets: [LedgerDigest]
    private var read: (buckets: ClosedRange<Int>, marks: [LedgerMark])?

    /// Reads the digests of the buckets. Throws the error of the read; the file is at fault.
    init(_ ledger: any LedgerStore) throws {
        self.ledger = ledger
        buckets = try ledger.digests()
    }

    /// The digest of the whole ledger.
    var whole: LedgerDigest { buckets.reduce(into: LedgerDigest()) { $0.formUnion($1) } }

    /// The number of events in buckets.
    func count(in range: ClosedRange<Int>) -> Int {
        buckets[range].reduce(0) { $0 + Int($1.count) }
    }

    /// The digest of a node. Throws the error of a read; the file is at fault.
    mutating func digest(of node: LedgerNode) throws -> LedgerDigest {
        guard node.digits > LedgerNode.bucketDigits else {
            return buckets[node.buckets].reduce(into: LedgerDigest()) { $0.formUnion($1) }
        }
        return try marks(in: node).reduce(into: LedgerDigest()) { $0.insert($1.fingerprint) }
    }

    /// The events of a node, in any order. Throws the error of a read; the file is at fault.
    mutating func marks(in node: LedgerNode) throws -> [LedgerMark] {
        let marks: [LedgerMark]
        if let read, read.buckets == node.buckets {
            marks = read.marks
        } else {
            marks = try ledger.marks(in: node.buckets)
            read = (node.buckets, marks)
        }
        return node.digits > LedgerNode.bucketDigits ? marks.filter(node.contains) : marks
    }

    /// The short digests of a node's children. Throws the error of a read; the file is at fault.
    mutating func children(of node: LedgerNode, _ salt: LedgerSalt) throws -> [UInt32] {
        try node.children.map { salt.short(try digest(of: $0)) }
    }
}
