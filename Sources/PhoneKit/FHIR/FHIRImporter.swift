import ControlKit
import WatchProto

/// Reads FHIR R4 resources: `MedicationRequest` and `MedicationStatement`, with the `Medication`
/// they refer to (HL7, FHIR R4 4.0.1, sections 11.1 to 11.4).
struct FHIRImporter {
    var reader = NodeReader()
    var collector: ImportCollector
    let now: WallTime
    /// Resources of type Medication by every name they can be referred to.
    private var medications: [String: JSONNode] = [:]
    private var orders: [(resource: JSONNode, fullURL: String?)] = []

    init(file: String, format: ImportSummary.Format, now: WallTime) {
        collector = ImportCollector(file: file, format: format)
        self.now = now
    }

    /// Sorts `resource`, and what it bundles, by type.
    mutating func collect(_ resource: JSONNode, fullURL: String? = nil) {
        guard reader.object(resource, "a FHIR resource") != nil else { return }
        guard let typeNode = resource["resourceType"] else {
            reader.missing("resourceType", in: resource)
            return
        }
        guard let type = reader.string(typeNode, "a resource type") else { return }
        switch type {
        case "Bundle":
            for entry in reader.array(resource["entry"], "entries of a bundle") {
                guard reader.object(entry, "an entry of a bundle") != nil else { continue }
                let url = reader.string(entry["fullUrl"], "a URL")
                // An entry of a response, or one that only deletes, has no resource.
                if let inner = entry["resource"] { collect(inner, fullURL: url) }
            }
        case "Medication":
            if let id = reader.string(resource["id"], "an id") {
                medications["Medication/" + id] = resource
            }
            if let fullURL { medications[fullURL] = resource }
            collector.summary.countOther(type)
        case "MedicationRequest", "MedicationStatement":
            orders.append((resource, fullURL))
        default:
            collector.summary.countOther(type)
        }
    }

    /// Makes medications of the orders and statements collected.
    mutating func importOrders() {
        for (resource, fullURL) in orders { importOrder(resource, fullURL: fullURL) }
    }

    private mutating func importOrder(_ resource: JSONNode, fullURL: String?) {
        let before = reader.errors.count
        let type = resource["resourceType"]?.string ?? ""
        let id = reader.string(resource["id"], "an id")
        let subject = type + (id.map { "/" + $0 } ?? "")
        let isRequest = type == "MedicationRequest"
        let known =
            Self.statuses + (isRequest ? ["cancelled", "draft"] : ["intended", "not-taken"])
        let status = reader.named(resource["status"], "a status", known) {
            known.contains($0) ? $0 : nil
        }
        if status == nil, resource["status"] == nil { reader.missing("status", in: resource) }
        if let refused = refusal(of: resource, type: type, status: status ?? "") {
            collector.skip(refused.reason, subject, at: resource.position, detail: refused.detail)
            return
        }
        guard let drug = drug(of: resource) else {
            if reader.errors.count == before {
                collector.skip(
                    .noMedication, subject, at: resource.position,
                    detail: "neither a known medicationReference nor a medicationCodeableConcept")
            }
            return
        }
        let created = moment(of: resource)
        let identity =
            [id, fullURL].compactMap { $0.flatMap(MedicationID.init(uuid:)) }.first
            ?? MedicationID(
                derivedFrom: "fhir:" + (id == nil ? fullURL ?? drug.name : "\(type)/\(id ?? "")"))
        var medication = Medication(id: identity, name: drug.name, createdAt: created)
        drug.fill(&medication)
        medication.isActive = status == "active"
        fillContext(resource, &medication)

        var dosing = FHIRDosing(form: medication.form, ordered: LocalDate(WallClock(time: created)))
        let name = type == "MedicationRequest" ? "dosageInstruction" : "dosage"
        dosing.read(reader.array(resource[name], "dosages"), reader: &reader)
        guard reader.errors.count == before else { return }
        if let refused = dosing.refusal {
            collector.skip(refused.reason, drug.name, at: resource.position, detail: refused.detail)
            return
        }
        dosing.fill(&medication)
        for text in drug.warnings + dosing.warnings {
            collector.warn(text, drug.name, at: resource.position)
        }
        collector.add(medication, at: resource.position)
    }

    /// The statuses that orders and statements share.
    private static let statuses = [
        "active", "on-hold", "completed", "entered-in-error", "stopped", "unknown",
    ]

    /// Why an order is not one to follow; nil when it is one. Stopped, completed and suspended ones
    /// are kept as not active.
    private mutating func refusal(
        of resource: JSONNode, type: String, status: String
    ) -> (reason: ImportSummary.Reason, detail: String)? {
        if status == "entered-in-error" { return (.enteredInError, "") }
        if status == "draft" { return (.notAnOrder, "status draft") }
        if reader.bool(resource["doNotPerform"], "doNotPerform") == true {
            return (.doNotPerform, "doNotPerform is true")
        }
        if let intent = reader.string(resource["intent"], "an intent"),
            ["proposal", "plan", "option"].contains(intent)
        {
            return (.notAnOrder, "intent \(intent)")
        }
        return nil
    }

    private mutating func drug(of resource: JSONNode) -> FHIRDrug? {
        let contained = reader.array(resource["contained"], "contained resources")
        if let concept = reader.object(resource["medicationCodeableConcept"], "a concept") {
            return FHIRDrug(concept: concept, reader: &reader)
        }
        guard let node = reader.object(resource["medicationReference"], "a reference") else {
            return nil
        }
        let display = reader.string(node["display"], "a display") ?? ""
        let target = reader.string(node["reference"], "a reference") ?? ""
        if target.hasPrefix("#") {
            let inner = contained.first { $0["id"]?.string == String(target.dropFirst()) }
            if let inner, let drug = FHIRDrug(resource: inner, reader: &reader) { return drug }
        } else if let found = medications[target] ?? medications[Self.relative(target)],
            let drug = FHIRDrug(resource: found, reader: &reader)
        {
            return drug
        }
        return FHIRDrug(display: display, unresolved: target)
    }

    /// The last two parts of an absolute URL: `Medication/42`.
    private static func relative(_ reference: String) -> String {
        reference.split(separator: "/").suffix(2).joined(separator: "/")
    }

    private mutating func moment(of resource: JSONNode) -> WallTime {
        for name in ["authoredOn", "dateAsserted", "effectiveDateTime"] {
            let expected = "a FHIR dateTime"
            if let time = reader.parsed(resource[name], expected, { WallTime(iso8601: $0) }) {
                return time
            }
        }
        return now
    }

    private mutating func fillContext(_ resource: JSONNode, _ medication: inout Medication) {
        if let node = reader.object(resource["requester"], "a reference"),
            let name = reader.string(node["display"], "a display")
        {
            medication.prescriber = Contact(name: name)
        }
        let reasons = reader.array(resource["reasonCode"], "reasons").compactMap { node in
            FHIRDrug.words(of: node, &reader)
        }
        medication.indication = reasons.joined(separator: ", ")
        let notes = reader.array(resource["note"], "notes").compactMap { node in
            reader.string(node["text"], "a note")
        }
        medication.notes = notes.joined(separator: " ")
    }
}
