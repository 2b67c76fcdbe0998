import WatchProtoRecords

extension FuzzTarget {
    /// A compressed context: whatever the bytes, the content keeps to the limit, and compressed
    /// anew it is the same.
    static let compression = FuzzTarget("compression") { bytes in
        let limit = 1 << 18
        guard let content = Zstandard.decompress(bytes, atMost: limit) else { return nil }
        if content.count > limit { return "the content is larger than the limit" }
        guard let frame = Zstandard.compress(content) else { return nil }
        if frame.count >= content.count { return "the frame is no shorter" }
        return Zstandard.decompress(frame, atMost: limit) == content
            ? nil : "compressed anew, it is another content"
    }
}
