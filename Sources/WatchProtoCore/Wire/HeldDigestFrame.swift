/// States the digest of the versions that a receiver of values holds, and which of the epochs asked
/// about it has written down.
///
/// ```text
/// 0x3B · digest: 8 bytes · count · (epoch: 8 bytes · 1 if known)
/// ```
public struct HeldDigestFrame: Hashable, Sendable {
    /// An epoch of the reader, and whether the writer knows it.
    public struct Epoch: Hashable, Sendable {
        /// The epoch asked about.
        public var id: EpochID
        /// Whether it is written down.
        public var isKnown: Bool

        /// Says of `id` whether it is written down.
        public init(id: EpochID, isKnown: Bool) {
            self.id = id
            self.isKnown = isKnown
        }
    }

    /// The ``VersionDigest`` of all that is held.
    public var digest: UInt64
    /// The answers about epochs.
    public var epochs: [Epoch]

    /// States `digest`, and what is known of `epochs`.
    public init(digest: UInt64, epochs: [Epoch] = []) {
        self.digest = digest
        self.epochs = epochs
    }

    /// Bytes the frame takes.
    var size: Int { 10 + 9 * epochs.count }

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> HeldDigestFrame {
        let digest = try reader.uint64("digest")
        let count = try reader.count(
            "epochs told about", atMost: HeldQueryFrame.epochLimit, size: 9)
        var epochs: [Epoch] = []
        for _ in 0..<count {
            let id = EpochID(rawValue: try reader.uint64("epoch"))
            let at = reader.offset
            let known = try reader.byte("known or not")
            guard known < 2 else {
                throw WireError(.outOfRange, at: at, expected: "0 or 1", found: UInt64(known))
            }
            epochs.append(Epoch(id: id, isKnown: known == 1))
        }
        return HeldDigestFrame(digest: digest, epochs: epochs)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.heldDigest.rawValue)
        writer.uint64(digest)
        writer.varint(UInt64(epochs.count))
        for epoch in epochs {
            writer.uint64(epoch.id.rawValue)
            writer.byte(epoch.isKnown ? 1 : 0)
        }
    }
}
