/// JSON lines (NDJSON): one value per line of a file.
public enum JSONLines {
    /// Reads every line of `bytes`; lines of white space alone are passed over.
    ///
    /// - Throws: the faults of all lines, with their places in the whole file; whoever wrote the
    ///   bytes is at fault. At most `limits.errors` lines are reported.
    public static func parse(
        _ bytes: [UInt8], limits: JSONLimits = .file
    ) throws(JSONErrors) -> [JSONNode] {
        var nodes: [JSONNode] = []
        var errors: [JSONError] = []
        var faultyLines = 0
        var start = 0
        var line = 1
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let isBlank = bytes[start..<end].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            if !isBlank {
                let position = JSONPosition(byteOffset: start, line: line, column: 1)
                do throws(JSONErrors) {
                    nodes.append(
                        try JSONParser.parse(
                            bytes, in: start..<end, from: position, limits: limits))
                } catch {
                    errors += error.errors
                    faultyLines += 1
                    if faultyLines >= limits.errors { break }
                }
            }
            start = end + 1
            line += 1
        }
        guard errors.isEmpty else { throw JSONErrors(errors) }
        return nodes
    }
}
