/// Where something stands in a text of JSON.
public struct JSONPosition: Hashable, Comparable, Sendable {
    /// Bytes before it, from the start of the file.
    public var byteOffset: Int
    /// Its line; the first is 1. Only a line feed ends a line.
    public var line: Int
    /// Its column in Unicode scalars; the first is 1, a tab counts one.
    public var column: Int

    /// Makes the position.
    public init(byteOffset: Int, line: Int, column: Int) {
        self.byteOffset = byteOffset
        self.line = line
        self.column = column
    }

    /// The first byte of a file.
    public static let start = JSONPosition(byteOffset: 0, line: 1, column: 1)

    /// Whether `left` stands before `right`, by their byte offsets.
    public static func < (left: JSONPosition, right: JSONPosition) -> Bool {
        left.byteOffset < right.byteOffset
    }
}

extension JSONPosition: CustomStringConvertible {
    /// As compilers say it: `7:15`.
    public var description: String { "\(line):\(column)" }
}
