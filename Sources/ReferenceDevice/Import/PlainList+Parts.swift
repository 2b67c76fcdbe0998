import ControlProtocol
import WatchProto

extension PlainList {
    static func readParts(
        _ object: JSONNode, _ medication: inout Medication, _ reader: inout NodeReader
    ) {
        for node in reader.array(object["ingredients"], "ingredients") {
            guard let part = reader.object(node, "an ingredient") else { continue }
            reader.refuseUnknown(in: part, known: ["name", "strength"])
            if part["name"] == nil { reader.missing("name", in: part) }
            medication.ingredients.append(
                Ingredient(
                    name: reader.string(part["name"], "a name") ?? "",
                    strength: reader.string(part["strength"], "a strength") ?? ""))
        }
        medication.prescriber = contact(object["prescriber"], &reader)
        medication.pharmacy = contact(object["pharmacy"], &reader)
        if let part = reader.object(object["stock"], "stock") {
            reader.refuseUnknown(in: part, known: ["dosesLeft", "refillAt", "refillsLeft"])
            if part["dosesLeft"] == nil { reader.missing("dosesLeft", in: part) }
            func count(_ name: String) -> Int {
                reader.integer(part[name], name, in: 0...1_000_000) ?? 0
            }
            medication.stock = Stock(
                dosesLeft: count("dosesLeft"), refillAt: count("refillAt"),
                refillsLeft: count("refillsLeft"))
        }
        for node in reader.array(object["codes"], "codes") {
            guard let part = reader.object(node, "a code") else { continue }
            reader.refuseUnknown(in: part, known: ["system", "code", "display"])
            for name in ["system", "code"] where part[name] == nil {
                reader.missing(name, in: part)
            }
            medication.codes.append(
                Code(
                    system: reader.string(part["system"], "a URI") ?? "",
                    code: reader.string(part["code"], "a code") ?? "",
                    display: reader.string(part["display"], "a display") ?? ""))
        }
        if let part = reader.object(object["history"], "a history") {
            reader.refuseUnknown(in: part, known: ["taken", "skipped", "lastTakenAt"])
            let taken = reader.integer(part["taken"], "taken", in: 0...1_000_000)
            let skipped = reader.integer(part["skipped"], "skipped", in: 0...1_000_000)
            let last = reader.parsed(part["lastTakenAt"], "a moment in ISO 8601") {
                WallTime(iso8601: $0)
            }
            medication.history = DoseHistory(
                taken: taken ?? 0, skipped: skipped ?? 0, lastTakenAt: last)
        }
    }

    private static func contact(_ node: JSONNode?, _ reader: inout NodeReader) -> Contact? {
        guard let part = reader.object(node, "a contact") else { return nil }
        reader.refuseUnknown(in: part, known: ["name", "phone", "address"])
        guard let name = part["name"] else {
            reader.missing("name", in: part)
            return nil
        }
        return Contact(
            name: reader.string(name, "a name") ?? "",
            phone: reader.string(part["phone"], "a phone number") ?? "",
            address: reader.string(part["address"], "an address") ?? "")
    }
}
