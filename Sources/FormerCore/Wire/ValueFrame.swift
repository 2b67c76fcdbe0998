/// Asks for the value the counterpart holds of one of this side's keys, from some byte on, because
/// this side's journal knows another one, or none.
public struct ValueQueryFrame: Hashable, Sendable {
    /// The newest-per-key lane of the key.
    public var lane: Lane
    /// The key asked about.
    public var key: RecordKey
    /// The first byte of the value that is wanted.
    public var offset: Int

    /// Bytes a frame takes at most.
    static let largestBytes = 26

    static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> ValueQueryFrame {
        let end = try readEnd(&reader, limits)
        let lane = try Lane.readNewestPerKey(&reader)
        let key = RecordKey(rawValue: try reader.uint128("key"))
        let offset = Int(
            try reader.varint("offset", atMost: UInt64(lane.traits.recordByteLimit)))
        try checkEnd(reader, end)
        return ValueQueryFrame(lane: lane, key: key, offset: offset)
    }

    func write(to writer: inout WireWriter) {
        var body = WireWriter()
        body.byte(lane.rawValue)
        body.uint128(key.rawValue)
        body.varint(UInt64(offset))
        writer.byte(FrameType.valueQuery.rawValue)
        writer.block(body.bytes)
    }

    /// Where the frame ends, by the length that follows its type.
    static func readEnd(
        _ reader: inout WireReader, _ limits: Limits
    ) throws(WireError) -> Int {
        let length = try reader.count("frame length", atMost: limits.streamPacketBytes)
        return reader.offset + length
    }

    static func checkEnd(_ reader: borrowing WireReader, _ end: Int) throws(WireError) {
        guard reader.offset == end else {
            throw WireError(
                .notCanonical, at: reader.offset, expected: "end of the frame",
                found: UInt64(end))
        }
    }
}

/// Answers a ``ValueQueryFrame``: the value its sender holds of a key, or a piece of it, and which
/// record of the receiver brought it.
public struct ValueFrame: Hashable, Sendable {
    /// The newest-per-key lane of the key.
    public var lane: Lane
    /// The key asked about.
    public var key: RecordKey
    /// The epoch of the record that brought the value; nil when nothing is held.
    public var epoch: EpochID?
    /// The number of that record in its epoch and lane; 0 when nothing is held.
    public var number: UInt64
    /// What the value is.
    public var kind: ContentKind
    /// Bytes of the whole value.
    public var totalBytes: Int
    /// The place of the first byte of this piece.
    public var offset: Int
    /// The piece.
    public var bytes: [UInt8]

    /// Bytes a frame takes beside its piece, at most.
    static let overheadBytes = 56

    static func read(_ reader: inout WireReader, limits: Limits) throws(WireError) -> ValueFrame {
        let end = try ValueQueryFrame.readEnd(&reader, limits)
        let lane = try Lane.readNewestPerKey(&reader)
        let key = RecordKey(rawValue: try reader.uint128("key"))
        let epoch = try reader.uint64("epoch")
        let number = epoch == 0 ? try readNoNumber(&reader) : try RecordNumber.read(&reader)
        let kind = ContentKind(rawValue: try reader.byte("kind"))
        let limit = UInt64(lane.traits.recordByteLimit)
        let total = try reader.varint("bytes of the value", atMost: limit)
        let offset = try reader.varint("offset", atMost: total)
        let bytes = try reader.block("piece of the value", atMost: Int(total - offset))
        try ValueQueryFrame.checkEnd(reader, end)
        return ValueFrame(
            lane: lane, key: key, epoch: epoch == 0 ? nil : EpochID(rawValue: epoch),
            number: number, kind: kind, totalBytes: Int(total), offset: Int(offset), bytes: bytes)
    }

    /// Where nothing is held, no record brought it.
    private static func readNoNumber(_ reader: inout WireReader) throws(WireError) -> UInt64 {
        let start = reader.offset
        let number = try reader.varint("record number")
        guard number == 0 else {
            throw WireError(
                .outOfRange, at: start, expected: "record number 0 without an epoch", found: number)
        }
        return number
    }

    func write(to writer: inout WireWriter) {
        var body = WireWriter()
        body.byte(lane.rawValue)
        body.uint128(key.rawValue)
        body.uint64(epoch?.rawValue ?? 0)
        body.varint(number)
        body.byte(kind.rawValue)
        body.varint(UInt64(totalBytes))
        body.varint(UInt64(offset))
        body.block(bytes)
        writer.byte(FrameType.value.rawValue)
        writer.block(body.bytes)
    }
}
