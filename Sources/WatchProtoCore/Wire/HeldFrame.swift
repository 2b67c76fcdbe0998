/// States which versions a receiver of values holds, key by key: a piece of a listing.
///
/// ```text
/// 0x3C · listing · removal floor · total · start · count · entries
/// entry: form · key: 16 bytes · version · [code: 2 bytes] · [fingerprint: 8 bytes]
/// ```
/// The form of an entry holds the channel (3 bits), its state (2 bits: applied, pending, rejected),
/// 0x20 for a removal, 0x40 where a value is held.
public struct HeldFrame: Hashable, Sendable {
    /// The state that is held of one key.
    public struct Entry: Hashable, Sendable {
        /// The channel and key.
        public var name: ValueName
        /// The highest version that the application was given.
        public var version: UInt64
        /// The answer of the application to that version.
        public var disposition: Disposition
        /// Whether the value that is held is a removal.
        public var isRemoval: Bool
        /// The ``VersionDigest/fingerprint(_:_:)`` of the value that is held; nil where none is.
        public var fingerprint: UInt64?

        /// Bytes an entry takes at most, and at least.
        static let largestBytes = 37
        static let smallestBytes = 18
    }

    /// Which listing of the session the piece belongs to.
    public var listing: UInt64
    /// The removal floor. A key absent from the listing was removed at or below this version; 0
    /// where nothing was removed.
    public var floor: UInt64
    /// Entries of the whole listing.
    public var total: Int
    /// The place of the first entry of this piece.
    public var start: Int
    /// The entries of this piece.
    public var entries: [Entry]

    /// Bytes a frame takes beside its entries, at most.
    static let overheadBytes = 36

    /// Keys that a receiver of values remembers, at most.
    static func keyLimit(_ limits: Limits) -> Int { limits.keys * limits.setsHeld }

    public static func read(
        _ reader: inout WireReader, limits: Limits
    ) throws(WireError) -> HeldFrame {
        let listing = try reader.varint("listing")
        let floor = try reader.varint("removal floor", atMost: RecordNumber.largest)
        let most = UInt64(keyLimit(limits))
        let total = Int(try reader.varint("keys held", atMost: most))
        let start = Int(try reader.varint("first key", atMost: UInt64(total)))
        let count = try reader.count("keys", atMost: total - start, size: Entry.smallestBytes)
        var entries: [Entry] = []
        for _ in 0..<count { entries.append(try readEntry(&reader)) }
        return HeldFrame(
            listing: listing, floor: floor, total: total, start: start, entries: entries)
    }

    private static func readEntry(_ reader: inout WireReader) throws(WireError) -> Entry {
        let start = reader.offset
        let form = try reader.byte("form of a held key")
        let state = form >> 3 & 3
        let holds = form & 0x40 != 0
        guard let channel = Channel(rawValue: form & 0x07), channel.traits.order == .latestValue,
            form < 0x80, state < 3, holds || form & 0x20 == 0
        else {
            throw WireError(
                .unknownCode, at: start, expected: "form of a held key", found: UInt64(form))
        }
        let key = RecordKey(rawValue: try reader.uint128("key"))
        let version = try RecordNumber.read(&reader)
        let disposition: Disposition =
            switch state {
            case 0: .applied
            case 1: .pending
            default: .rejected(code: try reader.uint16("rejection code"))
            }
        return Entry(
            name: ValueName(channel: channel, key: key), version: version,
            disposition: disposition, isRemoval: form & 0x20 != 0,
            fingerprint: holds ? try reader.uint64("fingerprint") : nil)
    }

    /// Appends the frame with its type byte.
    public func write(to writer: inout WireWriter) {
        writer.byte(FrameType.held.rawValue)
        writer.varint(listing)
        writer.varint(floor)
        writer.varint(UInt64(total))
        writer.varint(UInt64(start))
        writer.varint(UInt64(entries.count))
        for entry in entries {
            var form = entry.name.channel.rawValue
            switch entry.disposition {
            case .applied: break
            case .pending: form |= 1 << 3
            case .rejected: form |= 2 << 3
            }
            if entry.isRemoval { form |= 0x20 }
            if entry.fingerprint != nil { form |= 0x40 }
            writer.byte(form)
            writer.uint128(entry.name.key.rawValue)
            writer.varint(entry.version)
            if case .rejected(let code) = entry.disposition { writer.uint16(code) }
            if let fingerprint = entry.fingerprint { writer.uint64(fingerprint) }
        }
    }
}
