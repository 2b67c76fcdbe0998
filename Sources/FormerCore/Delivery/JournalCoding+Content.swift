/// Payloads, and the names that would tell what they are of. A key may be the hash of a name that
/// can be guessed.
///
/// ```text
/// content   names (byte: 1 a key, 2 an idempotency key, 3 both) · those, 16 bytes each · payload
/// ```
///
/// In format 3 a content, or a name that stands alone, was sealed for itself where there was a key;
/// in formats 1 and 2 the payload alone, and the names stood before it.
extension JournalCoding {
    /// A payload and the names it has.
    struct Content {
        var key: RecordKey?
        var idempotencyKey: UInt128?
        var payload: [UInt8] = []

        /// The most bytes that stand before the payload.
        static let largestNameBytes = 33

        fileprivate var names: UInt8 {
            (key == nil ? 0 : 1) | (idempotencyKey == nil ? 0 : 2)
        }

        fileprivate var count: Int {
            1 + (key == nil ? 0 : 16) + (idempotencyKey == nil ? 0 : 16) + payload.count
        }

        fileprivate func write(to writer: inout WireWriter) {
            writer.byte(names)
            if let key { writer.uint128(key.rawValue) }
            if let idempotencyKey { writer.uint128(idempotencyKey) }
            writer.append(payload)
        }
    }

    func write(_ content: Content, to writer: inout WireWriter) {
        writer.varint(UInt64(content.count))
        content.write(to: &writer)
    }

    /// Reads what ``write(_:to:)`` wrote; `place` is what format 3 sealed it for.
    func readContent(
        _ reader: inout WireReader, at place: PayloadPlace, in lane: Lane
    ) throws(WireError) -> Content {
        let start = reader.offset
        let limit = lane.traits.recordByteLimit
        let plain = try readSealed(
            &reader, at: place, atMost: Content.largestNameBytes + limit)
        // Offsets within what was sealed mean nothing outside.
        var inner = WireReader(plain.span)
        var content = Content()
        let names = inner.isAtEnd ? 4 : try inner.byte("names")
        guard names < 4, plain.count >= 1 + 16 * names.nonzeroBitCount else {
            throw WireError(
                .unknownCode, at: start, expected: "names 0 to 3 and those they announce",
                found: UInt64(names))
        }
        if names & 1 != 0 { content.key = RecordKey(rawValue: try inner.uint128("key")) }
        if names & 2 != 0 { content.idempotencyKey = try inner.uint128("idempotency key") }
        content.payload = Array(plain[inner.offset...])
        guard content.payload.count <= limit else { throw Self.tooLong(content.payload, at: start) }
        return content
    }

    /// A payload of formats 1 and 2.
    func readPayload(
        _ reader: inout WireReader, at place: PayloadPlace, in lane: Lane
    ) throws(WireError) -> [UInt8] {
        let start = reader.offset
        let limit = lane.traits.recordByteLimit
        let payload = try readSealed(&reader, at: place, atMost: limit)
        guard payload.count <= limit else { throw Self.tooLong(payload, at: start) }
        return payload
    }

    private static func tooLong(_ payload: [UInt8], at start: Int) -> WireError {
        WireError(
            .outOfRange, at: start, expected: "payload within its lane's limit",
            found: UInt64(payload.count))
    }

    // MARK: Names alone

    /// A key or an idempotency key, by itself.
    func write(name: UInt128, to writer: inout WireWriter) {
        writer.varint(16)
        writer.uint128(name)
    }

    /// In formats 1 and 2 it stood there without its length.
    func readName(
        _ reader: inout WireReader, _ what: StaticString, at place: PayloadPlace
    ) throws(WireError) -> UInt128 {
        guard version >= 3 else { return try reader.uint128(what) }
        let start = reader.offset
        let plain = try readSealed(&reader, at: place, atMost: 16)
        guard plain.count == 16 else {
            throw WireError(
                .outOfRange, at: start, expected: "16 bytes", found: UInt64(plain.count))
        }
        var inner = WireReader(plain.span)
        return try inner.uint128(what)
    }

    private func readSealed(
        _ reader: inout WireReader, at place: PayloadPlace, atMost limit: Int
    ) throws(WireError) -> [UInt8] {
        guard version <= Self.lastFormatSealedInPart else {
            return try reader.block("content", atMost: limit)
        }
        let start = reader.offset
        let sealed = try reader.block("sealed payload", atMost: limit + Self.sealOverheadBytes)
        guard let open else { return sealed }
        guard let plain = open(sealed, place) else {
            throw WireError(
                .doesNotOpen, at: start, expected: "payload sealed for this place and key",
                found: UInt64(sealed.count))
        }
        return plain
    }
}
