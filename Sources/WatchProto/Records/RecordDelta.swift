/// Differences between two values of one key (stand-in until the codec lands).
public enum RecordDelta {
    public static func make(kind: ContentKind, base: [UInt8], next: [UInt8]) -> [UInt8]? { nil }
    public static func apply(
        kind: ContentKind, delta: Span<UInt8>, to base: [UInt8]
    ) throws(WireError) -> [UInt8] {
        throw WireError(.unknownCode, at: 0, expected: "delta", found: 0)
    }
}
