extension LightweightMedication: RecordCodable {
    public var encodedSize: Int {
        let isWide = !Stamp.isNarrow(updatedAt) || !(nextDose?.isNarrow ?? true)
        var size = MedicationShape.headerBytes + 16 + (isWide ? 8 : 5)
        size += color & 0xFF == 0xFF ? 3 : 4
        if nextDose != nil { size += isWide ? 4 : 3 }
        size += byteWidth(revision)
        if schedule.weekdays != DoseSchedule.usualWeekdays(schedule.slots.count) { size += 1 }
        size += DoseSlots.packedBytes(schedule.slots.count)
        if case .fixed = schedule.zone { size += 2 }
        if let amount = dosage.amount { size += amount.encodedSize }
        if !extensions.isEmpty { size += 1 + extensions.byteCount }
        return size + name.utf8.count + dosage.strength.utf8.count + instructions.utf8.count
    }

    public func encode(into output: inout OutputSpan<UInt8>) throws(EncodingRefusal) {
        try checkRoom(encodedSize, output)
        let isWide = !Stamp.isNarrow(updatedAt) || !(nextDose?.isNarrow ?? true)
        let slots = schedule.slots
        let hasWeekdays = schedule.weekdays != DoseSchedule.usualWeekdays(slots.count)
        let revisionWidth = byteWidth(revision)

        var first = MedicationShape.version
        if !extensions.isEmpty { first |= MedicationShape.extensions }
        if dosage.amount != nil { first |= MedicationShape.amount }
        switch schedule.zone {
        case .floating: break
        case .fixed: first |= MedicationShape.fixedZone
        case .absolute: first |= MedicationShape.absoluteZone
        }
        if hasWeekdays { first |= MedicationShape.weekdays }
        if color & 0xFF != 0xFF { first |= MedicationShape.alpha }
        var second = UInt8(slots.count) | UInt8(revisionWidth - 1) << 4
        if nextDose != nil { second |= MedicationShape.nextDose }
        if isWide { second |= MedicationShape.wide }

        output.append(first)
        output.append(second)
        output.append(flags.rawValue)
        output.append(dosage.form.rawValue)
        output.append(UInt8(name.utf8.count))
        output.append(UInt8(dosage.strength.utf8.count))
        output.append(UInt8(instructions.utf8.count))
        output.append(identity: id.rawValue)
        if isWide {
            output.append(UInt64(bitPattern: updatedAt.milliseconds), bytes: 8)
        } else {
            output.append(Stamp.narrow(updatedAt), bytes: 5)
        }
        output.append(color: color)
        if let nextDose {
            output.append(UInt64(UInt32(bitPattern: nextDose.minutes)), bytes: isWide ? 4 : 3)
        }
        output.append(UInt64(revision), bytes: revisionWidth)
        if hasWeekdays { output.append(schedule.weekdays.rawValue) }
        let packedBytes = DoseSlots.packedBytes(slots.count)
        output.append(slots.low, bytes: min(packedBytes, 8))
        if packedBytes > 8 { output.append(UInt64(slots.high), bytes: packedBytes - 8) }
        if case .fixed(let offset) = schedule.zone {
            output.append(UInt64(UInt16(bitPattern: offset.minutes)), bytes: 2)
        }
        if let amount = dosage.amount { output.append(amount: amount) }
        if !extensions.isEmpty { output.append(UInt8(extensions.byteCount)) }
        output.append(text: name)
        output.append(text: dosage.strength)
        output.append(text: instructions)
        if !extensions.isEmpty { output.append(copying: extensions.wireForm) }
    }

    public init(decoding bytes: Span<UInt8>) throws(WireError) {
        try checkLength(bytes, atMost: Self.byteBudget)
        var reader = WireReader(bytes)
        let first = try reader.byte("the first shape byte of a medication")
        try checkVersion(first & 3)
        guard first & MedicationShape.zone != MedicationShape.zone else {
            throw WireError(.unknownCode, at: 0, expected: "a zone rule of 0 to 2", found: 3)
        }
        let second = try reader.byte("the second shape byte of a medication")
        let slotCount = Int(second & MedicationShape.slotCount)
        guard slotCount <= DoseSlots.largestCount else {
            throw WireError(
                .outOfRange, at: 1, expected: "at most eight dose slots", found: UInt64(slotCount))
        }
        flags = MedicationFlags(rawValue: try reader.byte("the flags of a medication"))
        let form = DoseForm(rawValue: try reader.byte("a dose form"))
        let nameLength = Int(try reader.byte("the length of a name"))
        let strengthLength = Int(try reader.byte("the length of a strength"))
        let instructionsLength = Int(try reader.byte("the length of instructions"))
        id = MedicationID(rawValue: try reader.uint128("the id of a medication"))
        let isWide = second & MedicationShape.wide != 0
        let stampStart = reader.offset
        updatedAt = try reader.stamp(wide: isWide)
        color = try reader.color(hasAlpha: first & MedicationShape.alpha != 0)
        if second & MedicationShape.nextDose != 0 { nextDose = try reader.minute(wide: isWide) }
        guard !isWide || !Stamp.isNarrow(updatedAt) || !(nextDose?.isNarrow ?? true) else {
            throw WireError(
                .overlong, at: stampStart, expected: "times that need the wide form", found: 8)
        }
        revision = try reader.tight(Int(second >> 4 & 3) + 1, "a revision")
        var weekdays = DoseSchedule.usualWeekdays(slotCount)
        if first & MedicationShape.weekdays != 0 {
            let start = reader.offset
            let mask = try reader.byte("a weekday mask")
            guard mask < 0x80, mask != weekdays.rawValue else {
                throw WireError(
                    .notCanonical, at: start, expected: "a weekday mask that is not the usual one",
                    found: UInt64(mask))
            }
            weekdays = Weekdays(rawValue: mask)
        }
        let slots = try reader.slots(slotCount)
        let zone: ZoneRule =
            switch first & MedicationShape.zone {
            case MedicationShape.fixedZone: .fixed(try reader.zoneOffset())
            case MedicationShape.absoluteZone: .absolute
            default: .floating
            }
        schedule = DoseSchedule(slots: slots, weekdays: weekdays, zone: zone)
        let amount = first & MedicationShape.amount != 0 ? try reader.amount() : nil
        let hasExtensions = first & MedicationShape.extensions != 0
        let extensionLength = hasExtensions ? try reader.extensionLength() : 0
        name = try reader.text(nameLength, "a name")
        let strength = try reader.text(strengthLength, "a strength")
        dosage = Dosage(strength: strength, form: form, amount: amount)
        instructions = try reader.text(instructionsLength, "instructions")
        extensions = try reader.extensions(extensionLength)
        try reader.finish("the end of a medication")
    }
}
