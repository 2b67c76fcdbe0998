package import ControlProtocol

/// A file that was not imported, with all its faults. The author of the file is at fault; nothing
/// was changed.
package struct ImportRefusal: Error, Hashable, Sendable {
    /// The file as its user named it.
    package var file: String
    /// The faults, in the order of their places; never empty.
    package var errors: [JSONError]
    /// The number of later faults, which are only counted.
    package var omitted: Int

    /// Makes the refusal.
    package init(file: String, errors: [JSONError], omitted: Int = 0) {
        self.file = file
        self.errors = errors.sorted { $0.position < $1.position }
        self.omitted = omitted
    }
}

extension ImportRefusal: CustomStringConvertible {
    /// A line for each of the first ``shownCount`` faults, `list.json:7:15: expected …, found …`,
    /// then how many there are.
    package var description: String {
        let lines = errors.prefix(Self.shownCount).map { $0.description(file: file) }
        return (lines + summary).joined(separator: "\n")
    }

    /// ``description`` with the faulty line of `source` under each fault and a mark below it.
    ///
    /// - Complexity: O(1) in the length of lines: no fault looks beyond the part that is shown.
    package func description(source: [UInt8]) -> String {
        let lines = errors.prefix(Self.shownCount).flatMap { error in
            [error.description(file: file)]
                + SourceExcerpt.lines(
                    of: source, at: error.position, byteCount: error.byteCount)
        }
        return (lines + summary).joined(separator: "\n")
    }

    /// How many faults a text shows; the others are only counted.
    package static let shownCount = ImportSummary.shownCount

    private var summary: [String] {
        let all = errors.count + omitted
        let rest = all - Self.shownCount
        let count = "\(all) \(all == 1 ? "error" : "errors")"
        return (rest > 0 ? ["and \(rest) more"] : [])
            + ["\(count) in 1 file; nothing was imported."]
    }
}
