package import WatchProtoCore

/// A timeline as a device keeps it for its next start. It is never sent.
extension FaceTimeline {
    /// Writes the timeline: end, check, active medications, entries.
    package func write(to writer: inout WireWriter) {
        writer.minute(end)
        writer.optionalMinute(checked)
        writer.uint16(active)
        writer.byte(UInt8(truncatingIfNeeded: entries.count))
        for entry in entries { entry.write(to: &writer) }
    }

    /// Reads a timeline.
    ///
    /// - Throws: `WireError` for bytes that are none.
    package init(_ reader: inout WireReader) throws(WireError) {
        let end = try reader.minute("the end of a timeline")
        let checked = try reader.optionalMinute("the check of a timeline")
        let active = try reader.uint16("active medications")
        let start = reader.offset
        var entries: [FaceEntry] = []
        for _ in 0..<(try reader.byte("the entries of a timeline")) {
            entries.append(try FaceEntry(&reader))
        }
        guard
            let timeline = FaceTimeline(entries, end: end, checked: checked, active: active)
        else {
            throw WireError(
                .outOfRange, at: start, expected: "1 to 24 entries in order",
                found: UInt64(entries.count))
        }
        self = timeline
    }
}

extension FaceEntry {
    fileprivate var counts: [UInt16] {
        [total, taken, skipped, notLogged, due, overdue, snoozed, conflicting, unchecked]
    }

    fileprivate func write(to writer: inout WireWriter) {
        writer.minute(minute)
        for count in counts { writer.varint(UInt64(count)) }
        guard let headline else { return writer.byte(0) }
        let flags: UInt8 = (headline.isUnchecked ? 16 : 0) | (headline.isDateSkipped ? 32 : 0)
        writer.byte(headline.phase.code | flags)
        writer.uint128(headline.slot.medication.rawValue)
        writer.uint16(headline.slot.entry)
        writer.uint16(headline.slot.day)
        writer.minute(headline.due)
        if case .snoozed(let until) = headline.phase { writer.minute(until) }
    }

    fileprivate init(_ reader: inout WireReader) throws(WireError) {
        self.init(at: try reader.minute("the minute of an entry"))
        total = try reader.doseCount()
        taken = try reader.doseCount()
        skipped = try reader.doseCount()
        notLogged = try reader.doseCount()
        due = try reader.doseCount()
        overdue = try reader.doseCount()
        snoozed = try reader.doseCount()
        conflicting = try reader.doseCount()
        unchecked = try reader.doseCount()
        let start = reader.offset
        let code = try reader.byte("a headline")
        guard code != 0 else { return }
        let medication = MedicationID(rawValue: try reader.uint128("a medication"))
        let entry = try reader.uint16("an entry")
        let slot = DoseSlot(
            medication: medication, entry: entry, day: try reader.uint16("a date"))
        let due = try reader.minute("a minute")
        let phase: DoseDisplay.Phase
        switch code & 15 {
        case 1: phase = .upcoming
        case 2: phase = .due
        case 3: phase = .overdue
        case 4: phase = .snoozed(try reader.minute("the end of a snooze"))
        default:
            throw WireError(
                .unknownCode, at: start, expected: "a phase", found: UInt64(code))
        }
        headline = FaceDose(
            slot: slot, due: due, phase: phase, isUnchecked: code & 16 != 0,
            isDateSkipped: code & 32 != 0)
    }
}

extension DoseDisplay.Phase {
    /// The code of a phase that a headline may have.
    fileprivate var code: UInt8 {
        switch self {
        case .due: 2
        case .overdue: 3
        case .snoozed: 4
        default: 1
        }
    }
}

extension WireWriter {
    fileprivate mutating func minute(_ minute: WallMinute) {
        fixed(UInt64(UInt32(bitPattern: minute.minutes)), count: 4)
    }

    fileprivate mutating func optionalMinute(_ minute: WallMinute?) {
        byte(minute == nil ? 0 : 1)
        if let minute { self.minute(minute) }
    }
}

extension WireReader {
    fileprivate mutating func minute(_ what: StaticString) throws(WireError) -> WallMinute {
        let bits = UInt32(truncatingIfNeeded: try fixed(4, what))
        return WallMinute(minutes: Int32(bitPattern: bits))
    }

    fileprivate mutating func optionalMinute(
        _ what: StaticString
    ) throws(WireError) -> WallMinute? {
        try byte(what) == 0 ? nil : try minute(what)
    }

    fileprivate mutating func doseCount() throws(WireError) -> UInt16 {
        UInt16(truncatingIfNeeded: try varint("a count of doses"))
    }
}
