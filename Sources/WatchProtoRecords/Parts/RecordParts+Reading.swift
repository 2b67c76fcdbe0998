import WatchProtoCore

// The pieces that several records share on the wire, read. Every breach of a rule is named here.

extension WireReader {
    /// A time stamp, in eight bytes if `wide`.
    mutating func stamp(wide: Bool) throws(WireError) -> WallTime {
        if wide {
            let bits = try fixed(8, "a time stamp of eight bytes")
            return WallTime(milliseconds: Int64(bitPattern: bits))
        }
        let sinceBase = try fixed(5, "a time stamp of five bytes")
        return WallTime(milliseconds: RecordBase.milliseconds + Int64(sinceBase))
    }

    /// A time to the minute, in four bytes if `wide`.
    mutating func minute(wide: Bool) throws(WireError) -> WallMinute {
        let bits = try fixed(wide ? 4 : 3, "minutes since 2020")
        return WallMinute(minutes: Int32(truncatingIfNeeded: bits))
    }

    /// A colour, with its alpha if `hasAlpha`.
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
