import ControlProtocol
import WatchProto

/// Resources that another program made.
extension FHIRDoses {
    /// The codes of the status (FHIR R4 4.0.1, value set `medication-admin-status`).
    static let statusCodes = [
        "completed", "not-done", "entered-in-error", "in-progress", "on-hold", "stopped", "unknown",
    ]

    /// The status of a resource; nil, with a fault, where it has none.
    mutating func status(of node: JSONNode) -> String? {
        guard let status = node["status"] else {
            reader.missing("status", in: node)
            return nil
        }
        return reader.named(status, "a status", Self.statusCodes) {
            Self.statusCodes.contains($0) ? $0 : nil
        }
    }

    /// The dose that a resource of another program tells of: taken, skipped, or withdrawn.
    mutating func readForeign(_ resource: FHIRResource) -> DoseEvent? {
        let node = resource.node
        func skip(_ reason: ImportSummary.Reason, _ detail: String) {
            summary.skip(reason, subject(node), at: node.position, detail: detail)
        }
        guard let status = status(of: node) else { return nil }
        guard Self.statusCodes[..<3].contains(status) else {
            skip(.notCompleted, "status \(status)")
            return nil
        }
        let before = reader.errors.count
        let name = name(of: resource)
        let moment = moment(of: node)
        let medication = medication(of: node)
        let amount = status == "completed" ? amount(of: resource) : nil
        guard reader.errors.count == before else { return nil }
        guard let name else {
            skip(.noIdentifier, "neither an identifier nor an id nor a fullUrl")
            return nil
        }
        guard let moment else {
            skip(.noTime, "neither effectiveDateTime nor effectivePeriod names a day")
            return nil
        }
        guard let medication else {
            skip(.noMedication, "neither a request nor a medication with a name")
            return nil
        }
        if moment.zone == nil {
            summary.warn(
                "it has a date and no time; the beginning of that day in UTC is used",
                subject(node), at: node.position)
        }
        let time = DoseTime(moment.time, zoneOffset: moment.zone ?? .utc)
        let id = DoseEventID(derivedFrom: "fhir-dose:" + name)
        guard status != "entered-in-error" else {
            return DoseEvent(
                id: DoseEventID(derivedFrom: "fhir-dose-withdrawn:" + name), medication: medication,
                planned: nil, .withdraw, status: nil, replaces: [id], time: time)
        }
        return DoseEvent(
            id: id, medication: medication, planned: nil,
            status: status == "completed" ? .taken(amount) : .skipped, time: time)
    }

    /// The name of a resource that no other has: its first identifier, else its id, else the
    /// `fullUrl` of its entry.
    private mutating func name(of resource: FHIRResource) -> String? {
        for node in reader.array(resource.node["identifier"], "identifiers") {
            guard reader.object(node, "an identifier") != nil,
                let value = reader.string(node["value"], "a value")
            else { continue }
            return "\(reader.string(node["system"], "a URI") ?? "")|\(value)"
        }
        if let id = reader.string(resource.node["id"], "an id") { return resource.type + "/" + id }
        return resource.fullURL
    }

    /// When the dose was taken: the moment, or the start of the period.
    private mutating func moment(of node: JSONNode) -> ZonedTime? {
        let period = reader.object(node["effectivePeriod"], "a period")
        let stated = node["effectiveDateTime"] ?? period?["start"] ?? period?["end"]
        let moment = reader.parsed(stated, "a FHIR dateTime") { ZonedTime(iso8601: $0) }
        // A month or a year alone is no time of a dose.
        return moment?.zone == nil && (stated?.string?.utf8.count ?? 0) < 10 ? nil : moment
    }

    /// The medication: an own one by its identifier, else that of the order, else one that is
    /// derived from name and strength as in an import of medications.
    private mutating func medication(of node: JSONNode) -> MedicationID? {
        if let reference = node["medicationReference"], let own = ownMedication(reference) {
            return own
        }
        if let target = reader.string(node["request"]?["reference"], "a reference"),
            !target.hasPrefix("#")
        {
            let relative = FHIRDrugs.relative(target)
            if let known = orders[target] ?? orders[relative] { return known }
            let id =
                target.hasPrefix("urn:")
                ? target
                : relative.split(separator: "/").last
                    .map(String.init)
            return MedicationID.stated(id: id, name: relative, fullURL: nil).first
        }
        return drugs.drug(of: node, &reader).map {
            MedicationID(derivedFrom: "fhir:\($0.name)|\($0.strength)")
        }
    }

    /// The medication of a reference with an identifier of an export; nil for another reference.
    mutating func ownMedication(_ reference: JSONNode) -> MedicationID? {
        guard let identifier = reference["identifier"],
            identifier["system"]?.string == DoseFHIR.medicationSystem
        else { return nil }
        guard let value = identifier["value"] else {
            reader.missing("value", in: identifier)
            return nil
        }
        return reader.parsed(value, "a UUID", MedicationID.init(uuid:))
    }

    /// The amount taken; nil, with a warning, where it cannot be kept exactly.
    private mutating func amount(of resource: FHIRResource) -> Amount? {
        guard let dosage = reader.object(resource.node["dosage"], "a dosage"),
            let dose = reader.object(dosage["dose"], "a quantity"),
            let value = reader.number(dose["value"], "a value")
        else { return nil }
        let names = [
            reader.string(dose["code"], "a unit's code"), reader.string(dose["unit"], "a unit"),
        ].compactMap { $0 }
        let unit = names.compactMap { DoseUnit(named: $0) }.first
        if let unit, let amount = Amount(number: value, unit: unit) { return amount }
        summary.warn(
            "the amount is not kept: \(value) \(names.last ?? "without a unit")",
            subject(resource.node), at: dose.position)
        return nil
    }
}

extension DoseEventID {
    /// Makes the identity of something that has a name, as ``MedicationID`` does.
    init(derivedFrom name: String) {
        self.init(rawValue: MedicationID(derivedFrom: name).rawValue)
    }
}
