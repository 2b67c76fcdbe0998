internal import WatchProto

/// A body as it stands in a table: eight bytes of fingerprint, lowest first, then the body. SQLite
/// checks its own structure, not what rows hold.
enum JournalRow {
    static func seal(_ body: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.bytes.reserveCapacity(body.count + 8)
        writer.uint64(ContentHash.of(body))
        writer.append(body)
        return writer.bytes
    }

    /// The body; nil when its fingerprint is another.
    static func open(_ row: [UInt8]) -> [UInt8]? {
        guard row.count >= 8 else { return nil }
        var mark: UInt64 = 0
        for index in (0..<8).reversed() { mark = mark << 8 | UInt64(row[index]) }
        let body = Array(row[8...])
        return ContentHash.of(body) == mark ? body : nil
    }
}
