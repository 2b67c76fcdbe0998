import WatchProtoCore

// The refusals that every record shares.

/// Refuses a record of more than `limit` bytes.
func checkLength(_ bytes: Span<UInt8>, atMost limit: Int) throws(WireError) {
    guard bytes.count <= limit else {
        throw WireError(
            .outOfRange, at: limit, expected: "a record of at most 200 bytes",
            found: UInt64(bytes.count))
    }
}

/// Refuses every version but 1.
func checkVersion(_ version: UInt8) throws(WireError) {
    guard version == 1 else {
        throw WireError(
            .unknownCode, at: 0, expected: "version 1 of a record", found: UInt64(version))
    }
}

extension WireReader {
    /// The bytes of the extension fields, at least the two of a field without content.
    mutating func extensionLength() throws(WireError) -> Int {
        let start = offset
        let length = try byte("the length of extension fields")
        guard length >= 2 else {
            throw WireError(
                .notCanonical, at: start, expected: "at least one extension field",
                found: UInt64(length))
        }
        return Int(length)
    }
}
