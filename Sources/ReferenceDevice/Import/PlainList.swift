import ControlProtocol
import WatchProto

/// Reads the project's own list of medications. The format is specified in the article
/// "Importing medications"; its name is ``format``.
enum PlainList {
    /// The value of the member `format` of a list.
    static let format = "watchproto.medications/1"

    /// The member that has the medications.
    static let elements = "medications"

    /// Reports the faults of the list's other members.
    static func check(_ root: JSONNode, reader: inout NodeReader) {
        reader.refuseUnknown(in: root, known: ["format", elements, "note"])
        if let node = root["format"] {
            if node.string != format { reader.fault(node, expected: "'\(format)'") }
        } else {
            reader.missing("format", in: root)
        }
        if let list = root[elements] {
            _ = reader.array(list, elements)
        } else {
            reader.missing(elements, in: root)
        }
    }

    /// The members of a medication, in the order they are written.
    static let members = [
        "id", "name", "genericName", "ingredients", "strength", "form", "route", "dose",
        "instructions", "pharmacistInstructions", "schedule", "isAsNeeded", "limits", "isActive",
        "isHighAlert", "prescriber", "pharmacy", "indication", "notes", "stock", "codes", "color",
        "revision", "createdAt", "updatedAt", "history",
    ]

    /// One medication; nil, with the faults noted, when it cannot be read.
    static func entry(
        _ node: JSONNode, now: WallTime, reader: inout NodeReader
    ) -> ImportCollector.Entry? {
        guard let object = reader.object(node, "a medication") else { return nil }
        let before = reader.errors.count
        reader.refuseUnknown(in: object, known: members)
        let name = reader.parsed(object["name"], "a name that is not empty") { text in
            text.contains { !$0.isWhitespace } ? text : nil
        }
        if object["name"] == nil { reader.missing("name", in: object) }
        let id = reader.parsed(object["id"], "a UUID") { MedicationID(uuid: $0) }
        let strength = reader.string(object["strength"], "a strength") ?? ""
        let created = moment(object["createdAt"], &reader) ?? now
        var medication = Medication(
            id: ImportCollector.unnamed, name: name ?? "", createdAt: created)
        medication.strength = strength
        medication.updatedAt = moment(object["updatedAt"], &reader) ?? created
        readTexts(object, &medication, &reader)
        readParts(object, &medication, &reader)
        medication.dose = dose(object["dose"], &reader)
        medication.schedule = schedule(object["schedule"], &reader)
        medication.limits = limits(object["limits"], &reader)
        guard reader.errors.count == before else { return nil }
        return ImportCollector.Entry(
            medication: medication, stated: id, base: "list:\(medication.name)|\(strength)",
            place: node.place, idPlace: object["id"]?.place)
    }

    private static func readTexts(
        _ object: JSONNode, _ medication: inout Medication, _ reader: inout NodeReader
    ) {
        func text(_ name: String) -> String { reader.string(object[name], name) ?? "" }
        medication.genericName = text("genericName")
        medication.route = text("route")
        medication.instructions = text("instructions")
        medication.pharmacistInstructions = text("pharmacistInstructions")
        medication.indication = text("indication")
        medication.notes = text("notes")
        medication.isAsNeeded = reader.bool(object["isAsNeeded"], "isAsNeeded") ?? false
        medication.isActive = reader.bool(object["isActive"], "isActive") ?? true
        medication.isHighAlert = reader.bool(object["isHighAlert"], "isHighAlert") ?? false
        medication.form =
            reader.named(object["form"], "a form", formNames, exactForm) ?? .unknown
        medication.color =
            reader.parsed(object["color"], "a colour such as '#3366CC'", color) ?? 0x8080_80FF
        let revision = reader.integer(object["revision"], "revision", in: 1...Int64(UInt32.max))
        medication.revision = UInt32(revision ?? 1)
    }

    /// A form by its exact name: in our own format there is nothing to guess.
    private static func exactForm(_ text: String) -> DoseForm? {
        (1...UInt8.max).lazy.map(DoseForm.init(rawValue:)).first { $0.name == text }
    }

    private static let formNames: [String] = (1...UInt8.max)
        .map { DoseForm(rawValue: $0).name }.filter { !$0.isEmpty }

    private static func color(_ text: String) -> UInt32? {
        let digits = text.dropFirst()
        guard text.first == "#", digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            return nil
        }
        switch digits.utf8.count {
        case 6: return UInt32(digits + "FF", radix: 16)
        case 8: return UInt32(digits, radix: 16)
        default: return nil
        }
    }

    private static func moment(_ node: JSONNode?, _ reader: inout NodeReader) -> WallTime? {
        reader.parsed(node, "a moment such as '2026-02-14T08:00:00Z'") { WallTime(iso8601: $0) }
    }
}
