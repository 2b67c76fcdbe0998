import ControlProtocol

/// One version of an order or statement, and its outcome in an import.
struct OrderVersion {
    /// The outcome of an order in an import.
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

    /// The name that messages use for it.
    var subject: String { type + (id.map { "/" + $0 } ?? "") }
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
