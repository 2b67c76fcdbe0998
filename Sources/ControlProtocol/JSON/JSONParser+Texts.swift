/// Reading whole texts.
extension JSONParser where Bytes == [UInt8] {
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

    /// Reads `text` as one value.
    ///
    /// - Throws: every fault found; the author of the text is at fault.
    package static func parse(
        _ text: String, limits: JSONLimits = .file
    ) throws(JSONErrors) -> JSONNode {
        try parse(Array(text.utf8), limits: limits)
    }
}

extension JSONParser {
    /// Reads the readable parts of one value in `range` of `bytes`, which starts at `position` of
    /// its file.
    static func examine(
        _ bytes: Bytes, in range: Range<Int>, from position: JSONPosition, limits: JSONLimits
    ) -> JSONFindings {
        var parser = JSONParser(bytes, in: range, from: position, limits: limits)
        return parser.findings()
    }
}

extension JSONParser where Bytes == ChunkedText {
    /// Reads the readable parts of a text as one value, and gives `body` each element of the array
    /// that is the member `name` of the value, with the faults found so far. The value has an empty
    /// array in their place, and the pieces of the text before an element are given back when it
    /// has been read, so that no more than one element is in memory.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - name: the name of the member.
    ///   - takesRoot: whether the elements of a value that is an array itself are given as well.
    ///   - body: receives the elements.
    package static func examine(
        _ text: ChunkedText, elementsOf name: String, orOfRoot takesRoot: Bool = false,
        _ body: (JSONNode, [JSONError]) -> Void
    ) -> JSONFindings {
        withoutActuallyEscaping(body) { body in
            var parser = JSONParser(text, in: 0..<text.count, from: .start, limits: .file)
            parser.isInElements = takesRoot
            parser.elements = (
                name,
                { node, errors in
                    body(node, errors)
                    text.release(before: node.position.byteOffset)
                }
            )
            return parser.findings()
        }
    }

    /// Reads the value at a place of the text again.
    package static func examine(
        _ text: ChunkedText, at position: JSONPosition, byteCount: Int
    ) -> JSONNode? {
        let range = position.byteOffset..<position.byteOffset + byteCount
        return examine(text, in: range, from: position, limits: .file).nodes.first
    }
}
