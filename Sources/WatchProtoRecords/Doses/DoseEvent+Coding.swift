import WatchProtoCore

// Layout: two shape bytes, id, medication, time stamp, then what the shape names: minute, zone
// offset, planned dose, device, uptime, phone offset, replaced events, amount, extensions.

extension DoseEvent: RecordCodable {
    /// Bits of the first shape byte; the low two hold the version.
    enum Shape {
        static let version: UInt8 = 1
        static let extensions: UInt8 = 4
        static let amount: UInt8 = 8
        static let planned: UInt8 = 16
        static let entry: UInt8 = 32
        static let wide: UInt8 = 64
        static let minute: UInt8 = 128
    }

    /// Bits of the second shape byte; the low two hold the action, the next two the status.
    enum Details {
        static let minutesOfZone: UInt8 = 16
        static let device: UInt8 = 32
        static let uptime: UInt8 = 64
        static let phoneOffset: UInt8 = 128
    }

    /// The status code of a withdrawal.
    static let noStatus: UInt8 = 3

    private var isWide: Bool {
        !Stamp.isNarrow(time.wall) || !(status?.minute?.isNarrow ?? true)
    }

    private var shape: UInt8 {
        var shape = Shape.version
        if !extensions.isEmpty { shape |= Shape.extensions }
        if status?.amount != nil { shape |= Shape.amount }
        if let planned {
            shape |= Shape.planned
            if planned.entry != planned.minute { shape |= Shape.entry }
        }
        if isWide { shape |= Shape.wide }
        if status?.minute != nil { shape |= Shape.minute }
        return shape
    }

    private var details: UInt8 {
        var details = action.code | statusCode << 2
        if !time.zoneOffset.minutes.isMultiple(of: 15) { details |= Details.minutesOfZone }
        if time.device != nil { details |= Details.device }
        if time.uptime != nil { details |= Details.uptime }
        if time.phoneOffset != nil { details |= Details.phoneOffset }
        return details
    }

    /// The size of the encoding in bytes, whether within the budget or not.
    public var encodedSize: Int {
        let isWide = isWide
        var size = 2 + 16 + 16 + (isWide ? 8 : 5)
        if status?.minute != nil { size += isWide ? 4 : 3 }
        size += time.zoneOffset.minutes.isMultiple(of: 15) ? 1 : 2
        if let planned {
            size +=
                4
                + (planned.entry == planned.minute
                    ? 0 : WireWriter.varintSize(UInt64(planned.entry)))
        }
        if time.device != nil { size += 4 }
        if time.uptime != nil { size += 9 }
        if let offset = time.phoneOffset { size += WireWriter.varintSize(UInt64(zigzag(offset))) }
        if action != .record { size += 1 + 16 * replaces.count }
        if let amount = status?.amount { size += amount.encodedSize }
        if !extensions.isEmpty { size += 1 + extensions.byteCount }
        return size
    }

    /// Appends the encoding to `output`.
    ///
    /// - Throws: ``EncodingRefusal`` if it is over the budget or does not fit. The caller is at
    ///   fault, and nothing was written.
    public func encode(into output: inout OutputSpan<UInt8>) throws(EncodingRefusal) {
        try checkRoom(encodedSize, output)
        output.append(shape)
        output.append(details)
        output.append(identity: id.rawValue)
        output.append(identity: medication.rawValue)
        let isWide = isWide
        if isWide {
            output.append(UInt64(bitPattern: time.wall.milliseconds), bytes: 8)
        } else {
            output.append(Stamp.narrow(time.wall), bytes: 5)
        }
        if let minute = status?.minute {
            output.append(UInt64(UInt32(bitPattern: minute.minutes)), bytes: isWide ? 4 : 3)
        }
        let zone = time.zoneOffset.minutes
        if zone.isMultiple(of: 15) {
            output.append(UInt8(bitPattern: Int8(zone / 15)))
        } else {
            output.append(UInt64(UInt16(bitPattern: zone)), bytes: 2)
        }
        if let planned {
            output.append(UInt64(planned.day), bytes: 2)
            output.append(UInt64(planned.minute), bytes: 2)
            if planned.entry != planned.minute { output.append(varint: UInt64(planned.entry)) }
        }
        if let device = time.device { output.append(UInt64(device), bytes: 4) }
        if let uptime = time.uptime {
            output.append(UInt64(uptime.boot), bytes: 4)
            output.append(uptime.milliseconds, bytes: 5)
        }
        if let offset = time.phoneOffset { output.append(varint: UInt64(zigzag(offset))) }
        if action != .record {
            output.append(UInt8(replaces.count))
            for id in replaces { output.append(identity: id.rawValue) }
        }
        if let amount = status?.amount { output.append(amount: amount) }
        if !extensions.isEmpty {
            output.append(UInt8(extensions.byteCount))
            output.append(copying: extensions.wireForm)
        }
    }
}

/// The form of a signed number whose small magnitudes are small: 0, −1, 1, −2 are 0, 1, 2, 3.
func zigzag(_ value: Int32) -> UInt32 { UInt32(bitPattern: value << 1 ^ value >> 31) }

extension OutputSpan<UInt8> {
    /// Seven bits in each byte, lowest first, with the high bit set on all but the last byte.
    @_lifetime(self: copy self)
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
