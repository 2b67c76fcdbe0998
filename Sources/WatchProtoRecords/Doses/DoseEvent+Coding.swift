public import WatchProtoCore

// Layout: shape, action, id, medication, time stamp, zone offset, then what the shape names:
// planned dose, snooze, corrected event, amount, extension length, extensions.

extension DoseEvent: RecordCodable {
    /// Bits of the shape byte; the low two hold the version.
    private enum Shape {
        static let version: UInt8 = 1
        static let extensions: UInt8 = 4
        static let amount: UInt8 = 8
        static let planned: UInt8 = 16
        static let corrects: UInt8 = 32
        static let wide: UInt8 = 64
        static let snooze: UInt8 = 128
    }

    /// The size of the encoding in bytes, whether within the budget or not.
    public var encodedSize: Int {
        var size = 2 + 16 + 16 + (Stamp.isNarrow(at) ? 5 : 8) + 2
        if slot != .asNeeded { size += 4 }
        if snoozeMinutes > 0 { size += 2 }
        if corrects != nil { size += 16 }
        if let amount { size += amount.encodedSize }
        if !extensions.isEmpty { size += 1 + extensions.byteCount }
        return size
    }

    /// Appends the encoding to `output`.
    ///
    /// - Throws: ``EncodingRefusal`` if it is over the budget or does not fit. The caller is at
    ///   fault, and nothing was written.
    public func encode(into output: inout OutputSpan<UInt8>) throws(EncodingRefusal) {
        try checkRoom(encodedSize, output)
        let isNarrow = Stamp.isNarrow(at)
        var shape = Shape.version
        if !extensions.isEmpty { shape |= Shape.extensions }
        if amount != nil { shape |= Shape.amount }
        if slot != .asNeeded { shape |= Shape.planned }
        if corrects != nil { shape |= Shape.corrects }
        if !isNarrow { shape |= Shape.wide }
        if snoozeMinutes > 0 { shape |= Shape.snooze }
        output.append(shape)
        output.append(action.rawValue)
        output.append(identity: id.rawValue)
        output.append(identity: medication.rawValue)
        if isNarrow {
            output.append(Stamp.narrow(at), bytes: 5)
        } else {
            output.append(UInt64(bitPattern: at.milliseconds), bytes: 8)
        }
        output.append(UInt64(UInt16(bitPattern: zoneOffset.minutes)), bytes: 2)
        if case .planned(let dose) = slot {
            output.append(UInt64(dose.day), bytes: 2)
            output.append(UInt64(dose.minute), bytes: 2)
        }
        if snoozeMinutes > 0 { output.append(UInt64(snoozeMinutes), bytes: 2) }
        if let corrects { output.append(identity: corrects.rawValue) }
        if let amount { output.append(amount: amount) }
        if !extensions.isEmpty {
            output.append(UInt8(extensions.byteCount))
            output.append(copying: extensions.wireForm)
        }
    }

    /// Decodes the event from all of `bytes`.
    ///
    /// - Throws: the broken rule and its offset; the maker of the bytes is at fault.
    public init(decoding bytes: Span<UInt8>) throws(WireError) {
        try checkLength(bytes, atMost: Self.byteBudget)
        var reader = WireReader(bytes)
        let shape = try reader.byte("the shape of a dose event")
        try checkVersion(shape & 3)
        action = DoseAction(rawValue: try reader.byte("an action"))
        id = DoseEventID(rawValue: try reader.uint128("the id of a dose event"))
        medication = MedicationID(rawValue: try reader.uint128("the id of a medication"))
        let isWide = shape & Shape.wide != 0
        at = try reader.stamp(wide: isWide)
        guard !isWide || !Stamp.isNarrow(at) else {
            throw WireError(
                .overlong, at: 34, expected: "a time stamp that needs eight bytes", found: 8)
        }
        zoneOffset = try reader.zoneOffset()
        if shape & Shape.planned != 0 {
            let day = try reader.uint16("the day of a planned dose")
            let start = reader.offset
            let minute = try reader.uint16("the minute of a planned dose")
            guard let dose = PlannedDose(day: day, minute: Int(minute)) else {
                throw WireError(
                    .outOfRange, at: start, expected: "a minute of the day, below 1440",
                    found: UInt64(minute))
            }
            slot = .planned(dose)
        } else {
            slot = .asNeeded
        }
        snoozeMinutes = 0
        if shape & Shape.snooze != 0 {
            let start = reader.offset
            snoozeMinutes = try reader.uint16("the minutes of a snooze")
            guard snoozeMinutes > 0 else {
                throw WireError(
                    .notCanonical, at: start, expected: "a snooze of at least a minute", found: 0)
            }
        }
        if shape & Shape.corrects != 0 {
            corrects = DoseEventID(rawValue: try reader.uint128("the id of the corrected event"))
        }
        amount = shape & Shape.amount != 0 ? try reader.amount() : nil
        extensions = ExtensionFields()
        if shape & Shape.extensions != 0 {
            let length = try reader.extensionLength()
            extensions = try reader.extensions(length)
        }
        try reader.finish("the end of a dose event")
    }
}

/// Refuses a record of more than `limit` bytes.
func checkLength(_ bytes: Span<UInt8>, atMost limit: Int) throws(WireError) {
    guard bytes.count <= limit else {
        throw WireError(
            .outOfRange, at: limit, expected: "a record of at most 200 bytes",
            found: UInt64(bytes.count))
    }
}

/// Refuses every version but 1.
func checkVersion(_ version: UInt8) throws(WireError) {
    guard version == 1 else {
        throw WireError(
            .unknownCode, at: 0, expected: "version 1 of a record", found: UInt64(version))
    }
}

extension WireReader {
    /// The bytes of the extension fields, at least the two of a field without content.
    mutating func extensionLength() throws(WireError) -> Int {
        let start = offset
        let length = try byte("the length of extension fields")
        guard length >= 2 else {
            throw WireError(
                .notCanonical, at: start, expected: "at least one extension field",
                found: UInt64(length))
        }
        return Int(length)
    }
}
