/// The zlib format (RFC 1950) around blocks that are stored, not compressed (RFC 1951, 3.2.4):
/// what every reader of the format takes, without a compressor.
enum StoredZlib {
    /// The most that a block holds, in bytes.
    static let blockBytes = 65_535

    /// `bytes` in that format.
    static func wrap(_ bytes: [UInt8]) -> [UInt8] {
        // Method 8 with a window of 32 KiB, no dictionary; both bytes together divide by 31.
        var result: [UInt8] = [0x78, 0x01]
        result.reserveCapacity(bytes.count + 5 * (bytes.count / blockBytes + 1) + 6)
        var start = 0
        repeat {
            let end = min(start + blockBytes, bytes.count)
            let length = UInt16(end - start)
            result.append(end == bytes.count ? 1 : 0)
            for number in [length, ~length] {
                result.append(UInt8(truncatingIfNeeded: number))
                result.append(UInt8(truncatingIfNeeded: number >> 8))
            }
            result += bytes[start..<end]
            start = end
        } while start < bytes.count
        return result + BigEndian.bytes(adler32(bytes))
    }

    /// The check sum Adler-32 (RFC 1950, section 8).
    static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var first: UInt32 = 1
        var second: UInt32 = 0
        for byte in bytes {
            first = (first + UInt32(byte)) % 65_521
            second = (second + first) % 65_521
        }
        return second << 16 | first
    }
}

/// Whole numbers, the most significant byte first.
enum BigEndian {
    /// All bytes of `value`.
    static func bytes<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) -> [UInt8] {
        (1...Value.bitWidth / 8).map { place in
            UInt8(truncatingIfNeeded: value >> (Value.bitWidth - 8 * place))
        }
    }
}
