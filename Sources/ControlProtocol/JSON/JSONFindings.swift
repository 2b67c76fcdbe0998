/// What could be read of a text, and what is wrong with it.
package struct JSONFindings: Hashable, Sendable {
    /// The values, without the parts that could not be read; what holds a fault may lack something,
    /// hold `null` in its place, or have a name twice.
    package var nodes: [JSONNode]
    /// The faults, in the order of their positions; empty when the values are whole.
    package var errors: [JSONError]

    /// Makes the findings.
    package init(nodes: [JSONNode], errors: [JSONError]) {
        self.nodes = nodes
        self.errors = errors
    }
}
