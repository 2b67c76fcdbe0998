internal import WatchProto

/// A body as it stands in a table: eight bytes of fingerprint, lowest first, then the body. SQLite
/// checks its own structure, not what rows hold. The fingerprint covers the numbers the row stands
/// under as well: its pairing, and its place in the log.
package enum JournalRow {
    /// The row of a body.
    package static func seal(_ body: [UInt8], pairing: Int64, sequence: Int64) -> [UInt8] {
        var row: [UInt8] = []
        row.reserveCapacity(body.count + markBytes)
        for byte in littleEndian(mark(body.span, pairing, sequence)) { row.append(byte) }
        row += body
        return row
    }

    /// The body; nil when its fingerprint is another. Rows of schema version 1 have their own.
    static func open(_ row: [UInt8], pairing: Int64, sequence: Int64) -> [UInt8]? {
        guard row.count >= markBytes else { return nil }
        let body = Array(row[markBytes...])
        let stands = { (mark: UInt64) in row.prefix(markBytes).elementsEqual(littleEndian(mark)) }
        // The older one takes eight times as long, and only a row without today's is asked for it.
        guard
            stands(mark(body.span, pairing, sequence))
                || stands(firstMark(body, pairing, sequence))
        else { return nil }
        return body
    }

    private static let markBytes = 8

    /// Words instead of bytes, at an eighth of the time: `h = (h ^ word) * p`, then its high half
    /// into its low one. Each step can be undone, so that one altered word never goes unnoticed.
    private static func mark(_ body: Span<UInt8>, _ pairing: Int64, _ sequence: Int64) -> UInt64 {
        var hash = ContentHash.start
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        let bytes = unsafe body.bytes
        var place = 0
        while place + 8 <= bytes.byteCount {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
            add(UInt64(littleEndian: word))
            place += 8
        }
        var rest: UInt64 = 0
        for index in (place..<body.count).reversed() { rest = rest << 8 | UInt64(body[index]) }
        add(rest)
        add(UInt64(body.count))
        add(UInt64(bitPattern: pairing))
        add(UInt64(bitPattern: sequence))
        return hash
    }

    /// What rows of schema version 1 carry.
    static func firstMark(_ body: [UInt8], _ pairing: Int64, _ sequence: Int64) -> UInt64 {
        let hash = ContentHash.continued(ContentHash.of(body), with: UInt64(bitPattern: pairing))
        return ContentHash.continued(hash, with: UInt64(bitPattern: sequence))
    }

    private static func littleEndian(_ mark: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: mark >> (8 * UInt64($0))) }
    }
}
