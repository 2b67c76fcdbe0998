/// Parses JSON strictly (RFC 8259): one whole text, UTF-8 without byte order mark.
///
/// It reports as many separate faults as possible. After a fault inside a token or a missing comma
/// it continues. If brackets do not match, it stops, because further reports would be guesses. A
/// repeated name in an object is a fault: RFC 8259 leaves its meaning open, and a medication must
/// not depend on it.
///
/// The bytes are those of an array or of a ``ChunkedText``.
package struct JSONParser<Bytes: RandomAccessCollection>
where Bytes.Element == UInt8, Bytes.Index == Int {
    let bytes: Bytes
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
    /// Whether the present member of the text's object is that one, or the text is to be the array.
    var isInElements = false

    init(
        _ bytes: Bytes, in range: Range<Int>, from position: JSONPosition, limits: JSONLimits
    ) {
        self.bytes = bytes
        self.limits = limits
        offset = range.lowerBound
        end = range.upperBound
        line = position.line
        columnOrigin = range.lowerBound - (position.column - 1)
    }

    /// Reads the whole range.
    mutating func findings() -> JSONFindings {
        let node = parseText()
        return JSONFindings(nodes: [node].compactMap { $0 }, errors: errors)
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
