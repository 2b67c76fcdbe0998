public import WatchProtoCore

// The pieces that several records share on the wire, written, and their widths. Numbers stand
// lowest byte first unless said otherwise.

extension OutputSpan<UInt8> {
    /// The low `count` bytes of `value`, lowest first.
    @_lifetime(self: copy self)
    mutating func append(_ value: UInt64, bytes count: Int) {
        var rest = value
        for _ in 0..<count {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Sixteen bytes, highest first, as UUIDs are written.
    @_lifetime(self: copy self)
    mutating func append(identity: UInt128) {
        append(UInt64(truncatingIfNeeded: identity >> 64).byteSwapped, bytes: 8)
        append(UInt64(truncatingIfNeeded: identity).byteSwapped, bytes: 8)
    }

    /// Red, green, blue, and alpha if it is not 255.
    @_lifetime(self: copy self)
    mutating func append(color: UInt32) {
        append(UInt64(color.byteSwapped), bytes: color & 0xFF == 0xFF ? 3 : 4)
    }

    /// A unit, a byte of scale and width, and the mantissa.
    @_lifetime(self: copy self)
    mutating func append(amount: Amount) {
        let width = byteWidth(amount.mantissa)
        append(amount.unit.rawValue)
        append(amount.scale << 4 | UInt8(width - 1))
        append(UInt64(amount.mantissa), bytes: width)
    }

    /// The UTF-8 of `text`.
    @_lifetime(self: copy self)
    mutating func append(text: String) {
        for byte in text.utf8 { append(byte) }
    }

    /// The bytes themselves.
    @_lifetime(self: copy self)
    mutating func append(copying bytes: [UInt8]) {
        for byte in bytes { append(byte) }
    }
}

/// The bytes `value` takes without leading zeros, 1 to 4.
@inlinable
func byteWidth(_ value: UInt32) -> Int {
    4 - (value | 1).leadingZeroBitCount >> 3
}

/// Time stamps in milliseconds: five bytes from the base if they suffice, else eight.
@usableFromInline
enum Stamp {
    /// Whether five bytes from the base hold `time`.
    @inlinable
    static func isNarrow(_ time: WallTime) -> Bool { narrow(time) >> 40 == 0 }

    /// Milliseconds since the base, modulo 2^64.
    @inlinable
    static func narrow(_ time: WallTime) -> UInt64 {
        UInt64(bitPattern: time.milliseconds &- 1_577_836_800_000)
    }
}

extension WallMinute {
    /// Whether three bytes from the base hold the minute.
    @inlinable
    var isNarrow: Bool { UInt32(bitPattern: minutes) >> 24 == 0 }
}

extension Amount {
    /// The bytes the amount takes on the wire.
    var encodedSize: Int { 2 + byteWidth(mantissa) }
}
