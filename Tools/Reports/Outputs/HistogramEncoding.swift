import ControlProtocol

extension LatencyHistogram {
    /// The histogram as HdrHistogram's readers take it: base 64 of its compressed encoding, version
    /// 2, of a histogram of nanoseconds from 1 to 3.6·10¹² with three significant digits.
    ///
    /// Its `encodeIntoCompressedByteBuffer` (Java) and `encode` (Python) describe the form: a
    /// cookie and a length, then in zlib's format a header of 40 bytes and the counts. Values
    /// longer than an hour are in the last slot.
    var hdrText: String {
        let counts = hdrCounts
        var payload = BigEndian.bytes(UInt32(0x1C84_9303 | Self.wordSizeBits))
        payload += BigEndian.bytes(UInt32(counts.count))
        // No offset of the first slot, and three digits.
        payload += BigEndian.bytes(UInt32(0)) + BigEndian.bytes(UInt32(3))
        payload += BigEndian.bytes(UInt64(1)) + BigEndian.bytes(Self.largestNanoseconds)
        // A count of the histogram's is one of the units it was recorded in.
        payload += BigEndian.bytes((1.0).bitPattern)
        let compressed = StoredZlib.wrap(payload + counts)
        return Base64.encode(
            BigEndian.bytes(UInt32(0x1C84_9304 | Self.wordSizeBits))
                + BigEndian.bytes(UInt32(compressed.count)) + compressed)
    }

    /// Says that counts are of variable length.
    private static let wordSizeBits = 0x10

    /// The counts slot by slot. Two and more empty slots in a row are one negative number.
    private var hdrCounts: [UInt8] {
        var bytes: [UInt8] = []
        let counts = slotCounts
        var index = counts.startIndex
        while index < counts.endIndex {
            let count = counts[index]
            index += 1
            guard count == 0 else {
                Self.append(Int64(clamping: count), to: &bytes)
                continue
            }
            let first = index - 1
            while index < counts.endIndex, counts[index] == 0 { index += 1 }
            let empty = Int64(index - first)
            Self.append(empty > 1 ? -empty : 0, to: &bytes)
        }
        return bytes
    }

    /// Appends `value` as ZigZag LEB128-64b9B: seven bits a byte, the least significant first, but
    /// the ninth byte holds eight, so that 64 bits never take a tenth.
    static func append(_ value: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        for _ in 0..<8 {
            guard rest > 0x7F else { break }
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
