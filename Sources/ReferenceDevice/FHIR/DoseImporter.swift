import ControlProtocol
import WatchProto

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
        let text = ChunkedText(bytes)
        var importer = FHIRDoses(
            NodeReader(text, []), file: file,
            format: isLines ? .fhirLines : .fhirResource)
        var damage: [JSONError] = []
        if isLines {
            JSONLines.forEachLine(of: bytes) { line in
                importer.reader.add(line.errors)
                damage += line.errors
                for node in line.nodes { importer.collect(node) }
            }
        } else {
            func add(_ errors: [JSONError]) {
                importer.reader.add(Array(errors.dropFirst(damage.count)))
                damage = errors
            }
            // Each entry of a Bundle is read by itself.
            let findings = JSONParser.examine(text, elementsOf: "entry") { entry, errors in
                add(errors)
                importer.collectEntry(entry)
            }
            add(findings.errors)
            let root = findings.nodes.first
            if root?["resourceType"]?.string == "Bundle" { importer.summary.format = .fhirBundle }
            for node in root?.array ?? root.map({ [$0] }) ?? [] { importer.collect(node) }
        }
        importer.importDoses()
        let faults = importer.reader.errors
        guard damage.isEmpty, isPartial || faults.isEmpty else {
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
        /// The resource; of an own one its place alone.
        var node: JSONNode
        var subject: String
        var isOwn: Bool
        /// Whether the resource is marked as entered in error.
        var isMarked: Bool
    }

    var reader: NodeReader
    var summary: ImportSummary
    var drugs = FHIRDrugs()
    /// The medications of the orders in the file, by every name they can be referred to.
    var orders: [String: MedicationID] = [:]
    /// The doses of other programs: what they refer to may follow later in the file.
    private var foreign: [FHIRResource] = []
    private var found: [Found] = []
    /// The place of each resource in `found`, by the identity of the dose that it tells of.
    private var places: [DoseEventID: Int] = [:]

    init(_ reader: NodeReader, file: String, format: ImportSummary.Format) {
        self.reader = reader
        summary = ImportSummary(file: file, format: format)
    }

    /// Makes events of the doses of an export in `resource`, and in what it bundles; keeps what
    /// other doses are made of.
    mutating func collect(_ resource: JSONNode) { collect(reader.resources(resource)) }

    /// Does the same with the resource of an entry of a Bundle.
    mutating func collectEntry(_ entry: JSONNode) { collect(reader.resources(ofEntry: entry)) }

    private mutating func collect(_ resources: [FHIRResource]) {
        for resource in resources {
            switch resource.type {
            case "MedicationAdministration" where isOwn(resource.node):
                let before = reader.errors.count
                let event = readOwn(resource.node)
                if let event, reader.errors.count == before {
                    add(event, resource, isOwn: true)
                }
            case "MedicationAdministration": foreign.append(resource)
            default:
                summary.countOther(resource.type)
                drugs.add(resource, &reader)
                if resource.type == "MedicationRequest" { addOrder(resource) }
            }
        }
    }

    private mutating func addOrder(_ resource: FHIRResource) {
        let id = reader.string(resource.node["id"], "an id")
        let name = id.map { resource.type + "/" + $0 }
        let stated = MedicationID.stated(id: id, name: name, fullURL: resource.fullURL).first
        for key in [name, resource.fullURL].compactMap({ $0 }) { orders[key] = stated }
    }

    /// Makes the events of the doses of other programs, and puts all in the file's order.
    mutating func importDoses() {
        for resource in foreign {
            let before = reader.errors.count
            let event = readForeign(resource)
            if let event, reader.errors.count == before { add(event, resource, isOwn: false) }
        }
        found.sort { $0.node.position < $1.node.position }
        summary.doses = found.map(\.event)
        warnOfMarks()
        summary.skips.sort { $0.position < $1.position }
        summary.warnings.sort { $0.position < $1.position }
    }

    /// Adds an event. Equal ones count once; of two versions of a resource the newer one counts.
    /// Of versions without an order, the one that is entered in error does: that status is final.
    private mutating func add(_ event: DoseEvent, _ resource: FHIRResource, isOwn: Bool) {
        var node = resource.node
        let subject = subject(resource)
        let isMarked = node["status"]?.string == "entered-in-error"
        let idNode = node["identifier"] ?? node["id"]
        if isOwn { node.content = .null }
        let one = Found(
            event: event, node: node, subject: subject, isOwn: isOwn, isMarked: isMarked)
        let dose = isOwn ? event.id : event.replaces.first ?? event.id
        guard let place = places[dose] else {
            places[dose] = found.count
            found.append(one)
            return
        }
        let other = found[place]
        let (position, earlier) = (node.position, other.node.position)
        if other.event == event {
            summary.skip(
                .duplicate, subject, at: position, detail: "equal to the one at \(earlier)")
        } else if !isOwn, !other.isOwn,
            let isNewer = node.isNewerVersion(than: other.node)
                ?? (isMarked == other.isMarked ? nil : isMarked)
        {
            summary.skip(
                .olderVersion, subject, at: isNewer ? earlier : position,
                detail: "a newer one stands at \(isNewer ? position : earlier)")
            if isNewer { found[place] = one }
        } else {
            reader.clash(node.place, at: idNode?.place, with: other.node.place)
        }
    }

    /// An own event that is said to be entered in error, without an event that replaces it, was
    /// marked by another program. The event itself is not changed by that.
    private mutating func warnOfMarks() {
        let replaced = DoseFHIR.replaced(in: summary.doses)
        for one in found
        where one.isOwn && one.isMarked && one.event.action != .withdraw
            && !replaced.contains(one.event.id)
        {
            summary.warn(
                "it is marked 'entered-in-error', and no event in the file replaces it; the event "
                    + "is imported and counts; if it did not happen, withdraw it on a device",
                one.subject, at: one.node.position)
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
