import WatchProto

/// The phone's full record as bytes, for its store: every part in the order of ``Medication``, the
/// history of doses aside, which the store keeps beside it. Reading gives an equal medication.
enum MedicationCoding {
    /// The version of the format, the first byte.
    private static let version: UInt8 = 1

    static func bytes(_ medication: Medication) -> [UInt8] {
        var writer = WireWriter()
        writer.byte(version)
        writer.uint128(medication.id.rawValue)
        for text in [
            medication.name, medication.genericName, medication.strength, medication.route,
            medication.instructions, medication.pharmacistInstructions, medication.indication,
            medication.notes,
        ] {
            writer.text(text)
        }
        writer.byte(medication.form.rawValue)
        let limits = medication.limits.packed
        let flags = [
            medication.isAsNeeded, medication.isActive, medication.isHighAlert, limits != 0,
        ]
        writer.byte(flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
        writer.fixed(UInt64(medication.color), count: 4)
        writer.fixed(UInt64(medication.revision), count: 4)
        writer.signed(medication.createdAt.milliseconds)
        writer.signed(medication.updatedAt.milliseconds)
        write(medication.dose, &writer)
        write(medication.schedule, &writer)
        writer.varint(UInt64(medication.ingredients.count))
        for part in medication.ingredients {
            writer.text(part.name)
            writer.text(part.strength)
        }
        for contact in [medication.prescriber, medication.pharmacy] {
            writer.byte(contact == nil ? 0 : 1)
            guard let contact else { continue }
            writer.text(contact.name)
            writer.text(contact.phone)
            writer.text(contact.address)
        }
        writer.byte(medication.stock == nil ? 0 : 1)
        if let stock = medication.stock {
            for count in [stock.dosesLeft, stock.refillAt, stock.refillsLeft] {
                writer.signed(Int64(count))
            }
        }
        writer.varint(UInt64(medication.codes.count))
        for code in medication.codes {
            writer.text(code.system)
            writer.text(code.code)
            writer.text(code.display)
        }
        if limits != 0 { writer.fixed(UInt64(limits), count: 3) }
        return writer.bytes
    }

    private static func write(_ dose: DosePerTime, _ writer: inout WireWriter) {
        func write(_ amount: Amount) {
            writer.fixed(UInt64(amount.mantissa), count: 4)
            writer.byte(amount.scale)
            writer.byte(amount.unit.rawValue)
        }
        switch dose {
        case .unstated: writer.byte(0)
        case .exact(let amount):
            writer.byte(1)
            write(amount)
        case .range(let low, let high):
            writer.byte(2)
            write(low)
            write(high)
        case .text(let text):
            writer.byte(3)
            writer.text(text)
        }
    }

    private static func write(_ schedule: MedicationSchedule, _ writer: inout WireWriter) {
        writer.varint(UInt64(schedule.entries.list.count))
        for entry in schedule.entries.list {
            writer.varint(UInt64(entry.minute))
            writer.varint(UInt64(entry.number))
            writer.byte(entry.added == nil ? 0 : 1)
            if let added = entry.added { writer.signed(Int64(added.minutes)) }
        }
        writer.byte(schedule.weekdays.rawValue)
        switch schedule.zone {
        case .floating: writer.byte(0)
        case .absolute: writer.byte(1)
        case .fixed(let offset):
            writer.byte(2)
            writer.signed(Int64(offset.minutes))
        }
        for date in [schedule.start, schedule.end] {
            writer.byte(date == nil ? 0 : 1)
            if let date { writer.signed(Int64(date.daysSince1970)) }
        }
        writer.signed(Int64(schedule.everyDays))
        writer.byte(schedule.isAssumed ? 1 : 0)
    }

    // MARK: Reading

    /// Reads what ``bytes(_:)`` wrote. Throws where it is something else; the file is at fault.
    static func medication(_ bytes: [UInt8]) throws(WireError) -> Medication {
        var reader = WireReader(bytes.span)
        _ = try reader.varint("version", atMost: UInt64(version))
        let id = MedicationID(rawValue: try reader.uint128("id"))
        let name = try reader.text("name")
        var medication = Medication(id: id, name: name, createdAt: WallTime(milliseconds: 0))
        medication.genericName = try reader.text("genericName")
        medication.strength = try reader.text("strength")
        medication.route = try reader.text("route")
        medication.instructions = try reader.text("instructions")
        medication.pharmacistInstructions = try reader.text("pharmacistInstructions")
        medication.indication = try reader.text("indication")
        medication.notes = try reader.text("notes")
        medication.form = DoseForm(rawValue: try reader.byte("form"))
        let flags = try reader.byte("flags")
        medication.isAsNeeded = flags & 1 != 0
        medication.isActive = flags & 2 != 0
        medication.isHighAlert = flags & 4 != 0
        medication.color = UInt32(try reader.fixed(4, "color"))
        medication.revision = UInt32(try reader.fixed(4, "revision"))
        medication.createdAt = WallTime(milliseconds: try reader.signed("createdAt"))
        medication.updatedAt = WallTime(milliseconds: try reader.signed("updatedAt"))
        medication.dose = try dose(&reader)
        medication.schedule = try schedule(&reader)
        for _ in 0..<(try reader.varint("ingredients", atMost: limit)) {
            let name = try reader.text("ingredient")
            medication.ingredients.append(
                Ingredient(name: name, strength: try reader.text("strength")))
        }
        medication.prescriber = try contact(&reader)
        medication.pharmacy = try contact(&reader)
        if try reader.varint("stock", atMost: 1) == 1 {
            let left = Int(try reader.signed("dosesLeft"))
            let refill = Int(try reader.signed("refillAt"))
            medication.stock = Stock(
                dosesLeft: left, refillAt: refill, refillsLeft: Int(try reader.signed("refills")))
        }
        for _ in 0..<(try reader.varint("codes", atMost: limit)) {
            let system = try reader.text("system")
            let code = try reader.text("code")
            medication.codes.append(
                Code(system: system, code: code, display: try reader.text("display")))
        }
        if flags & 8 != 0 {
            medication.limits = AsNeededLimits(packed: UInt32(try reader.fixed(3, "limits")))
        }
        try reader.finish("medication")
        return medication
    }

    /// Far more than the parts of any medication.
    private static let limit: UInt64 = 1 << 20

    private static func amount(_ reader: inout WireReader) throws(WireError) -> Amount {
        let mantissa = UInt32(try reader.fixed(4, "mantissa"))
        let scale = Int(try reader.byte("scale"))
        let unit = DoseUnit(rawValue: try reader.byte("unit"))
        guard let amount = Amount(mantissa: mantissa, scale: scale, unit: unit) else {
            throw reader.outOfRange("scale", UInt64(scale))
        }
        return amount
    }

    private static func dose(_ reader: inout WireReader) throws(WireError) -> DosePerTime {
        switch try reader.varint("dose", atMost: 3) {
        case 1: return .exact(try amount(&reader))
        case 2:
            let low = try amount(&reader)
            return .range(low, try amount(&reader))
        case 3: return .text(try reader.text("dose"))
        default: return .unstated
        }
    }

    private static func schedule(
        _ reader: inout WireReader
    ) throws(WireError) -> MedicationSchedule {
        var schedule = MedicationSchedule()
        var entries: [ScheduleEntries.Entry] = []
        for _ in 0..<(try reader.varint("entries", atMost: 1440)) {
            let minute = Int(try reader.varint("minute", atMost: 1439))
            let number = UInt16(try reader.varint("number", atMost: UInt64(UInt16.max)))
            var added: WallMinute?
            if try reader.varint("isAdded", atMost: 1) == 1 {
                added = WallMinute(minutes: Int32(try reader.signed("added", in: minutes)))
            }
            entries.append(ScheduleEntries.Entry(number: number, minute: minute, added: added))
        }
        schedule.entries = ScheduleEntries(entries)
        schedule.weekdays = Weekdays(rawValue: try reader.byte("weekdays"))
        switch try reader.varint("zone", atMost: 2) {
        case 1: schedule.zone = .absolute
        case 2:
            schedule.zone = .fixed(
                ZoneOffset(clamping: try reader.signed("offset", in: -1080...1080)))
        default: break
        }
        schedule.start = try date(&reader)
        schedule.end = try date(&reader)
        schedule.everyDays = try reader.signed(
            "everyDays", in: 1...MedicationSchedule.largestInterval)
        schedule.isAssumed = try reader.varint("isAssumed", atMost: 1) == 1
        return schedule
    }

    private static func date(_ reader: inout WireReader) throws(WireError) -> LocalDate? {
        guard try reader.varint("date", atMost: 1) == 1 else { return nil }
        return LocalDate(daysSince1970: try reader.signed("date", in: days))
    }

    private static let minutes = Int(Int32.min)...Int(Int32.max)
    /// The years 1 to 9999.
    private static let days = -719_162...2_932_896

    private static func contact(_ reader: inout WireReader) throws(WireError) -> Contact? {
        guard try reader.varint("contact", atMost: 1) == 1 else { return nil }
        let name = try reader.text("name")
        let phone = try reader.text("phone")
        return Contact(name: name, phone: phone, address: try reader.text("address"))
    }
}
