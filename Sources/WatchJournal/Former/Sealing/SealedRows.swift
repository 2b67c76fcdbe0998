internal import WatchProto

/// Rows of the journal, sealed as a whole and once where there is a key: keys of records stand
/// beside their payloads, and are the identities of medications.
extension JournalContents {
    /// Begins a body that is sealed as a whole; one that is not begins with the version of its
    /// format, a small number.
    private static let mark: UInt8 = 0xE5
    /// What it was for a while, before that became a format's number.
    private static let earlierMark: UInt8 = 3

    /// A place that a seal binds a body to: 5, the pairing's number and the place in the log.
    private static func place(_ rowID: Int64, _ sequence: Int64) -> [UInt8] {
        var writer = WireWriter()
        writer.byte(5)
        writer.uint64(UInt64(bitPattern: rowID))
        writer.uint64(UInt64(bitPattern: sequence))
        return writer.bytes
    }

    /// The body as its row holds it.
    func sealedRow(_ body: [UInt8], rowID: Int64, sequence: Int64) -> [UInt8] {
        let whole =
            sealing is UnsealedPayloads
            ? body
            : [Self.mark] + sealing.seal(body, associatedData: Self.place(rowID, sequence))
        return JournalRow.seal(whole, pairing: rowID, sequence: sequence)
    }

    /// What ``sealedRow(_:rowID:sequence:)`` was given; also of rows from before it, as long as
    /// there may be any. Nil when it was altered, or put into a sealed file without its key.
    func openRow(_ row: [UInt8], rowID: Int64, sequence: Int64) -> [UInt8]? {
        guard let body = JournalRow.open(row, pairing: rowID, sequence: sequence) else {
            return nil
        }
        guard !(sealing is UnsealedPayloads) else { return body }
        if body.first == Self.mark || body.first == Self.earlierMark,
            let opened = try? sealing.open(
                Array(body.dropFirst()), associatedData: Self.place(rowID, sequence))
        {
            return opened
        }
        // What is in it is sealed, in these formats.
        let isSealedInPart = body.first.map { $0 <= JournalCoding.lastFormatSealedInPart }
        return takesRowsSealedInPart && isSealedInPart == true ? body : nil
    }

    /// Rows of a schema before 3 name medications in clear, also where there is a key: they are
    /// written anew, and the old ones' bytes go.
    func sealOldRows() throws {
        guard !(sealing is UnsealedPayloads) else {
            try database.run("DELETE FROM journal_meta WHERE name = 'erasing'")
            return
        }
        for index in slots.indices { slots[index].isInLog = slots[index].isStored }
        try fold()
        try finishErasing()
    }
}
