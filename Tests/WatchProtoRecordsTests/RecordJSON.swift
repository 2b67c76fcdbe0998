import Articles
import ControlProtocol
import WatchProtoCore
import WatchProtoRecords

/// The fields of a record as JSON, for the vectors, and back.
///
/// Every field has its wire meaning: identities in 32 hexadecimal digits, codes as numbers, times
/// in milliseconds since 1970 or minutes since 2020, a zone rule as "floating", "absolute" or the
/// minutes of a fixed offset.
enum RecordJSON {
    static func value(_ medication: LightweightMedication) -> JSONValue {
        [
            "id": .string(digits(medication.id.rawValue)), "name": .string(medication.name),
            "strength": .string(medication.dosage.strength),
            "form": .whole(medication.dosage.form.rawValue),
            "amount": value(medication.dosage.amount),
            "slots": .array(medication.schedule.slots.minutes.map { .whole($0) }),
            "weekdays": .whole(medication.schedule.weekdays.rawValue),
            "zone": value(medication.schedule.zone), "nextDose": value(medication.nextDose),
            "color": .whole(medication.color), "flags": .whole(medication.flags.rawValue),
            "instructions": .string(medication.instructions),
            "revision": .whole(medication.revision),
            "updatedAt": .whole(medication.updatedAt.milliseconds),
            "extensions": value(medication.extensions),
        ]
    }

    static func value(_ event: DoseEvent) -> JSONValue {
        var planned: JSONValue = nil
        if let dose = event.planned {
            planned = [
                "day": .whole(dose.day), "minute": .whole(dose.minute),
                "entry": .whole(dose.entry),
            ]
        }
        let time = event.time
        let minute = event.status?.snoozedUntil ?? event.status?.takenAt
        return [
            "id": .string(digits(event.id.rawValue)),
            "medication": .string(digits(event.medication.rawValue)), "planned": planned,
            "action": .whole(event.action.code), "status": .whole(event.statusCode),
            "minute": value(minute), "amount": value(event.status?.amount),
            "replaces": .array(event.replaces.map { .string(digits($0.rawValue)) }),
            "at": .whole(time.wall.milliseconds), "zoneOffset": .whole(time.zoneOffset.minutes),
            "device": time.device.map { .whole($0) } ?? nil,
            "boot": time.uptime.map { .whole($0.boot) } ?? nil,
            "uptime": time.uptime.map { .whole($0.milliseconds) } ?? nil,
            "phoneOffset": time.phoneOffset.map { .whole($0) } ?? nil,
            "extensions": value(event.extensions),
        ]
    }

    static func value(_ state: ComplicationState) -> JSONValue {
        [
            "name": .string(state.name), "amountText": .string(state.amountText),
            "color": .whole(state.color), "nextDose": value(state.nextDose),
            "taken": .whole(state.taken), "total": .whole(state.total),
            "overdue": .whole(state.overdue), "active": .whole(state.active),
            "extensions": value(state.extensions),
        ]
    }

    static func medication(_ json: JSONValue) -> LightweightMedication? {
        guard let id = json["id"]?.string.flatMap({ UInt128($0, radix: 16) }),
            let name = json["name"]?.string, let strength = json["strength"]?.string,
            let form: UInt8 = number(json["form"]), let slots = json["slots"]?.array,
            let minutes = DoseSlots(minutes: slots.map { number($0) ?? -1 }),
            let weekdays: UInt8 = number(json["weekdays"]), let zone = zone(json["zone"]),
            let color: UInt32 = number(json["color"]), let flags: UInt8 = number(json["flags"]),
            let instructions = json["instructions"]?.string,
            let revision: UInt32 = number(json["revision"]),
            let updatedAt: Int64 = number(json["updatedAt"]),
            let extensions = extensions(json["extensions"])
        else { return nil }
        return LightweightMedication(
            id: MedicationID(rawValue: id), name: name,
            dosage: Dosage(
                strength: strength, form: DoseForm(rawValue: form), amount: amount(json["amount"])),
            schedule: DoseSchedule(
                slots: minutes, weekdays: Weekdays(rawValue: weekdays), zone: zone),
            nextDose: number(json["nextDose"]).map(WallMinute.init), color: color,
            flags: MedicationFlags(rawValue: flags), instructions: instructions,
            revision: revision, updatedAt: WallTime(milliseconds: updatedAt),
            extensions: extensions)
    }

