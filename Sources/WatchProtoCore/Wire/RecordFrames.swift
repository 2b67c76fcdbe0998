/// A record as the frames of one session name it.
package struct RecordAddress: WireCoded, Hashable, Sendable {
    /// The largest index: a hello and the frames after it list at most so many earlier epochs.
    static let largestIndex = 1023

    /// Place of the epoch in the hello of the side that sent the record: 0 is its present one; 1,
    /// 2 … are the earlier epochs in the order in which they were listed, the oldest first.
    package var epochIndex = 0
    /// The record's number in its epoch and channel, from 1.
    package var number: UInt64 = 0

    /// Whether this record was accepted before `other`, of the same side and channel.
    func precedes(_ other: RecordAddress) -> Bool {
        guard epochIndex != other.epochIndex else { return number < other.number }
        return other.epochIndex == 0 || (epochIndex != 0 && epochIndex < other.epochIndex)
    }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        try c.varint(&epochIndex, "epoch index", 0...Self.largestIndex)
        try c.number(&number)
    }
}

extension FieldCoder where Self: ~Copyable & ~Escapable {
    /// The live predecessor of `address`: 0 and the distance to it, or the index of its epoch and
    /// its number (F-13).
    mutating func predecessor(
        _ predecessor: inout RecordAddress?, of address: RecordAddress, if isPresent: Bool
    ) throws(Failure) {
        guard isPresent else { return }
        let start = offset
        var field = predecessor ?? RecordAddress()
        if !Self.reads, field.epochIndex == address.epochIndex {
            field = RecordAddress(epochIndex: 0, number: address.number &- field.number)
        }
        try field.code(&self)
        let isSame = field.epochIndex == 0 && field.number < address.number
        try check(
            isSame
                || field.epochIndex != 0 && field.epochIndex != address.epochIndex
                    && field.precedes(address),
            .outOfRange, at: start, "predecessor", field.number)
        guard Self.reads else { return }
        if isSame {
            field = RecordAddress(
                epochIndex: address.epochIndex, number: address.number - field.number)
        }
        predecessor = field
    }
}

/// A record of an ordered channel (F-12, F-13).
package struct RecordFrame: FramePayload {
    package var channel = Channel.background
    package var address = RecordAddress()
    /// The live predecessor: the unsettled record that must come before this one.
    var predecessor: RecordAddress?
    var kind = ContentKind.opaque
    /// Whether the sender's application awaits a reply.
    var expectsReply = false
    /// The number of the counterpart's record that this one answers.
    var inReplyTo: RecordNumber?
    /// The wall-clock time at which the record loses its worth.
    var expiresAt: WallTime?
    /// The application's own name for the act.
    var idempotencyKey: UInt128?
    var payload: [UInt8] = []

    var type: FrameType { .record }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        var length = payload.count
        try codeHead(&c, &length)
        try c.bytes(&payload, length, "payload")
    }

    /// Everything between the type byte and the payload.
    private mutating func codeHead<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C, _ length: inout Int
    ) throws(C.Failure) {
        var flags: UInt8 = predecessor == nil ? 0 : 0x08
        if expectsReply { flags |= 0x10 }
        if inReplyTo != nil { flags |= 0x20 }
        if expiresAt != nil { flags |= 0x40 }
        if idempotencyKey != nil { flags |= 0x80 }
        let start = c.offset
        try c.head(&channel, .ordered, &flags, of: 0xF8, "record channel and flags")
        try c.check(
            channel.traits.hasReplies || flags & 0x30 == 0, .unknownCode, at: start,
            "record channel and flags", UInt64(channel.rawValue | flags))
        try address.code(&c)
        try c.predecessor(&predecessor, of: address, if: flags & 0x08 != 0)
        try kind.code(&c)
        expectsReply = flags & 0x10 != 0
        if flags & 0x20 != 0 {
            var number = inReplyTo?.rawValue ?? 0
            try c.number(&number)
            inReplyTo = RecordNumber(number)
        }
        try c.optional(&expiresAt, if: flags & 0x40 != 0)
        if flags & 0x80 != 0 {
            var key = idempotencyKey ?? 0
            try c.uint128(&key, "idempotency key")
            idempotencyKey = key
        }
        try c.count(&length, "payload", 0...channel.traits.recordByteLimit, size: 1)
    }

    /// Appends everything between the type byte and a payload of `payloadBytes` bytes.
    func writeHead(to writer: inout WireWriter, payloadBytes: Int) {
        var (frame, length) = (self, payloadBytes)
        frame.codeHead(&writer, &length)
    }
}

