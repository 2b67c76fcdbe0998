public import WatchProtoCore

// Layout: shape, taken, total, overdue, active, two text lengths, colour, next dose, extension
// length, then the texts, then the extensions.

extension ComplicationState: RecordCodable {
    /// Bits of the shape byte; the low two hold the version, the highest two are zero.
    private enum Shape {
        static let version: UInt8 = 1
        static let extensions: UInt8 = 4
        static let nextDose: UInt8 = 8
        static let wide: UInt8 = 16
        static let alpha: UInt8 = 32
        static let unused: UInt8 = 0xC0
    }

    /// The size of the encoding in bytes, whether within the budget or not.
    public var encodedSize: Int {
        var size = 7 + (color & 0xFF == 0xFF ? 3 : 4)
        if let nextDose { size += nextDose.isNarrow ? 3 : 4 }
        size += name.utf8.count + amountText.utf8.count
        if !extensions.isEmpty { size += 1 + extensions.byteCount }
        return size
    }

    /// Appends the encoding to `output`.
    ///
    /// - Throws: ``EncodingRefusal`` if it is over the budget or does not fit. The caller is at
    ///   fault, and nothing was written.
    public func encode(into output: inout OutputSpan<UInt8>) throws(EncodingRefusal) {
        try checkRoom(encodedSize, output)
        var shape = Shape.version
        if !extensions.isEmpty { shape |= Shape.extensions }
        if let nextDose {
            shape |= nextDose.isNarrow ? Shape.nextDose : Shape.nextDose | Shape.wide
        }
        if color & 0xFF != 0xFF { shape |= Shape.alpha }
        output.append(shape)
        output.append(taken)
        output.append(total)
        output.append(overdue)
        output.append(active)
        output.append(UInt8(name.utf8.count))
        output.append(UInt8(amountText.utf8.count))
        output.append(color: color)
        if let nextDose {
            let bits = UInt32(bitPattern: nextDose.minutes)
            output.append(UInt64(bits), bytes: nextDose.isNarrow ? 3 : 4)
        }
        if !extensions.isEmpty { output.append(UInt8(extensions.byteCount)) }
        output.append(text: name)
        output.append(text: amountText)
        if !extensions.isEmpty { output.append(copying: extensions.wireForm) }
    }

    /// Decodes the state from all of `bytes`.
    ///
    /// - Throws: the broken rule and its offset; the maker of the bytes is at fault.
    public init(decoding bytes: Span<UInt8>) throws(WireError) {
        try checkLength(bytes, atMost: Self.byteBudget)
        var reader = WireReader(bytes)
        let shape = try reader.byte("the shape of a complication state")
        try checkVersion(shape & 3)
        guard shape & Shape.unused == 0, shape & (Shape.nextDose | Shape.wide) != Shape.wide else {
            throw WireError(
                .unknownCode, at: 0, expected: "a shape of complication states",
                found: UInt64(shape))
        }
        taken = try reader.byte("the doses taken")
        total = try reader.byte("the doses planned")
        overdue = try reader.byte("the doses overdue")
        active = try reader.byte("the active medications")
        let nameLength = Int(try reader.byte("the length of a name"))
        let amountLength = Int(try reader.byte("the length of an amount's text"))
        color = try reader.color(hasAlpha: shape & Shape.alpha != 0)
        if shape & Shape.nextDose != 0 {
            let start = reader.offset
            let isWide = shape & Shape.wide != 0
            let minute = try reader.minute(wide: isWide)
            guard !isWide || !minute.isNarrow else {
                throw WireError(
                    .overlong, at: start, expected: "a next dose that needs four bytes", found: 4)
            }
            nextDose = minute
        }
        let hasExtensions = shape & Shape.extensions != 0
        let extensionLength = hasExtensions ? try reader.extensionLength() : 0
        name = try reader.text(nameLength, "a name")
        amountText = try reader.text(amountLength, "an amount's text")
        extensions = try reader.extensions(extensionLength)
        try reader.finish("the end of a complication state")
    }
}