    static func doseEvent(_ json: JSONValue) -> DoseEvent? {
        guard let id = json["id"]?.string.flatMap({ UInt128($0, radix: 16) }),
            let medication = json["medication"]?.string.flatMap({ UInt128($0, radix: 16) }),
            let action: UInt8 = number(json["action"]), let at: Int64 = number(json["at"]),
            let status: UInt8 = number(json["status"]),
            let zone = ZoneOffset(minutes: number(json["zoneOffset"]) ?? .max),
            let replaces = json["replaces"]?.array,
            let extensions = extensions(json["extensions"])
        else { return nil }
        var planned: PlannedDose?
        if let dose = json["planned"], !dose.isNull {
            guard let day: UInt16 = number(dose["day"]),
                let entry: UInt16 = number(dose["entry"])
            else { return nil }
            planned = PlannedDose(day: day, minute: number(dose["minute"]) ?? -1, entry: entry)
        }
        var time = DoseTime(WallTime(milliseconds: at), zoneOffset: zone)
        time.device = number(json["device"])
        time.phoneOffset = number(json["phoneOffset"])
        if let boot: UInt32 = number(json["boot"]), let uptime: UInt64 = number(json["uptime"]) {
            time.uptime = DoseUptime(boot: boot, milliseconds: uptime)
        }
        let minute: Int32? = number(json["minute"])
        let actions = [DoseAction.record, .correct, .withdraw, .resolve]
        var event = DoseEvent(
            id: DoseEventID(rawValue: id), medication: MedicationID(rawValue: medication),
            planned: planned, actions[Int(action)],
            status: status == 3
                ? nil
                : DoseStatus(
                    code: status, amount: amount(json["amount"]),
                    minute: minute.map(WallMinute.init)),
            replaces: replaces.compactMap { $0.string.flatMap { UInt128($0, radix: 16) } }
                .map(DoseEventID.init), time: time)
        event?.extensions = extensions
        return event
    }

    static func complication(_ json: JSONValue) -> ComplicationState? {
        guard let name = json["name"]?.string, let amountText = json["amountText"]?.string,
            let color: UInt32 = number(json["color"]), let taken: UInt8 = number(json["taken"]),
            let total: UInt8 = number(json["total"]), let overdue: UInt8 = number(json["overdue"]),
            let active: UInt8 = number(json["active"]),
            let extensions = extensions(json["extensions"])
        else { return nil }
        return ComplicationState(
            name: name, amountText: amountText, color: color,
            nextDose: number(json["nextDose"]).map(WallMinute.init), taken: taken, total: total,
            overdue: overdue, active: active, extensions: extensions)
    }

    private static func digits(_ value: UInt128) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 32 - text.count) + text
    }

    private static func value(_ amount: Amount?) -> JSONValue {
        guard let amount else { return nil }
        return [
            "mantissa": .whole(amount.mantissa), "scale": .whole(amount.scale),
            "unit": .whole(amount.unit.rawValue),
        ]
    }

    private static func value(_ zone: ZoneRule) -> JSONValue {
        switch zone {
        case .floating: "floating"
        case .absolute: "absolute"
        case .fixed(let offset): .whole(offset.minutes)
        }
    }

    private static func value(_ minute: WallMinute?) -> JSONValue {
        minute.map { .whole($0.minutes) } ?? nil
    }

    private static func value(_ fields: ExtensionFields) -> JSONValue {
        .array(
            fields.tags.map { tag in
                ["tag": .whole(tag), "hex": .string(Hex.string(fields[tag] ?? []))]
            })
    }

    private static func number<Number: FixedWidthInteger>(_ json: JSONValue?) -> Number? {
        json?.integer.flatMap { Number(exactly: $0) }
    }

    private static func zone(_ json: JSONValue?) -> ZoneRule? {
        switch json?.string {
        case "floating": .floating
        case "absolute": .absolute
        default: number(json).flatMap { ZoneOffset(minutes: $0) }.map(ZoneRule.fixed)
        }
    }

    private static func amount(_ json: JSONValue?) -> Amount? {
        guard let mantissa: UInt32 = number(json?["mantissa"]),
            let scale: Int = number(json?["scale"]), let unit: UInt8 = number(json?["unit"])
        else { return nil }
        return Amount(mantissa: mantissa, scale: scale, unit: DoseUnit(rawValue: unit))
    }

    private static func extensions(_ json: JSONValue?) -> ExtensionFields? {
        var fields = ExtensionFields()
        for field in json?.array ?? [] {
            guard let tag: UInt8 = number(field["tag"]),
                let bytes = field["hex"]?.string.flatMap(Hex.bytes)
            else { return nil }
            fields[tag] = bytes
        }
        return fields
    }
}
