/// The readable parts of a text, and its faults.
package struct JSONFindings: Hashable, Sendable {
    /// The values, without the parts that could not be read. A faulty value may lack something,
    /// have `null` in its place, or repeat a name.
    package var nodes: [JSONNode]
    /// The faults, in the order of their positions; empty if the values are complete.
    package var errors: [JSONError]

    /// Makes the findings.
    package init(nodes: [JSONNode], errors: [JSONError]) {
        self.nodes = nodes
        self.errors = errors
    }
}
