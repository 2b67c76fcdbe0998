import ControlProtocol
import WatchProtoCore

/// One version of an order or statement, and what an import makes of it.
struct OrderVersion {
    /// What an import makes of an order.
    enum Outcome: Hashable {
        /// It has faults, which are noted.
        case faulty
        /// It is well formed but of no use.
        case skipped(ImportSummary.Reason, String, String)
        /// A record, which has no identity yet.
        case medication(Medication, warnings: [String])
    }

    /// The resource.
    var node: JSONNode
    /// The resource's type.
    var type: String
    /// The resource's id.
    var id: String?
    var outcome: Outcome

    /// What messages call it.
    var subject: String { type + (id.map { "/" + $0 } ?? "") }

    /// Whether this version is newer than `other`; nil where the two do not say. `lastUpdated`
    /// counts first: a `versionId` is free text (FHIR R4 4.0.1, Resource, `Meta`) and tells an
    /// order only where it is a number.
    func isNewer(than other: OrderVersion) -> Bool? {
        if let own = lastUpdated, let others = other.lastUpdated, own != others {
            return own > others
        }
        if let own = versionNumber, let others = other.versionNumber, own != others {
            return own > others
        }
        return nil
    }

    private var lastUpdated: WallTime? {
        node["meta"]?["lastUpdated"]?.string.flatMap { WallTime(iso8601: $0) }
    }

    private var versionNumber: UInt64? {
        node["meta"]?["versionId"]?.string.flatMap { UInt64($0) }
    }
}

/// All that a file holds of one resource.
struct OneResource {
    /// Its newest version.
    var newest: OrderVersion
    /// `TYPE/ID`, or without an id the `fullUrl`; nil where it has neither.
    var name: String?
    /// The `fullUrl` of its entry.
    var fullURL: String?
}
