import ControlProtocol
package import WatchProto

/// Writes dose events as a FHIR R4 Bundle of `MedicationAdministration` resources (HL7, FHIR R4
/// 4.0.1, section 11.3). ``DoseImporter`` makes the same events of it.
package struct DoseExporter {
    /// The layout of the file.
    package enum Format: Sendable {
        /// One Bundle.
        case bundle
        /// A resource per line.
        case lines

        /// The layout that a file of this name has for an import.
        package init(file: String) {
            self = file.hasSuffix(".ndjson") || file.hasSuffix(".jsonl") ? .lines : .bundle
        }
    }

    private let replaced: ReplacedDoses
    private let name: (MedicationID) -> String?

    /// Makes an exporter of events that are in memory one at a time.
    ///
    /// - Parameters:
    ///   - replacing: those of the events that replace others.
    ///   - name: the name of a medication, for people.
    package init(replacing: [DoseEvent], name: @escaping (MedicationID) -> String?) {
        replaced = ReplacedDoses(replacing)
        self.name = name
    }

    /// The whole file of `events`, by the time of their entry. `names` are for people.
    package static func bytes(
        of events: [DoseEvent], _ format: Format = .bundle, names: [MedicationID: String] = [:]
    ) -> [UInt8] {
        var rest = events.sorted { ($0.time.wall, $0.id) < ($1.time.wall, $1.id) }[...]
        var all: [UInt8] = []
        let exporter = DoseExporter(replacing: events) { names[$0] }
        exporter.write(format, { rest.popFirst() }, to: { all += $0 })
        return all
    }

    /// Gives the file to `body` in pieces of about 64 KiB.
    ///
    /// - Parameters:
    ///   - format: the layout.
    ///   - next: returns the events in their order, then nil.
    ///   - body: receives the pieces.
    /// - Throws: the error of `next` or `body`.
    package func write<Failure: Error>(
        _ format: Format, _ next: () throws(Failure) -> DoseEvent?,
        to body: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        var piece: [UInt8] = []
        if format == .bundle { piece += #"{"resourceType":"Bundle","type":"collection""#.utf8 }
        var isFirst = true
        while let event = try next() {
            let resource = resource(of: event)
            if format == .lines {
                JSONWriter.append(resource, to: &piece)
                piece.append(UInt8(ascii: "\n"))
            } else {
                piece += (isFirst ? #","entry":["# : ",\n").utf8
                let entry: JSONValue = [
                    "fullUrl": .string("urn:uuid:" + event.id.uuidText), "resource": resource,
                ]
                JSONWriter.append(entry, to: &piece)
            }
            isFirst = false
            if piece.count >= 1 << 16 {
                try body(piece)
                piece.removeAll(keepingCapacity: true)
            }
        }
        if format == .bundle { piece += (isFirst ? "}\n" : "]}\n").utf8 }
        try body(piece)
    }

    private func resource(of event: DoseEvent) -> JSONValue {
        var object = JSONObject()
        object["resourceType"] = "MedicationAdministration"
        object["id"] = .string(event.id.uuidText)
        object["extension"] = .array(extensions(of: event))
        object["identifier"] = [
            ["system": .string(DoseFHIR.eventSystem), "value": .string(event.id.uuidText)]
        ]
        object["status"] = .string(
            DoseFHIR.code(of: event, isReplaced: replaced.contains(event)))
        var medication = JSONObject()
        medication["identifier"] = [
            "system": .string(DoseFHIR.medicationSystem),
            "value": .string(event.medication.uuidText),
        ]
        medication["display"] = name(event.medication).map { .string($0) }
        object["medicationReference"] = .object(medication)
        object["subject"] = ["display": "the wearer"]
        if let text = ZonedTime.iso8601(event.moment, event.time.zoneInFHIR) {
            object["effectiveDateTime"] = .string(text)
        } else {
            let reason = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
            object["effectivePeriod"] = [
                "extension": [["url": .string(reason), "valueCode": "unsupported"]]
            ]
        }
        if let amount = event.status?.amount { object["dosage"] = ["dose": dose(amount)] }
        return .object(object)
    }

    private func dose(_ amount: Amount) -> JSONValue {
        var object = JSONObject()
        if let code = DoseFHIR.unitCode(amount.unit) {
            object["value"] = amount.number
            object["unit"] = .string(amount.unit.symbol)
            object["system"] = .string(DoseFHIR.unitSystem)
            object["code"] = .string(code)
        } else {
            object["extension"] = [
                Self.made(.unitCode, "valueInteger", .whole(amount.unit.rawValue))
            ]
            object["value"] = amount.number
        }
        return .object(object)
    }

    private func extensions(of event: DoseEvent) -> [JSONValue] {
        let time = event.time
        let zone = time.zoneInFHIR
        var list: [JSONValue] = []
        func add(_ name: DoseFHIR.Name, _ member: String, _ value: JSONValue) {
            list.append(Self.made(name, member, value))
        }
        let action = DoseFHIR.actions.first { $0.action == event.action }
        add(.action, "valueCode", .string(action?.name ?? ""))
        if let status = event.status {
            add(.status, "valueCode", .string(DoseFHIR.statuses[DoseFHIR.place(of: status)].name))
        }
        if let planned = event.planned {
            let parts: JSONValue = [
                ["url": "entry", "valueUnsignedInt": .whole(planned.entry)],
                ["url": "date", "valueDate": .string("\(LocalDate(doseDay: planned.day))")],
                [
                    "url": "time",
                    "valueTime": .string(MinuteOfDay.text(Int(planned.minute)) + ":00"),
                ],
            ]
            add(.planned, "extension", parts)
        }
        for id in event.replaces { add(.replaces, "valueUuid", .string("urn:uuid:" + id.uuidText)) }
        func add(_ name: DoseFHIR.Name, _ minute: WallMinute) {
            if let text = ZonedTime.iso8601(minute.wallTime, zone) {
                add(name, "valueDateTime", .string(text))
            } else {
                add(name, "valueString", .string(String(minute.minutes)))
            }
        }
        if let end = event.status?.snoozedUntil { add(.snoozedUntil, end) }
        if let taken = event.status?.takenAt { add(.takenAt, taken) }
        let entered = ZonedTime.iso8601(time.wall, zone)
        if entered == nil {
            add(.entered, "valueString", .string(String(time.wall.milliseconds)))
        } else if event.moment != time.wall, let entered {
            add(.entered, "valueDateTime", .string(entered))
        }
        if entered == nil || zone != time.zoneOffset {
            add(.zoneOffset, "valueInteger", .whole(time.zoneOffset.minutes))
        }
        if let device = time.device { add(.device, "valueDecimal", .whole(device)) }
        if let uptime = time.uptime {
            let parts: JSONValue = [
                ["url": "boot", "valueDecimal": .whole(uptime.boot)],
                ["url": "milliseconds", "valueDecimal": .whole(uptime.milliseconds)],
            ]
            add(.uptime, "extension", parts)
        }
        if let offset = time.phoneOffset { add(.phoneOffset, "valueInteger", .whole(offset)) }
        if !event.extensions.isEmpty {
            let text = Base64.encode(event.extensions.wireForm)
            add(.newerFields, "valueBase64Binary", .string(text))
        }
        return list
    }

    private static func made(
        _ name: DoseFHIR.Name, _ member: String, _ value: JSONValue
    ) -> JSONValue {
        var object = JSONObject()
        object["url"] = .string(name.url)
        object[member] = value
        return .object(object)
    }
}

extension DoseTime {
    /// The zone offset that FHIR can write: this one, or UTC.
    var zoneInFHIR: ZoneOffset { zoneOffset.minutes.magnitude <= 840 ? zoneOffset : .utc }
}

extension LocalDate {
    /// The date of a planned dose, `day` days after 2020-01-01.
    init(doseDay day: UInt16) { self.init(daysSince1970: 18_262 + Int(day)) }
}

extension Amount {
    /// The number for JSON.
    fileprivate var number: JSONValue {
        scale == 0 ? .whole(mantissa) : Double(digits).map { .number($0) } ?? .null
    }
}

extension DoseEventID {
    /// The UUID in lower case.
    package var uuidText: String { MedicationID(rawValue: rawValue).uuidText }
}
