import ControlProtocol
import WatchProtoCore
import WatchProtoRecords

/// Reads doses from FHIR R4: the resources `MedicationAdministration` of a Bundle, of an array, of
/// one resource, or of a resource per line (names that end in `.ndjson` or `.jsonl`).
///
/// It records nothing: the events that it returns go to the ledger. A resource of ``DoseExporter``
/// gives the very event of which it was made. Another one gives an event with an identity that is
/// derived from the resource's identifier, so that a second import counts nothing twice.
package enum DoseImporter {
    /// Reads `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: The whole content of the file.
    ///   - file: The file as its user named it, for messages.
    ///   - isPartial: Whether resources with faults are left out and listed. Otherwise, and where
    ///     the text itself has faults, the file is refused as a whole.
    /// - Throws: every fault of the file; whoever wrote it is at fault.
    package static func read(
        _ bytes: [UInt8], file: String, isPartial: Bool = false
    ) throws(ImportRefusal) -> ImportSummary {
        let isLines = DoseExporter.Format(file: file) == .lines
        let findings = isLines ? JSONLines.examine(bytes) : JSONParser.examine(bytes)
        let reader = NodeReader(bytes, findings.errors)
        let root = findings.nodes.first
        let isBundle = root?["resourceType"]?.string == "Bundle"
        let format: ImportSummary.Format =
            isLines ? .fhirLines : isBundle ? .fhirBundle : .fhirResource
        var importer = FHIRDoses(reader, file: file, format: format)
        for node in isLines ? findings.nodes : root?.array ?? root.map({ [$0] }) ?? [] {
            importer.collect(node)
        }
        importer.importDoses()
        let faults = importer.reader.errors
        guard findings.errors.isEmpty, isPartial || faults.isEmpty else {
            throw ImportRefusal(file: file, errors: faults)
        }
        var summary = importer.summary
        summary.faults = faults.sorted { $0.position < $1.position }
        return summary
    }
}

/// The doses of a file.
struct FHIRDoses {
    /// An event, and the resource that it was made of.
    private struct Found {
        var event: DoseEvent
        var resource: FHIRResource
    }

    var reader: NodeReader
    var summary: ImportSummary
    var drugs = FHIRDrugs()
    /// The medications of the orders in the file, by every name they can be referred to.
    var orders: [String: MedicationID] = [:]
    private var doses: [FHIRResource] = []
    private var found: [Found] = []
    private var places: [DoseEventID: Int] = [:]

    init(_ reader: NodeReader, file: String, format: ImportSummary.Format) {
        self.reader = reader
        summary = ImportSummary(file: file, format: format)
    }

    /// Sorts `resource`, and what it bundles, by type.
    mutating func collect(_ resource: JSONNode) {
        for resource in reader.resources(resource) {
            guard resource.type != "MedicationAdministration" else {
                doses.append(resource)
                continue
            }
            summary.countOther(resource.type)
            drugs.add(resource, &reader)
            guard resource.type == "MedicationRequest" else { continue }
            let id = reader.string(resource.node["id"], "an id")
            let name = id.map { resource.type + "/" + $0 }
            let stated = MedicationID.stated(id: id, name: name, fullURL: resource.fullURL).first
            for key in [name, resource.fullURL].compactMap({ $0 }) { orders[key] = stated }
        }
    }

    /// Makes the events of the doses collected.
    mutating func importDoses() {
        for resource in doses {
            let before = reader.errors.count
            let node = resource.node
            let event = isOwn(node) ? readOwn(node) : readForeign(resource)
            if let event, reader.errors.count == before { add(event, resource) }
        }
        summary.doses = found.map(\.event)
        warnOfMarks()
        summary.skips.sort { $0.position < $1.position }
    }

    /// Adds an event. Equal ones count once; of two versions of a resource the newer one counts.
    private mutating func add(_ event: DoseEvent, _ resource: FHIRResource) {
        guard let place = places[event.id] else {
            places[event.id] = found.count
            found.append(Found(event: event, resource: resource))
            return
        }
        let known = found[place]
        let (node, other) = (resource.node, known.resource.node)
        let (position, place2) = (node.position, other.position)
        if known.event == event {
            summary.skip(
                .duplicate, subject(resource), at: position, detail: "equal to the one at \(place2)"
            )
        } else if !isOwn(node), !isOwn(other), let isNewer = node.isNewerVersion(than: other) {
            summary.skip(
                .olderVersion, subject(resource), at: isNewer ? place2 : position,
                detail: "a newer one stands at \(isNewer ? position : place2)")
            if isNewer { found[place] = Found(event: event, resource: resource) }
        } else {
            reader.clash(node, at: node["identifier"] ?? node["id"], with: other)
        }
    }

    /// An own event that is said to be entered in error, without an event that replaces it, was
    /// marked by another program. The event itself is not changed by that.
    private mutating func warnOfMarks() {
        let replaced = DoseFHIR.replaced(in: summary.doses)
        for one in found where one.event.action != .withdraw && !replaced.contains(one.event.id) {
            let node = one.resource.node
            guard isOwn(node), node["status"]?.string == "entered-in-error" else { continue }
            summary.warn(
                "it is marked 'entered-in-error', and no event in the file replaces it; the event "
                    + "is imported and counts; if it did not happen, withdraw it on a device",
                subject(one.resource), at: node.position)
        }
    }

    /// The name of a resource in messages.
    func subject(_ resource: FHIRResource) -> String {
        resource.type + (resource.node["id"]?.string.map { "/" + $0 } ?? "")
    }

    /// Whether the resource is one of an export: it has an identifier or an extension of ours.
    private func isOwn(_ node: JSONNode) -> Bool {
        node["identifier"]?.array?.contains { $0["system"]?.string == DoseFHIR.eventSystem } == true
            || node["extension"]?.array?.contains {
                $0["url"]?.string?.hasPrefix(DoseFHIR.base) == true
            } == true
    }
}
