/// The limits of a parser. Input beyond them is refused, never read in part.
package struct JSONLimits: Hashable, Sendable {
    /// The levels of arrays and objects.
    package var depth: Int
    /// Bytes of one text.
    package var bytes: Int
    /// The number of faults after which the parser stops reading a text.
    package var errors: Int

    /// Makes the limits. A depth above 512 could exhaust the stack of a thread, and is clamped.
    package init(depth: Int = 128, bytes: Int = 256 << 20, errors: Int = 32) {
        self.depth = max(0, min(depth, 512))
        self.bytes = bytes
        self.errors = max(1, errors)
    }

    /// The limits for files that a user names.
    package static let file = JSONLimits()
    /// The limits for one line of the control protocol: 1 MiB.
    package static let line = JSONLimits(depth: 32, bytes: 1 << 20, errors: 4)
}
