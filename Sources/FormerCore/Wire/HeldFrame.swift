/// Asks what the counterpart holds in a newest-per-key lane, because this side does not remember.
public struct HeldQueryFrame: Hashable, Sendable {
    /// The newest-per-key lane asked about.
    public var lane: Lane

    static func read(_ reader: inout WireReader) throws(WireError) -> HeldQueryFrame {
        HeldQueryFrame(lane: try Lane.readNewestPerKey(&reader))
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.heldQuery.rawValue)
        writer.byte(lane.rawValue)
    }
}

/// Some of the values its sender holds in a lane, by key and fingerprint.
public struct HeldFrame: Hashable, Sendable {
    /// One value held.
    public struct Entry: Hashable, Sendable {
        /// The key of the value.
        public var key: RecordKey
        /// What the value is.
        public var kind: ContentKind
        /// The low four bytes of the value's fingerprint, kind included.
        public var fingerprintLow: UInt32

        /// Bytes an entry takes.
        static let bytes = 21
    }

    /// The newest-per-key lane that holds the values.
    public var lane: Lane
    /// How many values are held in all.
    public var total: Int
    /// The place of the first entry of this frame among them.
    public var start: Int
    /// The values of this frame, in the order of the whole listing.
    public var entries: [Entry]

    /// Bytes a frame takes beside its entries, at most.
    static let overheadBytes = 16

    static func read(_ reader: inout WireReader, limits: Limits) throws(WireError) -> HeldFrame {
        let lane = try Lane.readNewestPerKey(&reader)
        let total = Int(
            try reader.varint("values held", atMost: UInt64(limits.heldValues(of: lane))))
        let start = Int(try reader.varint("first value", atMost: UInt64(total)))
        let count = try reader.count("values", atMost: total - start, size: Entry.bytes)
        var entries: [Entry] = []
        for _ in 0..<count {
            let key = RecordKey(rawValue: try reader.uint128("key"))
            let kind = ContentKind(rawValue: try reader.byte("kind"))
            let fingerprint = UInt32(try reader.fixed(4, "fingerprint"))
            entries.append(Entry(key: key, kind: kind, fingerprintLow: fingerprint))
        }
        return HeldFrame(lane: lane, total: total, start: start, entries: entries)
    }

    func write(to writer: inout WireWriter) {
        writer.byte(FrameType.held.rawValue)
        writer.byte(lane.rawValue)
        writer.varint(UInt64(total))
        writer.varint(UInt64(start))
        writer.varint(UInt64(entries.count))
        for entry in entries {
            writer.uint128(entry.key.rawValue)
            writer.byte(entry.kind.rawValue)
            writer.fixed(UInt64(entry.fingerprintLow), count: 4)
        }
    }
}

extension Lane {
    static func readNewestPerKey(_ reader: inout WireReader) throws(WireError) -> Lane {
        let start = reader.offset
        let lane = try read(&reader)
        guard lane.traits.order == .newestPerKey else {
            throw WireError(
                .unknownCode, at: start, expected: "newest-per-key lane",
                found: UInt64(lane.rawValue))
        }
        return lane
    }
}
