/// Turns batches of journal entries into bytes for a disk, and back. The environment seals the
/// bytes as a whole where others can read them.
///
/// A body begins with ``formatVersion``; numbers are written as on the wire (``WireWriter``). One
/// value has one encoding, and reading refuses anything else: a journal that was altered is
/// refused, never half understood.
package enum JournalCoding {
    /// The first byte of a body. Version N reads what N and N − 1 wrote; 1 is the first.
    package static let formatVersion: UInt8 = 1

    /// The most tickets that one entry marks as abandoned.
    static let ticketLimit = 1 << 20
    /// The most records that one entry says ended alike; as many outcomes are remembered.
    static let endedLimit = 4096
    /// The most records that wait for the word on one of their idempotency key.
    static let followerLimit = 64

    /// The beginning of a body of entries, to which ``append(_:to:)`` adds.
    package static let emptyBody: [UInt8] = [formatVersion]

    /// Adds entries to a body that began as ``emptyBody``.
    package static func append(_ entries: [JournalEntry], to body: inout [UInt8]) {
        var writer = WireWriter()
        swap(&writer.bytes, &body)
        for entry in entries {
            var fields = JournalFields(entry)
            fields.code(&writer)
        }
        swap(&writer.bytes, &body)
    }

    /// The entries of a body, in order. Throws when the bytes are no body of this format; the
    /// offset of the error is within the body, and the file that held it is at fault.
    package static func entries(of body: Span<UInt8>) throws(WireError) -> [JournalEntry] {
        var reader = WireReader(body)
        try readVersion(&reader)
        var entries: [JournalEntry] = []
        while !reader.isAtEnd {
            if let entry = try JournalFields.read(&reader).entry { entries.append(entry) }
        }
        return entries
    }

    /// Reads the version of a body. Throws `unknownCode` for another one.
    static func readVersion(_ reader: inout WireReader) throws(WireError) {
        let version = try reader.byte("journal format version")
        guard version == formatVersion else {
            throw WireError(
                .unknownCode, at: 0, expected: "journal format version 1", found: UInt64(version))
        }
    }
}
