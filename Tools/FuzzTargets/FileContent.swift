import WatchProtoSecurity

/// The content of every honest file.
enum FileContent {
    private static let pattern = (0..<(1 << 16)).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// So many bytes from an offset on.
    static func bytes(_ offset: UInt64, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var start = Int(offset % 256)
        while bytes.count < count {
            let piece = pattern[start..<min(pattern.count, start + count - bytes.count)]
            bytes += piece
            start = (start + piece.count) % 256
        }
        return bytes
    }

    /// The size and the hash of each file of a flood.
    static let floodBytes: UInt64 = 9_000
    static let floodHash = hash(bytes(0, Int(floodBytes)))

    /// The hash that an offer has for a content.
    static func hash(_ content: [UInt8]) -> [UInt8] {
        var digest = FileDigest()
        digest.update(content.span)
        return digest.finish()
    }
}
