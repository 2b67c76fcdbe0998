/// Appends wire values to a buffer. The counterpart of ``WireReader``.
package struct WireWriter: Sendable {
    /// The bytes that were written so far.
    package var bytes: [UInt8]

    /// Makes a writer that appends to `bytes`.
    package init(_ bytes: consuming [UInt8] = []) {
        self.bytes = bytes
    }

    /// Bytes in the buffer, those it began with included.
    package var count: Int { bytes.count }

    /// One byte.
    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Two bytes, lowest first.
    package mutating func uint16(_ value: UInt16) { fixed(UInt64(value), count: 2) }

    /// Eight bytes, lowest first.
    package mutating func uint64(_ value: UInt64) { fixed(value, count: 8) }

    /// Sixteen bytes, highest first, as UUIDs are written.
    package mutating func uint128(_ value: UInt128) {
        for shift in stride(from: 120, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt128(shift)))
        }
    }

    /// The low `count` bytes of `value`, lowest first.
    package mutating func fixed(_ value: UInt64, count: Int) {
        for index in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
        }
    }

    /// A variable-length number in as few bytes as it needs.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The bytes themselves.
    package mutating func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    /// The bytes themselves.
    package mutating func append(_ span: Span<UInt8>) {
        bytes.append(addingCapacity: span.count) { output in
            for index in span.indices { output.append(span[index]) }
        }
    }

    /// A length, then the bytes.
    package mutating func block(_ other: [UInt8]) {
        varint(UInt64(other.count))
        append(other)
    }

    /// The bytes a variable-length number takes.
    package static func varintSize(_ value: UInt64) -> Int {
        value == 0 ? 1 : (70 - value.leadingZeroBitCount) / 7
    }
}
