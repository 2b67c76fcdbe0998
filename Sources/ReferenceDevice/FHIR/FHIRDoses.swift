import ControlProtocol
import WatchProto

/// The doses of a file.
struct FHIRDoses {
    /// The range of a resource in the file, which has at most 256 MiB.
    struct Place {
        var offset: UInt32
        var line: UInt32
        var column: UInt32
        var byteCount: UInt32

        init(_ node: JSONNode) {
            offset = UInt32(node.position.byteOffset)
            line = UInt32(node.position.line)
            column = UInt32(node.position.column)
            byteCount = UInt32(node.byteCount)
        }
    }

    /// The resource of which an event was made.
    struct Found {
        /// A part of the identity of the dose that it tells of.
        var key: UInt64
        var place: Place
        var isOwn: Bool
        /// Whether the resource is marked as entered in error.
        var isMarked: Bool
        /// Whether another resource counts instead.
        var isDropped = false
    }

    var reader: NodeReader
    var summary: ImportSummary
    /// The events; after ``importDoses()`` those that count, in the file's order.
    var events = EncodedEvents()
    var drugs = FHIRDrugs()
    /// The medications of the orders in the file, by every name they can be referred to.
    var orders: [String: MedicationID] = [:]
    /// The resource of each event.
    var found: [Found] = []
    let text: ChunkedText
    /// The doses of other programs. The resources that they refer to may follow later in the file.
    private var foreign: [Place] = []
    /// The `fullUrl` of those that have no other name, by their offsets.
    private var urls: [UInt32: String] = [:]

    init(_ text: ChunkedText, file: String, format: ImportSummary.Format) {
        self.text = text
        reader = NodeReader(text, [])
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
            case Self.resourceType where isOwn(resource.node):
                let before = reader.errors.count
                let event = readOwn(resource.node)
                if let event, reader.errors.count == before {
                    add(event, resource.node, isOwn: true)
                }
            case Self.resourceType:
                let place = Place(resource.node)
                foreign.append(place)
                if resource.node["id"] == nil { urls[place.offset] = resource.fullURL }
            default:
                summary.countOther(resource.type)
                drugs.add(resource, &reader)
                if resource.type == "MedicationRequest" { addOrder(resource) }
            }
        }
        shorten()
    }

    private static let resourceType = "MedicationAdministration"

    private mutating func addOrder(_ resource: FHIRResource) {
        let id = reader.string(resource.node["id"], "an id")
        let name = id.map { resource.type + "/" + $0 }
        let stated = MedicationID.stated(id: id, name: name, fullURL: resource.fullURL).first
        for key in [name, resource.fullURL].compactMap({ $0 }) { orders[key] = stated }
    }

    /// Makes the events of the doses of other programs, and puts all in the file's order.
    mutating func importDoses() {
        for place in foreign {
            text.release(before: Int(place.offset))
            guard let node = node(at: place) else { continue }
            let before = reader.errors.count
            let event = readForeign(
                FHIRResource(node: node, type: Self.resourceType, fullURL: urls[place.offset]))
            if let event, reader.errors.count == before { add(event, node, isOwn: false) }
            shorten()
        }
        (foreign, urls) = ([], [:])
        settleRepeated()
        warnOfMarks()
        summary.order()
        let counting = found.indices.filter { !found[$0].isDropped }
        events.select(counting.sorted { found[$0].place.offset < found[$1].place.offset })
        found = []
    }

    private mutating func add(_ event: DoseEvent, _ node: JSONNode, isOwn: Bool) {
        do throws(EncodingRefusal) {
            events.append(try event.encoded())
        } catch {
            return reader.fault(node, expected: "an event that can be stored", found: "\(error)")
        }
        let dose = isOwn ? event.id : event.replaces.first ?? event.id
        let isMarked = node["status"]?.string == "entered-in-error"
        found.append(
            Found(
                key: UInt64(truncatingIfNeeded: dose.rawValue), place: Place(node), isOwn: isOwn,
                isMarked: isMarked))
    }

    /// Keeps the lists of messages short.
    mutating func shorten() {
        if summary.isLong { summary.order() }
        reader.shorten(to: ImportSummary.keptCount)
    }

    /// Reads a resource again.
    func node(at place: Place) -> JSONNode? {
        let position = JSONPosition(
            byteOffset: Int(place.offset), line: Int(place.line), column: Int(place.column))
        return JSONParser.examine(text, at: position, byteCount: Int(place.byteCount))
    }

    /// The name of a resource in messages.
    func subject(_ node: JSONNode) -> String {
        Self.resourceType + (node["id"]?.string.map { "/" + $0 } ?? "")
    }

    /// Whether the resource is one of an export: it has an identifier or an extension of ours.
    private func isOwn(_ node: JSONNode) -> Bool {
        node["identifier"]?.array?.contains { $0["system"]?.string == DoseFHIR.eventSystem } == true
            || node["extension"]?.array?.contains {
                $0["url"]?.string?.hasPrefix(DoseFHIR.base) == true
            } == true
    }
}
