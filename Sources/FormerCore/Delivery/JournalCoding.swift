/// Turns journal entries and images into bytes for a disk, and back. Whoever keeps the bytes where
/// others can read them seals them as a whole; nothing in them is sealed for itself.
///
/// Both forms begin with ``formatVersion``; numbers are written as on the wire (``WireWriter``).
/// One value has one encoding, and reading refuses anything else: a journal that was altered is
/// refused, never half understood.
public struct JournalCoding: Sendable {
    /// What formats 1 to 3 sealed for a place; nil when the bytes do not open there.
    public typealias Open = @Sendable (_ sealed: [UInt8], _ place: PayloadPlace) -> [UInt8]?

    /// The first byte of what is written. Format 2 added when records were accepted, and the
    /// idempotency keys of the counterpart's; format 3 which records are to be taken back, and keys
    /// sealed with what they name; format 4 seals nothing inside a body; format 5 counts openings
    /// that are forgotten; format 6 keeps what was measured of the path; format 7 the openings that
    /// had a session. A reader takes the formats from ``oldestFormatVersion`` to this one, and
    /// refuses any other.
    public static let formatVersion: UInt8 = 7
    /// The oldest format that is still read.
    public static let oldestFormatVersion: UInt8 = 1
    /// The last format in which payloads and names were sealed each for itself.
    public static let lastFormatSealedInPart: UInt8 = 3
    /// The most bytes a seal could add to a payload.
    static let sealOverheadBytes = 1024

    /// The pairing all of it belongs to.
    public var pairing: PairingID
    let open: Open?
    /// The format of what is being read.
    var version = formatVersion

    /// Codes the journal of `pairing`.
    ///
    /// - Parameters:
    ///   - pairing: whose journal it is.
    ///   - open: opens what was sealed in bodies of formats 1 to 3; nil where nothing was.
    public init(pairing: PairingID, open: Open? = nil) {
        self.pairing = pairing
        self.open = open
    }

    // MARK: Entries

    /// The beginning of a body of entries, to which ``append(_:to:)`` adds.
    public static let emptyBody: [UInt8] = [formatVersion]

    /// Adds entries to a body that began as ``emptyBody``.
    public func append(_ entries: [JournalEntry], to body: inout [UInt8]) {
        var writer = WireWriter()
        swap(&writer.bytes, &body)
        for entry in entries { write(entry, to: &writer) }
        swap(&writer.bytes, &body)
    }

    /// The entries of a body, in order.
    ///
    /// - Throws: `WireError` when the bytes are no body of this format; its offset is within it.
    public func entries(of body: Span<UInt8>) throws(WireError) -> [JournalEntry] {
        var reader = WireReader(body)
        let coding = try readVersion(&reader)
        var entries: [JournalEntry] = []
        while !reader.isAtEnd { entries.append(try coding.readEntry(&reader)) }
        return entries
    }

    /// What reads the rest of a body in the format it says it has.
    func readVersion(_ reader: inout WireReader) throws(WireError) -> JournalCoding {
        var coding = self
        coding.version = try reader.byte("journal format version")
        guard (Self.oldestFormatVersion...Self.formatVersion).contains(coding.version) else {
            throw WireError(
                .unknownCode, at: 0, expected: "journal format version 1 to 7",
                found: UInt64(coding.version))
        }
        return coding
    }
}
