public import ControlKit

/// A file that was not imported, with everything that is wrong with it. Whoever wrote the file is
/// at fault; nothing was changed.
public struct ImportRefusal: Error, Hashable, Sendable {
    /// The file as its user named it.
    public var file: String
    /// The faults, in the order of their places; never empty.
    public var errors: [JSONError]

    /// Makes the refusal.
    public init(file: String, errors: [JSONError]) {
        self.file = file
        self.errors = errors.sorted { $0.position < $1.position }
    }
}

extension ImportRefusal: CustomStringConvertible {
    /// A line for each of the first ``shownCount`` faults, `list.json:7:15: expected …, found …`,
    /// then how many there are.
    public var description: String {
        let lines = errors.prefix(Self.shownCount).map { $0.description(file: file) }
        return (lines + summary).joined(separator: "\n")
    }

    /// ``description`` with the faulty line of `source` under each fault and a mark below it.
    ///
    /// - Complexity: O(1) in the length of lines: no fault looks beyond the part that is shown.
    public func description(source: [UInt8]) -> String {
        let lines = errors.prefix(Self.shownCount).flatMap { error in
            [error.description(file: file)] + Self.excerpt(of: source, at: error)
        }
        return (lines + summary).joined(separator: "\n")
    }

    /// How many faults a text shows; the others are only counted.
    public static let shownCount = ImportSummary.shownCount

    private var summary: [String] {
        let rest = errors.count - Self.shownCount
        let count = "\(errors.count) \(errors.count == 1 ? "error" : "errors")"
        return (rest > 0 ? ["and \(rest) more"] : [])
            + ["\(count) in 1 file; nothing was imported."]
    }

    /// The line of the fault and its mark; of long lines the part around it.
    private static func excerpt(of source: [UInt8], at error: JSONError) -> [String] {
        let offset = max(0, min(error.position.byteOffset, source.count))
        // Outwards from the fault: a line may be as long as the file, and full of faults.
        let start = start(of: source, before: offset)
        let before = shown(source[start..<offset])
        let rest = source[offset...].prefix(4 * shownScalars)
        let after = rest.prefix { $0 != lineFeed }
        let line = (before + shown(after)).prefix(shownScalars)
        let number = "  \(error.position.line) | "
        let marked = shown(after.prefix(error.byteCount)).count
        let width = max(1, min(marked, line.count - before.count))
        let margin = String(repeating: " ", count: number.utf8.count + before.count)
        return [
            number + String(String.UnicodeScalarView(line)),
            margin + String(repeating: "^", count: width),
        ]
    }

    /// Where the line begins, or 60 scalars before `offset`.
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
