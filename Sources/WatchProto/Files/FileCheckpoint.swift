import WatchProtoCore

/// The number of durable bytes of an arriving file. It stands in the file of the content, behind
/// the place of the content, so that one sync makes both durable (T-8).
struct FileCheckpoint: Sendable {
    /// The durable bytes.
    var count: UInt64
    /// BLAKE2b of them.
    var hash: [UInt8]

    /// The places of checkpoints, which take turns. A write that is torn leaves the other one.
    static let places = 0..<2
    /// The size of the blocks in which disks write. No two places share one.
    private static let blockBytes: UInt64 = 4_096
    static let byteCount = 8 + 2 * FileOffer.hashBytes

    /// The offset of a place in the file of an offer.
    static func offset(_ place: Int, _ offer: FileOffer) -> UInt64 {
        ((offer.size + blockBytes - 1) / blockBytes + UInt64(place)) * blockBytes
    }

    /// The count lowest byte first, the hash, and the hash of the offer.
    func bytes(of offer: FileOffer) -> [UInt8] {
        var writer = WireWriter()
        writer.uint64(count)
        writer.append(hash)
        writer.append(offer.hash)
        return writer.bytes
    }

    init(count: UInt64, hash: [UInt8]) {
        self.count = count
        self.hash = hash
    }

    /// Reads a checkpoint. The hash says whether it is true.
    ///
    /// - Returns: nil for bytes that are none of the file of this offer.
    init?(_ bytes: [UInt8], of offer: FileOffer) {
        var reader = WireReader(bytes.span)
        guard bytes.count == Self.byteCount, let count = try? reader.uint64("durable bytes"),
            count > 0, count <= offer.size,
            bytes.suffix(FileOffer.hashBytes) == offer.hash[...]
        else { return nil }
        self.count = count
        hash = Array(bytes.dropFirst(reader.offset).prefix(FileOffer.hashBytes))
    }
}
