import ControlProtocol
import WatchProto

/// The values of the extensions of an export.
extension FHIRDoses {
    /// The result of `read` for the member `member` of an extension.
    mutating func value<Value>(
        _ node: JSONNode, _ member: String, _ expected: String, _ read: (String) -> Value?
    ) -> Value? {
        guard let value = node[member] else {
            reader.missing(member, in: node)
            return nil
        }
        return reader.parsed(value, expected, read)
    }

    /// A whole number of the member `member` of an extension.
    private mutating func number(
        _ node: JSONNode?, _ member: String, in range: ClosedRange<Int64>
    ) -> Int? {
        guard let node else { return nil }
        guard let value = node[member] else {
            reader.missing(member, in: node)
            return nil
        }
        return reader.integer(value, "a number", in: range)
    }

    /// The place of an extension's code among `names`; a fault where there is none.
    mutating func named(
        _ name: DoseFHIR.Name, in extensions: Extensions, of node: JSONNode, _ names: [String]
    ) -> Int? {
        guard let one = extensions[name]?.first else {
            reader.fault(
                node["extension"] ?? node, expected: "an extension '\(name.url)'", found: "none")
            return nil
        }
        guard let code = one["valueCode"] else {
            reader.missing("valueCode", in: one)
            return nil
        }
        return reader.named(code, "a code", names) { names.firstIndex(of: $0) }
    }

    /// The part `url` of an extension with parts.
    private mutating func part(_ url: String, of node: JSONNode) -> JSONNode? {
        let parts = reader.array(node["extension"], "parts of an extension")
        guard let part = parts.first(where: { $0["url"]?.string == url }) else {
            reader.fault(node, expected: "an extension with a part '\(url)'", found: "none")
            return nil
        }
        return part
    }

    /// A time to the minute: a moment, or as text the minutes since 2020-01-01T00:00Z.
    mutating func minute(_ name: DoseFHIR.Name, _ extensions: Extensions) -> WallMinute? {
        guard let node = extensions[name]?.first else { return nil }
        if let text = node["valueString"] {
            return reader.parsed(text, "minutes since 2020-01-01T00:00Z") {
                Int32($0).map { WallMinute(minutes: $0) }
            }
        }
        return value(node, "valueDateTime", "a FHIR dateTime with a zone, to the minute") { text in
            guard let moment = ZonedTime(iso8601: text), moment.zone != nil else { return nil }
            let minute = WallMinute(moment.time)
            return minute.wallTime == moment.time ? minute : nil
        }
    }

    mutating func planned(_ extensions: Extensions) -> PlannedDose? {
        guard let node = extensions[.planned]?.first else { return nil }
        let entry = number(part("entry", of: node), "valueUnsignedInt", in: 0...65_535)
        let day = part("date", of: node).flatMap { part in
            value(part, "valueDate", "a date from 2020-01-01 to 2199-06-06") { text -> UInt16? in
                text.utf8.count == 10 ? LocalDate(text)?.doseDay : nil
            }
        }
        let minute = part("time", of: node).flatMap { part in
            value(part, "valueTime", "a time to the minute, such as '08:00:00'") { text -> Int? in
                text.hasSuffix(":00") ? MinuteOfDay.parse(text) : nil
            }
        }
        guard let entry, let day, let minute else { return nil }
        return PlannedDose(day: day, minute: minute, entry: UInt16(entry))
    }

    mutating func time(_ extensions: Extensions, of node: JSONNode) -> DoseTime? {
        let minutes = number(
            extensions[.zoneOffset]?.first, "valueInteger", in: -1080...1080)
        guard let wall = wall(extensions, of: node) else { return nil }
        guard let zone = minutes.map({ ZoneOffset(clamping: $0) }) ?? wall.zone else {
            reader.fault(
                node, expected: "an extension '\(DoseFHIR.Name.zoneOffset.url)'", found: "none")
            return nil
        }
        var time = DoseTime(wall.time, zoneOffset: zone)
        let word = Int64(UInt32.max)
        time.device = number(extensions[.device]?.first, "valueDecimal", in: 0...word)
            .map { UInt32($0) }
        time.phoneOffset = number(
            extensions[.phoneOffset]?.first, "valueInteger", in: -1 << 31...1 << 31 - 1
        ).map { Int32($0) }
        if let uptime = extensions[.uptime]?.first {
            let boot = number(part("boot", of: uptime), "valueDecimal", in: 0...word)
            let milliseconds = number(
                part("milliseconds", of: uptime), "valueDecimal", in: 0...1 << 40 - 1)
            if let boot, let milliseconds {
                time.uptime = DoseUptime(boot: UInt32(boot), milliseconds: UInt64(milliseconds))
            }
        }
        return time
    }

    /// The wall clock: that of the extension, else the moment of the dose.
    private mutating func wall(_ extensions: Extensions, of node: JSONNode) -> ZonedTime? {
        let expected = "a FHIR dateTime with a zone"
        func zoned(_ text: String) -> ZonedTime? {
            ZonedTime(iso8601: text).flatMap { $0.zone == nil ? nil : $0 }
        }
        guard let entered = extensions[.entered]?.first else {
            return value(node, "effectiveDateTime", expected, zoned)
        }
        if let text = entered["valueString"] {
            return reader.parsed(text, "milliseconds since 1970-01-01T00:00Z") {
                Int64($0).map { ZonedTime(time: WallTime(milliseconds: $0)) }
            }
        }
        return value(entered, "valueDateTime", expected, zoned)
    }

    /// The amount of the dose, exactly.
    mutating func ownAmount(of node: JSONNode) -> Amount? {
        guard let dosage = reader.object(node["dosage"], "a dosage"),
            let dose = reader.object(dosage["dose"], "a quantity")
        else { return nil }
        let code = reader.array(dose["extension"], "extensions").first {
            $0["url"]?.string == DoseFHIR.Name.unitCode.url
        }
        var unit = number(code, "valueInteger", in: 0...255).map { DoseUnit(rawValue: UInt8($0)) }
        if code == nil {
            unit = value(dose, "code", "a code of a unit", DoseUnit.init(named:))
        }
        guard let node = dose["value"] else {
            reader.missing("value", in: dose)
            return nil
        }
        guard let unit, let number = reader.number(node, "a value") else { return nil }
        guard let amount = Amount(number: number, unit: unit) else {
            reader.fault(node, expected: "a number, not negative, of at most nine decimal digits")
            return nil
        }
        return amount
    }

    mutating func newerFields(_ extensions: Extensions) -> ExtensionFields? {
        guard let node = extensions[.newerFields]?.first else { return nil }
        return value(node, "valueBase64Binary", "fields in the form of the encoding, in base 64") {
            (try? Base64.decode($0)).flatMap { ExtensionFields(wireForm: $0) }
        }
    }
}

extension LocalDate {
    /// The date of a planned dose, in days since 2020-01-01; nil for one out of range.
    fileprivate var doseDay: UInt16? { UInt16(exactly: daysSince1970 - 18_262) }
}

extension DoseEventID {
    /// Reads a UUID as ``MedicationID`` does.
    package init?(uuid text: String) {
        guard let id = MedicationID(uuid: text) else { return nil }
        self.init(rawValue: id.rawValue)
    }
}
