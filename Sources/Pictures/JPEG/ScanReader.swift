/// The bits of a scan (ITU-T T.81, annex F.2.2.5): stuffed bytes are left out, and a marker ends
/// them.
struct ScanReader: ~Copyable, ~Escapable {
    private let bytes: Span<UInt8>
    /// The next byte that is not in `bits`.
    private(set) var place: Int
    private var bits: UInt64 = 0
    private var count = 0
    /// Bits that stand for none of the scan: zeros that are read after its end.
    private var made = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, at place: Int) {
        self.bytes = bytes
        self.place = place
    }

    @_lifetime(self: copy self)
    private mutating func fill() {
        while count <= 48 {
            var byte: UInt8 = 0
            if made == 0, place < bytes.count, bytes[place] != 0xFF {
                byte = bytes[place]
                place += 1
            } else if made == 0, place + 1 < bytes.count, bytes[place + 1] == 0 {
                byte = 0xFF
                place += 2
            } else {
                made += 8
            }
            bits = bits << 8 | UInt64(byte)
            count += 8
        }
    }

    /// Takes bits away; throws where the scan has ended.
    @_lifetime(self: copy self)
    private mutating func drop(_ length: Int) throws(PictureError) {
        count -= length
        if count < made { throw .cutOff }
    }

    /// The value of the next code.
    @_lifetime(self: copy self)
    mutating func code(of table: borrowing HuffmanTable) throws(PictureError) -> Int {
        if count < 16 { fill() }
        let next = UInt32(truncatingIfNeeded: bits >> UInt64(count - 16)) & 0xFFFF
        let entry = table.short[Int(next >> UInt32(16 - HuffmanTable.shortBits))]
        if entry != 0 {
            try drop(Int(entry >> 8))
            return Int(entry & 0xFF)
        }
        guard let long = table.long(next) else {
            throw .malformed("no Huffman code begins with these bits", at: place)
        }
        try drop(long.length)
        return Int(long.value)
    }

    /// A difference or a coefficient of `length` bits, at most 16 (T.81, annex F.2.2.1).
    @_lifetime(self: copy self)
    mutating func value(_ length: Int) throws(PictureError) -> Int32 {
        guard length > 0 else { return 0 }
        if count < 16 { fill() }
        let field = Int32(
            truncatingIfNeeded: (bits >> UInt64(count - length)) & ((1 << UInt64(length)) - 1))
        try drop(length)
        return field < 1 << (length - 1) ? field - (1 << length) + 1 : field
    }

    /// Passes over the rest of the byte and the restart marker of this number, from 0 to 7.
    @_lifetime(self: copy self)
    mutating func restart(_ number: Int) throws(PictureError) {
        // Whole bytes that were read ahead of the marker belong to no interval.
        guard count - made < 8 else {
            throw .malformed("bytes where a restart marker belongs", at: place)
        }
        guard place + 1 < bytes.count else { throw .cutOff }
        guard bytes[place] == 0xFF, bytes[place + 1] == 0xD0 + UInt8(number) else {
            throw .malformed("no restart marker \(number)", at: place)
        }
        place += 2
        (bits, count, made) = (0, 0, 0)
    }
}
