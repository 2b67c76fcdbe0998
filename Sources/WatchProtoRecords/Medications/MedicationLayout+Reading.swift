import WatchProtoCore

extension MedicationLayout {
    /// Lays out any encoding field by field, or throws its fault and the offset.
    @inline(never)
    init(reading bytes: Span<UInt8>) throws(WireError) {
        try checkLength(bytes, atMost: LightweightMedication.byteBudget)
        var reader = WireReader(bytes)
        let first = try reader.byte("the first shape byte of a medication")
        try checkVersion(first & 3)
        guard first & MedicationShape.zone != MedicationShape.zone else {
            throw WireError(
                .unknownCode, at: 0, expected: "a zone rule of 0 to 2", found: UInt64(first))
        }
        let second = try reader.byte("the second shape byte of a medication")
        let slotCount = Int(second & MedicationShape.slotCount)
        guard slotCount <= DoseSlots.largestCount else {
            throw WireError(
                .outOfRange, at: 1, expected: "at most eight dose slots", found: UInt64(slotCount))
        }
        let rest = try reader.fixed(5, "the flags, form and text lengths of a medication")
        header = UInt64(first) | UInt64(second) << 8 | rest << 16
        _ = try reader.uint128("the id of a medication")
        let isWide = second & MedicationShape.wide != 0
        let stampStart = reader.offset
        let stamp = try reader.stamp(wide: isWide)
        updatedAtMilliseconds = stamp.milliseconds
        color = try reader.color(hasAlpha: first & MedicationShape.alpha != 0)
        var next: WallMinute?
        if second & MedicationShape.nextDose != 0 { next = try reader.minute(wide: isWide) }
        nextMinutes = next?.minutes ?? 0
        guard !isWide || !Stamp.isNarrow(stamp) || !(next?.isNarrow ?? true) else {
            throw WireError(
                .overlong, at: stampStart, expected: "times that need the wide form", found: 8)
        }
        revision = try reader.tight(Int(second >> 4 & 3) + 1, "a revision")
        weekdayMask = DoseSchedule.usualWeekdays(slotCount).rawValue
        if first & MedicationShape.weekdays != 0 {
            let start = reader.offset
            let mask = try reader.byte("a weekday mask")
            guard mask < 0x80, mask != weekdayMask else {
                throw WireError(
                    .notCanonical, at: start, expected: "a weekday mask that is not the usual one",
                    found: UInt64(mask))
            }
            weekdayMask = mask
        }
        let slots = try reader.slots(slotCount)
        slotsLow = slots.low
        slotsHigh = slots.high
        if first & MedicationShape.fixedZone != 0 { zoneMinutes = try reader.zoneOffset().minutes }
        if first & MedicationShape.amount != 0 {
            let amount = try reader.amount()
            mantissa = amount.mantissa
            scale = amount.scale
            unit = amount.unit.rawValue
        }
        if first & MedicationShape.extensions != 0 {
            extensionLength = UInt8(try reader.extensionLength())
        }
        textStart = UInt8(reader.offset)
        _ = try reader.bytes(textLength, "the texts of a medication")
        let start = reader.offset
        _ = try reader.bytes(Int(extensionLength), "extension fields")
        try reader.finish("the end of a medication")
        try ExtensionFields.check(bytes, start..<bytes.count)
    }

    /// The text that is not UTF-8, and the offset.
    @inline(never)
    func textError(in bytes: Span<UInt8>) -> WireError {
        var reader = WireReader(bytes)
        do throws(WireError) {
            _ = try reader.bytes(Int(textStart), "what stands before the texts")
            _ = try reader.text(nameLength, "a name")
            _ = try reader.text(strengthLength, "a strength")
            _ = try reader.text(instructionsLength, "instructions")
        } catch {
            return error
        }
        preconditionFailure("text was refused as a whole and taken in parts")
    }
}
