import WatchProtoCore

extension LightweightMedication: RecordCodable {
    /// The size of the encoding in bytes, whether within the budget or not.
    public var encodedSize: Int {
        let isWide = !Stamp.isNarrow(updatedAt) || !(nextDose?.isNarrow ?? true)
        var size = MedicationShape.headerBytes + 16 + (isWide ? 8 : 5)
        size += color & 0xFF == 0xFF ? 3 : 4
        if nextDose != nil { size += isWide ? 4 : 3 }
        size += byteWidth(revision)
        if hasUnusualWeekdays { size += 1 }
        size += DoseSlots.packedBytes(schedule.slots.count)
        if case .fixed = schedule.zone { size += 2 }
        if let amount = dosage.amount { size += amount.encodedSize }
        if !extensions.isEmpty { size += 1 + extensions.byteCount }
        return size + name.utf8.count + dosage.strength.utf8.count + instructions.utf8.count
    }

    /// Appends the encoding to `output`.
    ///
    /// - Throws: ``EncodingRefusal`` if it is over the budget or does not fit. The caller is at
    ///   fault, and nothing was written.
    public func encode(into output: inout OutputSpan<UInt8>) throws(EncodingRefusal) {
        let stamp = Stamp.narrow(updatedAt)
        let minutes = UInt32(bitPattern: nextDose?.minutes ?? 0)
        guard stamp >> 40 == 0, minutes >> 24 == 0, extensions.isEmpty, dosage.amount == nil,
            schedule.zone == .floating
        else { return try encodeFieldByField(into: &output) }

        // Widths first: they give the size, and every place follows from them.
        let slots = schedule.slots
        let nameText = name.utf8.span
        let strengthText = dosage.strength.utf8.span
        let instructionsText = instructions.utf8.span
        let nameLength = nameText.count
        let strengthLength = strengthText.count
        let instructionsLength = instructionsText.count
        let colorWidth = color & 0xFF == 0xFF ? 3 : 4
        let minuteWidth = nextDose == nil ? 0 : 3
        let revisionWidth = byteWidth(revision)
        let weekdaysWidth = hasUnusualWeekdays ? 1 : 0
        let slotsWidth = DoseSlots.packedBytes(slots.count)
        let middleWidth = minuteWidth &+ revisionWidth &+ weekdaysWidth
        let size =
            MedicationShape.headerBytes &+ 16 &+ 5 &+ colorWidth &+ middleWidth &+ slotsWidth
            &+ nameLength &+ strengthLength &+ instructionsLength
        try checkRoom(size, output)

        var first = MedicationShape.version
        if weekdaysWidth == 1 { first |= MedicationShape.weekdays }
        if colorWidth == 4 { first |= MedicationShape.alpha }
        var second = UInt8(slots.count) | UInt8(truncatingIfNeeded: revisionWidth &- 1) << 4
        if minuteWidth > 0 { second |= MedicationShape.nextDose }

        // One check of the room, then whole words; each word overwrites the surplus of the last.
        let start = output.count
        // A fill of fixed length costs less than one that fits.
        if output.freeCapacity >= Self.byteBudget {
            output.append(repeating: 0, count: Self.byteBudget)
            output.removeLast(Self.byteBudget &- size)
        } else {
            output.append(repeating: 0, count: size)
        }
        var all = output.mutableSpan
        var target = all._mutatingExtracting(start..<(start &+ size))
        target[0] = first
        target[1] = second
        target[2] = flags.rawValue
        target[3] = dosage.form.rawValue
        target[4] = UInt8(truncatingIfNeeded: nameLength)
        target[5] = UInt8(truncatingIfNeeded: strengthLength)
        target[6] = UInt8(truncatingIfNeeded: instructionsLength)
        target.set(word: UInt64(truncatingIfNeeded: id.rawValue >> 64).byteSwapped, at: 7)
        target.set(word: UInt64(truncatingIfNeeded: id.rawValue).byteSwapped, at: 15)
        target.set(joined: stamp | UInt64(color.byteSwapped) << 40, at: 23)
        if colorWidth == 4 { target[31] = UInt8(truncatingIfNeeded: color) }
        var offset = 28 &+ colorWidth
        let revisionBits = UInt64(truncatingIfNeeded: minuteWidth) &* 8
        let weekdayBits = UInt64(truncatingIfNeeded: minuteWidth &+ revisionWidth) &* 8
        var middle = UInt64(minutes) | UInt64(revision) &<< revisionBits
        let weekdays = UInt64(schedule.weekdays.rawValue) &* UInt64(weekdaysWidth)
        middle |= weekdays &<< weekdayBits
        target.set(low: middleWidth, of: middle, at: offset)
        offset &+= middleWidth
        target.set(low: min(slotsWidth, 8), of: slots.low, at: offset)
        if slotsWidth > 8 {
            target.set(low: slotsWidth &- 8, of: UInt64(slots.high), at: offset &+ 8)
        }
        offset &+= slotsWidth
        target.copy(nameText, to: offset)
        offset &+= nameLength
        target.copy(strengthText, to: offset)
        offset &+= strengthLength
        target.copy(instructionsText, to: offset)
    }

    /// Whether the weekdays differ from the ones that cost no byte.
    private var hasUnusualWeekdays: Bool {
        schedule.weekdays != DoseSchedule.usualWeekdays(schedule.slots.count)
    }

    /// Encodes every value that the fast path does not support.
    @inline(never)
    private func encodeFieldByField(into output: inout OutputSpan<UInt8>) throws(EncodingRefusal) {
        try checkRoom(encodedSize, output)
        let isWide = !Stamp.isNarrow(updatedAt) || !(nextDose?.isNarrow ?? true)
        let slots = schedule.slots
        let hasWeekdays = hasUnusualWeekdays
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
}
