/// JSON lines (NDJSON): one value per line of a file.
package enum JSONLines {
    /// Reads every line of `bytes`; blank lines are skipped.
    ///
    /// - Throws: the faults of all lines, with their places in the whole file; the maker of the
    ///   bytes is at fault. At most `limits.errors` lines are reported.
    package static func parse(
        _ bytes: [UInt8], limits: JSONLimits = .file
    ) throws(JSONErrors) -> [JSONNode] {
        let findings = examine(bytes, limits: limits)
        guard findings.errors.isEmpty else { throw JSONErrors(findings.errors) }
        return findings.nodes
    }

    /// Reads the readable parts of every line, for callers that check further. Lines after
    /// `limits.errors` faulty ones are not read.
    package static func examine(_ bytes: [UInt8], limits: JSONLimits = .file) -> JSONFindings {
        var findings = JSONFindings(nodes: [], errors: [])
        forEachLine(in: bytes, limits: limits) { found, _ in
            findings.nodes += found.nodes
            findings.errors += found.errors
        }
        return findings
    }

    /// Gives `body` the findings of one line after the other, and gives the pieces of the text
    /// before a line back, so that no more than one value is in memory. It stops as
    /// ``examine(_:limits:)`` does.
    package static func forEachLine(of text: ChunkedText, _ body: (JSONFindings) -> Void) {
        forEachLine(in: text, limits: .file) { found, end in
            body(found)
            text.release(before: end)
        }
    }

    /// Gives `body` the findings of each line, and the offset of its end.
    private static func forEachLine<Bytes: RandomAccessCollection>(
        in bytes: Bytes, limits: JSONLimits, _ body: (JSONFindings, Int) -> Void
    ) where Bytes.Element == UInt8, Bytes.Index == Int {
        var faultyLines = 0
        var start = 0
        var line = 1
        while start < bytes.count, faultyLines < limits.errors {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let isBlank = bytes[start..<end].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            if !isBlank {
                let position = JSONPosition(byteOffset: start, line: line, column: 1)
                let found = JSONParser.examine(
                    bytes, in: start..<end, from: position, limits: limits)
                body(found, end)
                if !found.errors.isEmpty { faultyLines += 1 }
            }
            start = end + 1
            line += 1
        }
    }
}
