import ControlProtocol
import WatchProto

/// A resource of a file, alone or in an entry of a Bundle.
struct FHIRResource {
    /// The resource.
    var node: JSONNode
    /// The resource's type.
    var type: String
    /// The `fullUrl` of its entry.
    var fullURL: String?
}

extension NodeReader {
    /// The resources of `node`: itself, or those that it bundles.
    mutating func resources(_ node: JSONNode, fullURL: String? = nil) -> [FHIRResource] {
        guard object(node, "a FHIR resource") != nil else { return [] }
        guard let typeNode = node["resourceType"] else {
            missing("resourceType", in: node)
            return []
        }
        guard let type = string(typeNode, "a resource type") else { return [] }
        guard type == "Bundle" else {
            return [FHIRResource(node: node, type: type, fullURL: fullURL)]
        }
        return array(node["entry"], "entries of a bundle").flatMap { resources(ofEntry: $0) }
    }

    /// The resources of an entry of a Bundle.
    mutating func resources(ofEntry entry: JSONNode) -> [FHIRResource] {
        guard object(entry, "an entry of a bundle") != nil else { return [] }
        let url = string(entry["fullUrl"], "a URL")
        // An entry of a response, or one that only deletes, has no resource.
        return entry["resource"].map { resources($0, fullURL: url) } ?? []
    }
}

extension JSONNode {
    /// Whether this version of a resource is newer than `other`; nil where the two do not say.
    /// `lastUpdated` counts first: a `versionId` is free text (FHIR R4 4.0.1, Resource, `Meta`) and
    /// tells an order only where it is a number.
    func isNewerVersion(than other: JSONNode) -> Bool? {
        if let own = lastUpdated, let others = other.lastUpdated, own != others {
            return own > others
        }
        if let own = versionNumber, let others = other.versionNumber, own != others {
            return own > others
        }
        return nil
    }

    private var lastUpdated: WallTime? {
        self["meta"]?["lastUpdated"]?.string.flatMap { WallTime(iso8601: $0) }
    }

    private var versionNumber: UInt64? {
        self["meta"]?["versionId"]?.string.flatMap { UInt64($0) }
    }
}

extension MedicationID {
    /// The identities that an order states, the best first.
    static func stated(id: String?, name: String?, fullURL: String?) -> [MedicationID] {
        let uuids = [id, fullURL].compactMap { $0.flatMap(MedicationID.init(uuid:)) }
        let derived = [name, fullURL].compactMap {
            $0.map { MedicationID(derivedFrom: "fhir:" + $0) }
        }
        return uuids + derived
    }
}

/// The drugs that the resources of a file are about.
struct FHIRDrugs {
    /// Resources of type Medication by every name they can be referred to.
    private var medications: [String: JSONNode] = [:]

    /// Adds a resource, if it is a Medication.
    mutating func add(_ resource: FHIRResource, _ reader: inout NodeReader) {
        guard resource.type == "Medication" else { return }
        if let id = reader.string(resource.node["id"], "an id") {
            medications["Medication/" + id] = resource.node
        }
        if let fullURL = resource.fullURL { medications[fullURL] = resource.node }
    }

    /// The drug of an order or of a dose; nil when it names none.
    func drug(of resource: JSONNode, _ reader: inout NodeReader) -> FHIRDrug? {
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
    static func relative(_ reference: String) -> String {
        reference.split(separator: "/").suffix(2).joined(separator: "/")
    }
}
