internal import WatchProtoCore

/// Eight bytes, lowest first, which show that a value in clear was altered or moved. SQLite checks
/// its own structure, not the content of rows.
///
/// It hashes words, in an eighth of the time of bytes: `h = (h ^ word) * p`, then the high half
/// into the low one. Each step is reversible, so one altered word is always noticed.
enum Fingerprint {
    static let byteCount = 8

    static func bytes(_ value: [UInt8], _ place: [UInt8]) -> [UInt8] {
        var hash = ContentHash.start
        add(value.span, to: &hash)
        add(place.span, to: &hash)
        return (0..<byteCount).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
    }

    private static func add(_ value: Span<UInt8>, to hash: inout UInt64) {
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        let bytes = unsafe value.bytes
        var place = 0
        while place + 8 <= bytes.byteCount {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
            add(UInt64(littleEndian: word))
            place += 8
        }
        var rest: UInt64 = 0
        for index in (place..<value.count).reversed() { rest = rest << 8 | UInt64(value[index]) }
        add(rest)
        add(UInt64(value.count))
    }
}
