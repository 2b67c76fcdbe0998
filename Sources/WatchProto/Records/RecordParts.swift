// The pieces that several records share on the wire: what is written, in which width, and what a
// reader refuses. Numbers stand lowest byte first unless said otherwise.

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

    /// Red, green, blue, and alpha where it is not 255.
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

/// Time stamps in milliseconds: five bytes from the base where they reach, else eight.
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

extension WireReader {
    /// A time stamp, in eight bytes when `wide`.
    mutating func stamp(wide: Bool) throws(WireError) -> WallTime {
        if wide {
            let bits = try fixed(8, "a time stamp of eight bytes")
            return WallTime(milliseconds: Int64(bitPattern: bits))
        }
        let sinceBase = try fixed(5, "a time stamp of five bytes")
        return WallTime(milliseconds: RecordBase.milliseconds + Int64(sinceBase))
    }

    /// A moment to the minute, in four bytes when `wide`.
    mutating func minute(wide: Bool) throws(WireError) -> WallMinute {
        let bits = try fixed(wide ? 4 : 3, "minutes since 2020")
        return WallMinute(minutes: Int32(truncatingIfNeeded: bits))
    }

    /// A colour, with its alpha when `hasAlpha`.
    mutating func color(hasAlpha: Bool) throws(WireError) -> UInt32 {
        let start = offset
        let bits = UInt32(try fixed(hasAlpha ? 4 : 3, "a colour"))
        guard hasAlpha else { return bits.byteSwapped | 0xFF }
        guard bits >> 24 != 0xFF else {
            throw WireError(
                .notCanonical, at: start + 3, expected: "an alpha other than 255", found: 255)
        }
        return bits.byteSwapped
    }

    /// A number of `width` bytes that needs them all.
    mutating func tight(_ width: Int, _ what: StaticString) throws(WireError) -> UInt32 {
        let start = offset
        let value = UInt32(try fixed(width, what))
        guard byteWidth(value) == width else {
            throw WireError(.overlong, at: start, expected: what, found: UInt64(value))
        }
        return value
    }

    /// An amount.
    mutating func amount() throws(WireError) -> Amount {
        let unit = DoseUnit(rawValue: try byte("the unit of an amount"))
        let start = offset
        let shape = try byte("the scale and width of an amount")
        guard shape & 0x0C == 0, shape >> 4 <= UInt8(Amount.largestScale) else {
            throw WireError(
                .outOfRange, at: start, expected: "a scale of at most 9 and a width",
                found: UInt64(shape))
        }
        let mantissa = try tight(Int(shape & 3) + 1, "the digits of an amount")
        guard shape >> 4 == 0 || !mantissa.isMultiple(of: 10) else {
            throw WireError(
                .notCanonical, at: start, expected: "an amount without trailing zeros",
                found: UInt64(mantissa))
        }
        return Amount(checkedMantissa: mantissa, scale: shape >> 4, unit: unit)
    }

    /// A zone offset.
    mutating func zoneOffset() throws(WireError) -> ZoneOffset {
        let start = offset
        let bits = try uint16("a zone offset")
        guard let zone = ZoneOffset(minutes: Int(Int16(bitPattern: bits))) else {
            throw WireError(
                .outOfRange, at: start, expected: "a zone offset of −1080 to 1080 minutes",
                found: UInt64(bits))
        }
        return zone
    }

    /// `count` packed dose slots.
    mutating func slots(_ count: Int) throws(WireError) -> DoseSlots {
        let start = offset
        let size = DoseSlots.packedBytes(count)
        let lowSize = min(size, 8)
        let low = try fixed(lowSize, "dose slots")
        let high = try fixed(size - lowSize, "dose slots")
        let packed = UInt128(high) << 64 | UInt128(low)
        var last = -1
        for position in 0..<count {
            let minute = Int(truncatingIfNeeded: packed >> UInt128(11 * position)) & 0x7FF
            guard minute < DoseSlots.minutesPerDay else {
                throw WireError(
                    .outOfRange, at: start, expected: "a dose slot below 1440 minutes",
                    found: UInt64(minute))
            }
            guard minute > last else {
                throw WireError(
                    .notCanonical, at: start, expected: "dose slots in ascending order",
                    found: UInt64(minute))
            }
            last = minute
        }
        let padding = packed >> UInt128(11 * count)
        guard padding == 0 else {
            throw WireError(
                .notCanonical, at: start, expected: "zero bits after the last dose slot",
                found: UInt64(padding))
        }
        return DoseSlots(checkedLow: low, high: UInt32(truncatingIfNeeded: high), count: count)
    }

    /// Text of `count` bytes.
    mutating func text(_ count: Int, _ what: StaticString) throws(WireError) -> String {
        let start = offset
        let part = try bytes(count, what)
        do {
            return String(copying: try UTF8Span(validating: part))
        } catch {
            throw WireError(
                .invalidText, at: start + error.byteOffsets.lowerBound, expected: what,
                found: UInt64(part[error.byteOffsets.lowerBound]))
        }
    }

    /// The extension fields in the `count` bytes that are left.
    mutating func extensions(_ count: Int) throws(WireError) -> ExtensionFields {
        let start = offset
        let part = try bytes(count, "extension fields")
        do {
            try ExtensionFields.check(part, 0..<count)
        } catch {
            throw WireError(
                error.rule, at: start + error.offset, expected: error.expected, found: error.found)
        }
        return ExtensionFields(checked: [UInt8](copying: part))
    }
}
