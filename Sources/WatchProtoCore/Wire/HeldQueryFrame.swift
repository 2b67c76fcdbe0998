/// Asks what the counterpart holds of this side's values: the digest of all versions, or the
/// versions key by key, and which of some of this side's epochs it has written down.
///
/// ```text
/// 0x19 · wants (1 digest, 2 versions) · count · epochs: 8 bytes each
/// ```
public struct HeldQueryFrame: Hashable, Sendable {
    /// The kinds of answer that the query can ask for.
    public struct Wants: OptionSet, Hashable, Sendable {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// A ``HeldDigestFrame``.
        public static let digest = Wants(rawValue: 1)
        /// ``HeldFrame``s.
        public static let versions = Wants(rawValue: 2)
    }

    /// The kinds of answer that this query asks for.
    public var wants: Wants
    /// Epochs of this side; the answer says of each whether it is known.
    public var epochs: [EpochID]

    /// Asks for what `wants` holds, and about `epochs`.
    public init(_ wants: Wants, epochs: [EpochID] = []) {
        self.wants = wants
        self.epochs = epochs
    }

    /// Epochs in one frame.
    static let epochLimit = 16

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> HeldQueryFrame {
        let start = reader.offset
        let wants = try reader.byte("what is asked for")
        let count = try reader.count("epochs asked about", atMost: epochLimit, size: 8)
        guard wants < 4, wants > 0 || count > 0 else {
            throw WireError(
                .unknownCode, at: start, expected: "what is asked for", found: UInt64(wants))
        }
        var epochs: [EpochID] = []
        for _ in 0..<count { epochs.append(EpochID(rawValue: try reader.uint64("epoch"))) }
        return HeldQueryFrame(Wants(rawValue: wants), epochs: epochs)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.heldQuery.rawValue)
        writer.byte(wants.rawValue)
        writer.varint(UInt64(epochs.count))
        for epoch in epochs { writer.uint64(epoch.rawValue) }
    }

    /// Bytes the frame takes.
    var size: Int { 3 + 8 * epochs.count }
}
