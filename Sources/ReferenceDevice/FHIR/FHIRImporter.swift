import ControlProtocol
import WatchProto

/// Reads FHIR R4 resources: `MedicationRequest` and `MedicationStatement`, with the `Medication`
/// they refer to (HL7, FHIR R4 4.0.1, sections 11.1 to 11.4).
struct FHIRImporter {
    var reader: NodeReader
    var collector: ImportCollector
    let now: WallTime
    private var drugs = FHIRDrugs()
    private var orders: [FHIRResource] = []

    init(_ reader: NodeReader, file: String, format: ImportSummary.Format, now: WallTime) {
        self.reader = reader
        collector = ImportCollector(file: file, format: format)
        self.now = now
    }

    /// Sorts `resource`, and what it bundles, by type.
    mutating func collect(_ resource: JSONNode) {
        for resource in reader.resources(resource) {
            switch resource.type {
            case "MedicationRequest", "MedicationStatement": orders.append(resource)
            default:
                drugs.add(resource, &reader)
                collector.summary.countOther(resource.type)
            }
        }
    }

    /// Makes medications of the orders and statements collected. Of the versions of one resource
    /// the newest counts, even where it only says that the order is void.
    mutating func importOrders() {
        var resources: [OneResource] = []
        var places: [String: [Int]] = [:]
        for resource in orders {
            let version = readOrder(resource)
            let fullURL = resource.fullURL
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
            collector.summary.skip(
                .duplicate, version.subject, at: position,
                detail: "equal to the one at \(known.node.position)")
            return
        }
        guard version.outcome != .faulty, known.outcome != .faulty else { return }
        guard let isNewer = version.node.isNewerVersion(than: known.node) else {
            reader.clash(
                version.node.place, at: version.node["id"]?.place, with: known.node.place)
            return
        }
        let (older, newer) = isNewer ? (known, version) : (version, known)
        collector.summary.skip(
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
            collector.summary.skip(reason, subject, at: position, detail: detail)
        case .medication(let medication, let warnings):
            let names = MedicationID.stated(
                id: version.id, name: resource.name, fullURL: resource.fullURL)
            let stated = names.first { !taken.contains($0) }
            if let stated { taken.insert(stated) }
            for text in warnings { collector.summary.warn(text, medication.name, at: position) }
            collector.add(
                ImportCollector.Entry(
                    medication: medication, stated: stated,
                    base: "fhir:\(medication.name)|\(medication.strength)",
                    place: version.node.place, idPlace: version.node["id"]?.place))
        }
    }

    private mutating func readOrder(_ order: FHIRResource) -> OrderVersion {
        let before = reader.errors.count
        let (resource, type) = (order.node, order.type)
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
        guard let drug = drugs.drug(of: resource, &reader) else {
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
