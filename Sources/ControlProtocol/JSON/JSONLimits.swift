/// The bounds of a parser. Input beyond them is refused, never half read.
package struct JSONLimits: Hashable, Sendable {
    /// Arrays and objects inside one another.
    package var depth: Int
    /// Bytes of one text.
    package var bytes: Int
    /// Faults reported before the parser gives up on a text.
    package var errors: Int

    /// Makes the bounds. A depth above 512 could exhaust the stack of a thread and is held there.
    package init(depth: Int = 128, bytes: Int = 256 << 20, errors: Int = 32) {
        self.depth = max(0, min(depth, 512))
        self.bytes = bytes
        self.errors = max(1, errors)
    }

    /// Bounds for files a person names.
    package static let file = JSONLimits()
    /// Bounds for one line of the control protocol: 1 MiB.
    package static let line = JSONLimits(depth: 32, bytes: 1 << 20, errors: 4)
}
