/// The line of a fault with a mark under it, as compilers show them.
package enum SourceExcerpt {
    /// Two lines: the faulty line with its number, and a mark below the `byteCount` bytes at
    /// `position`. A long line is cut around the fault.
    ///
    /// - Complexity: O(1) in the length of lines: only the shown part is read.
    package static func lines(
        of source: [UInt8], at position: JSONPosition, byteCount: Int
    ) -> [String] {
        let offset = max(0, min(position.byteOffset, source.count))
        // Outwards from the fault: a line may be as long as the file, and full of faults.
        let start = start(of: source, before: offset)
        let before = shown(source[start..<offset])
        let rest = source[offset...].prefix(4 * shownScalars)
        let after = rest.prefix { $0 != lineFeed }
        let line = (before + shown(after)).prefix(shownScalars)
        let number = "  \(position.line) | "
        let marked = shown(after.prefix(byteCount)).count
        let width = max(1, min(marked, line.count - before.count))
        let margin = String(repeating: " ", count: number.utf8.count + before.count)
        return [
            number + String(String.UnicodeScalarView(line)),
            margin + String(repeating: "^", count: width),
        ]
    }

    /// The start of the line, or 60 scalars before `offset`.
    private static func start(of source: [UInt8], before offset: Int) -> Int {
        var start = offset
        for _ in 0..<60 {
            var next = start - 1
            for _ in 0..<3 where next > 0 && source[next] & 0xC0 == 0x80 { next -= 1 }
            guard next >= 0, source[next] != lineFeed else { break }
            start = next
        }
        return start
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let shownScalars = 90

    private static func shown(_ bytes: ArraySlice<UInt8>) -> [Unicode.Scalar] {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.map(Excerpt.visible)
    }
}