extension RecordFrame {
    /// Reads the frame that fragments make up, which has no type byte. The payload keeps the memory
    /// of `bytes`.
    init(joined bytes: consuming [UInt8]) throws(WireError) {
        self.init()
        let headBytes = try readHead(bytes.span)
        bytes.removeFirst(headBytes)
        payload = bytes
    }

    /// Reads all but the payload, which ends with `bytes`. Returns the bytes in front of it.
    private mutating func readHead(_ bytes: Span<UInt8>) throws(WireError) -> Int {
        var reader = WireReader(bytes)
        var length = 0
        try codeHead(&reader, &length)
        let headBytes = reader.offset
        _ = try reader.bytes(length, "payload")
        try reader.finish("end of the record")
        return headBytes
    }
}

/// A piece of a record or value frame that is too long for one packet. The pieces, joined, are that
/// frame without the type byte (F-14). In latest-value channels the number is the version.
package struct FragmentFrame: FramePayload {
    package var channel = Channel.background
    package var address = RecordAddress()
    /// Bytes of all pieces together; nil in the form that ends with its packet, between the first
    /// and the last piece, which tell (F-15).
    var totalBytes: Int? = 0
    /// The offset of the first byte of this piece.
    package var offset = 0
    /// The bytes of this piece, at least one.
    package var bytes: [UInt8] = []

    var type: FrameType { totalBytes == nil ? .furtherFragment : .fragment }

    var typeByte: UInt8 {
        guard totalBytes == nil else { return type.rawValue }
        return type.rawValue | channel.rawValue | (address.epochIndex > 0 ? Self.epochFollows : 0)
    }

    private static let epochFollows: UInt8 = 0x08

    /// Bytes that the pieces of a record in `channel` can have together: its payload and its head.
    static func largestTotalBytes(_ channel: Channel) -> Int { channel.traits.recordByteLimit + 96 }

    /// Bytes a fragment takes beside its piece, which has at most `room` bytes.
    static func overhead(
        _ address: RecordAddress, totalBytes: Int?, offset: Int, room: Int
    ) -> Int {
        let number = WireWriter.varintSize(address.number)
        let epoch = WireWriter.varintSize(UInt64(address.epochIndex))
        let place = WireWriter.varintSize(UInt64(offset))
        guard let totalBytes else {
            return 1 + (address.epochIndex > 0 ? epoch : 0) + number + place
        }
        return 2 + epoch + number + WireWriter.varintSize(UInt64(totalBytes)) + place
            + WireWriter.varintSize(UInt64(max(0, room)))
    }

    mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(_ c: inout C) throws(C.Failure) {
        guard var total = totalBytes else { return try codeFurther(&c) }
        try c.channel(&channel, nil)
        try address.code(&c)
        try c.varint(&total, "total length", 1...Self.largestTotalBytes(channel))
        try c.varint(&offset, "fragment offset", 0...max(0, total - 1))
        try c.block(&bytes, "fragment length", 1...max(1, total - offset))
        totalBytes = total
    }

    private mutating func codeFurther<C: FieldCoder & ~Copyable & ~Escapable>(
        _ c: inout C
    ) throws(C.Failure) {
        if address.epochIndex != 0 {
            let start = c.offset
            try c.varint(&address.epochIndex, "epoch index", 0...RecordAddress.largestIndex)
            try c.check(
                address.epochIndex > 0, .notCanonical, at: start, "epoch index from 1", 0)
        }
        try c.number(&address.number)
        let start = c.offset
        let largest = Self.largestTotalBytes(channel)
        try c.varint(&offset, "fragment offset", 0...largest)
        try c.bytes(&bytes, nil, "fragment")
        try c.check(
            offset > 0 && !bytes.isEmpty && bytes.count < largest - offset, .outOfRange,
            at: start, "a fragment between the first and the last", UInt64(offset))
    }

    /// Reads what follows `code`, the type byte that was just read.
    static func readFurther(
        _ code: UInt8, _ reader: inout WireReader
    ) throws(WireError) -> FragmentFrame {
        guard let channel = Channel(rawValue: code & 0x07) else {
            throw WireError(
                .unknownCode, at: reader.offset - 1, expected: "further fragment in channel 0 to 5",
                found: UInt64(code))
        }
        let epoch = code & Self.epochFollows == 0 ? 0 : 1
        return try reader.read(
            FragmentFrame(
                channel: channel, address: RecordAddress(epochIndex: epoch), totalBytes: nil))
    }
}
