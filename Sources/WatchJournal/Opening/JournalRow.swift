internal import WatchProto

/// A body as it stands in a table: eight bytes of fingerprint, lowest first, then the body. SQLite
/// checks its own structure, not what rows hold. The fingerprint covers the numbers the row stands
/// under as well: its pairing, and its place in the log.
enum JournalRow {
    static func seal(_ body: [UInt8], pairing: Int64, sequence: Int64) -> [UInt8] {
        var writer = WireWriter()
        writer.bytes.reserveCapacity(body.count + 8)
        writer.uint64(mark(body, pairing, sequence))
        writer.append(body)
        return writer.bytes
    }

    private static func mark(_ body: [UInt8], _ pairing: Int64, _ sequence: Int64) -> UInt64 {
        let hash = ContentHash.continued(ContentHash.of(body), with: UInt64(bitPattern: pairing))
        return ContentHash.continued(hash, with: UInt64(bitPattern: sequence))
    }

    /// The body; nil when its fingerprint is another.
    static func open(_ row: [UInt8], pairing: Int64, sequence: Int64) -> [UInt8]? {
        guard row.count >= 8 else { return nil }
        var found: UInt64 = 0
        for index in (0..<8).reversed() { found = found << 8 | UInt64(row[index]) }
        let body = Array(row[8...])
        return mark(body, pairing, sequence) == found ? body : nil
    }
}
