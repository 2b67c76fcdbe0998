import ControlProtocol
import WatchProtoCore
import WatchProtoRecords

/// Reads FHIR R4 resources: `MedicationRequest` and `MedicationStatement`, with the `Medication`
/// they refer to (HL7, FHIR R4 4.0.1, sections 11.1 to 11.4).
struct FHIRImporter {
    var reader: NodeReader
    var collector: ImportCollector
    let now: WallTime
    /// Resources of type Medication by every name they can be referred to.
    private var medications: [String: JSONNode] = [:]
    private var orders: [(resource: JSONNode, fullURL: String?)] = []

    init(_ reader: NodeReader, file: String, format: ImportSummary.Format, now: WallTime) {
        self.reader = reader
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
            collector.countOther(type)
        case "MedicationRequest", "MedicationStatement":
            orders.append((resource, fullURL))
        default:
            collector.countOther(type)
        }
    }

    /// Makes medications of the orders and statements collected. Of the versions of one resource
    /// the newest counts, even where it only says that the order is void.
    mutating func importOrders() {
        var resources: [OneResource] = []
        var places: [String: [Int]] = [:]
        for (resource, fullURL) in orders {
            let version = readOrder(resource)
            let name = version.id.map { "\(version.type)/\($0)" } ?? fullURL
            guard let name else {
                resources.append(OneResource(newest: version, name: nil, fullURL: nil))
                continue
            }
            let known = places[name, default: []].first { place in
                let other = resources[place].fullURL
                return other == nil || fullURL == nil || other == fullURL
            }
            if let known {
                add(version, to: &resources[known])
                resources[known].fullURL = resources[known].fullURL ?? fullURL
            } else {
                places[name, default: []].append(resources.count)
                resources.append(OneResource(newest: version, name: name, fullURL: fullURL))
            }
        }
        var taken: Set<MedicationID> = []
        for resource in resources { take(resource, &taken) }
    }

    /// Puts a version beside the newest that is known of its resource.
    private mutating func add(_ version: OrderVersion, to resource: inout OneResource) {
        let known = resource.newest
        let position = version.node.position
        if version.outcome == known.outcome {
            collector.skip(
                .duplicate, version.subject, at: position,
                detail: "equal to the one at \(known.node.position)")
            return
        }
        guard version.outcome != .faulty, known.outcome != .faulty else { return }
        guard let isNewer = version.isNewer(than: known) else {
            reader.clash(version.node, at: version.node["id"], with: known.node)
            return
        }
        let (older, newer) = isNewer ? (known, version) : (version, known)
        collector.skip(
            .olderVersion, older.subject, at: older.node.position,
            detail: "a newer one stands at \(newer.node.position)")
        resource.newest = newer
    }

    /// Hands a resource to the collector, under the first identity it states that no other has.
    private mutating func take(_ resource: OneResource, _ taken: inout Set<MedicationID>) {
        let version = resource.newest
        let position = version.node.position
        switch version.outcome {
        case .faulty: break
        case .skipped(let reason, let subject, let detail):
            collector.skip(reason, subject, at: position, detail: detail)
        case .medication(let medication, let warnings):
            let uuids = [version.id, resource.fullURL].compactMap {
                $0.flatMap(MedicationID.init(uuid:))
            }
            let derived = [resource.name, resource.fullURL].compactMap {
                $0.map { MedicationID(derivedFrom: "fhir:" + $0) }
            }
            let stated = (uuids + derived).first { !taken.contains($0) }
            if let stated { taken.insert(stated) }
            for text in warnings { collector.warn(text, medication.name, at: position) }
            collector.add(
                ImportCollector.Entry(
                    medication: medication, stated: stated,
                    base: "fhir:\(medication.name)|\(medication.strength)", node: version.node,
                    idNode: version.node["id"]))
        }
    }

    private mutating func readOrder(_ resource: JSONNode) -> OrderVersion {
        let before = reader.errors.count
        let type = resource["resourceType"]?.string ?? ""
        let id = reader.string(resource["id"], "an id")
        var version = OrderVersion(node: resource, type: type, id: id, outcome: .faulty)
        let isRequest = type == "MedicationRequest"
        let known =
            Self.statuses + (isRequest ? ["cancelled", "draft"] : ["intended", "not-taken"])
        let status = reader.named(resource["status"], "a status", known) {
            known.contains($0) ? $0 : nil
        }
        if status == nil, resource["status"] == nil { reader.missing("status", in: resource) }
        if let refused = refusal(of: resource, type: type, status: status ?? "") {
            version.outcome = .skipped(refused.reason, version.subject, refused.detail)
            return version
        }
        guard let drug = drug(of: resource) else {
            if reader.errors.count == before {
                version.outcome = .skipped(
                    .noMedication, version.subject,
                    "neither a known medicationReference nor a medicationCodeableConcept")
            }
            return version
        }
        let created = moment(of: resource)
        var medication = Medication(
            id: ImportCollector.unnamed, name: drug.name, createdAt: created)
        drug.fill(&medication)
        medication.isActive = status == "active"
        fillContext(resource, &medication)

        var dosing = FHIRDosing(form: medication.form, ordered: LocalDate(WallClock(time: created)))
        let name = type == "MedicationRequest" ? "dosageInstruction" : "dosage"
        dosing.read(reader.array(resource[name], "dosages"), reader: &reader)
        guard reader.errors.count == before else { return version }
        if let refused = dosing.refusal {
            version.outcome = .skipped(refused.reason, drug.name, refused.detail)
            return version
        }
        dosing.fill(&medication)
        version.outcome = .medication(medication, warnings: drug.warnings + dosing.warnings)
        return version
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
