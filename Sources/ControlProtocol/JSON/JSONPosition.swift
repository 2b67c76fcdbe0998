/// A place in a JSON text.
package struct JSONPosition: Hashable, Comparable, Sendable {
    /// Bytes before it, from the start of the file.
    package var byteOffset: Int
    /// Its line; the first is 1. Only a line feed ends a line.
    package var line: Int
    /// Its column in Unicode scalars; the first is 1, a tab counts as one.
    package var column: Int

    /// Makes the position.
    package init(byteOffset: Int, line: Int, column: Int) {
        self.byteOffset = byteOffset
        self.line = line
        self.column = column
    }

    /// The first byte of a file.
    package static let start = JSONPosition(byteOffset: 0, line: 1, column: 1)

    /// Whether `left` is before `right`, by their byte offsets.
    package static func < (left: JSONPosition, right: JSONPosition) -> Bool {
        left.byteOffset < right.byteOffset
    }
}

extension JSONPosition: CustomStringConvertible {
    /// The form of compilers: `7:15`.
    package var description: String { "\(line):\(column)" }
}
