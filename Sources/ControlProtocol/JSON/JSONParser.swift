/// Parses JSON strictly (RFC 8259): one whole text, UTF-8 without byte order mark.
///
/// It reports as many separate faults as possible. After a fault inside a token or a missing comma
/// it continues. If brackets do not match, it stops, because further reports would be guesses. A
/// repeated name in an object is a fault: RFC 8259 leaves its meaning open, and a medication must
/// not depend on it.
package struct JSONParser {
    let bytes: [UInt8]
    let limits: JSONLimits
    let end: Int
    var offset: Int
    var line: Int
    /// The offset at which the current line would start if every scalar had one byte.
    var columnOrigin: Int
    var errors: [JSONError] = []
    /// Whether nothing more can be reported about the text.
    var isStopped = false
    /// Set after a skip to a line end; a missing comma is then no separate fault.
    var isResynchronised = false
    /// The member whose elements are given away as they are read, if its value is an array, and
    /// the receiver of them and of the faults so far.
    var elements: (name: String, body: (JSONNode, [JSONError]) -> Void)?
    /// Whether the present member of the text's object is that one.
    var isInElements = false

    /// Reads `bytes` as one value.
    ///
    /// - Throws: every fault found; the maker of the bytes is at fault.
    package static func parse(
        _ bytes: [UInt8], limits: JSONLimits = .file
    ) throws(JSONErrors) -> JSONNode {
        let findings = examine(bytes, limits: limits)
        guard findings.errors.isEmpty, let node = findings.nodes.first else {
            throw JSONErrors(findings.errors)
        }
        return node
    }

    /// Reads the readable parts of `bytes` as one value, for callers that check further.
    package static func examine(_ bytes: [UInt8], limits: JSONLimits = .file) -> JSONFindings {
        examine(bytes, in: 0..<bytes.count, from: .start, limits: limits)
    }

    /// Reads the readable parts of `bytes` as one value, as ``examine(_:limits:)`` does, and gives
    /// `body` each element of the array that is the member `name` of the value, with the faults
    /// found so far. The value has an empty array in their place, so that no more than one element
    /// is in memory.
    package static func examine(
        _ bytes: [UInt8], elementsOf name: String, _ body: (JSONNode, [JSONError]) -> Void
    ) -> JSONFindings {
        withoutActuallyEscaping(body) { body in
            var parser = JSONParser(bytes, in: 0..<bytes.count, from: .start, limits: .file)
            parser.elements = (name, body)
            let node = parser.parseText()
            return JSONFindings(nodes: [node].compactMap { $0 }, errors: parser.errors)
        }
    }

    /// Reads `text` as one value.
    ///
    /// - Throws: every fault found; the author of the text is at fault.
    package static func parse(
        _ text: String, limits: JSONLimits = .file
    ) throws(JSONErrors) -> JSONNode {
        try parse(Array(text.utf8), limits: limits)
    }

    /// Reads the readable parts of one value in `range` of `bytes`, which starts at `position` of
    /// its file.
    static func examine(
        _ bytes: [UInt8], in range: Range<Int>, from position: JSONPosition, limits: JSONLimits
    ) -> JSONFindings {
        var parser = JSONParser(bytes, in: range, from: position, limits: limits)
        let node = parser.parseText()
        return JSONFindings(nodes: [node].compactMap { $0 }, errors: parser.errors)
    }

    private init(
        _ bytes: [UInt8], in range: Range<Int>, from position: JSONPosition, limits: JSONLimits
    ) {
        self.bytes = bytes
        self.limits = limits
        offset = range.lowerBound
        end = range.upperBound
        line = position.line
        columnOrigin = range.lowerBound - (position.column - 1)
    }

    private mutating func parseText() -> JSONNode? {
        if end - offset > limits.bytes {
            report(
                .tooLarge, at: position, byteCount: end - offset,
                expected: "at most \(limits.bytes) bytes", found: "\(end - offset) bytes")
            return nil
        }
        guard let node = parseValue(depth: 0) else { return nil }
        skipSpace()
        if !isStopped, offset < end {
            reportUnexpected(expected: "the end of the text after its one value")
        }
        return node
    }

    mutating func parseValue(depth: Int) -> JSONNode? {
        skipSpace()
        let start = position
        guard offset < end else {
            reportUnexpected(expected: "a value")
            return nil
        }
        switch bytes[offset] {
        case UInt8(ascii: "{"): return parseObject(depth: depth)
        case UInt8(ascii: "["): return parseArray(depth: depth)
        case UInt8(ascii: "\""): return parseString().map { node(.string($0), from: start) }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return parseNumber()
        default:
            switch peekWord() {
            case "true":
                offset += 4
                return node(.bool(true), from: start)
            case "false":
                offset += 5
                return node(.bool(false), from: start)
            case "null":
                offset += 4
                return node(.null, from: start)
            default:
                reportUnexpected(expected: "a value")
                return nil
            }
        }
    }

    func node(_ content: JSONNode.Content, from start: JSONPosition) -> JSONNode {
        JSONNode(position: start, byteCount: offset - start.byteOffset, content: content)
    }
}
