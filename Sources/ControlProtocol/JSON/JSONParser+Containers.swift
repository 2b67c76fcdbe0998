extension JSONParser {
    // Where the text breaks off, what was read so far is the container.

    mutating func parseArray(depth: Int) -> JSONNode? {
        let start = position
        guard enter(depth) else { return nil }
        var elements: [JSONNode] = []
        let isGiven = depth <= 1 && isInElements
        // An array inside of an element belongs to it.
        if isGiven { isInElements = false }
        skipSpace()
        if take("]") { return node(.array(elements), from: start) }
        while true {
            skipSpace()
            if peek == UInt8(ascii: "]") {
                reportUnexpected(expected: "a value after ','")
                offset += 1
                break
            }
            if let element = parseValue(depth: depth + 1) {
                if isGiven, let receiver = self.elements {
                    receiver.body(element, errors)
                } else {
                    elements.append(element)
                }
            } else if !isStopped {
                skipToDelimiter()
            }
            guard !isStopped else { break }
            switch parseSeparator(closing: "]", of: "array", from: start) {
            case .more: continue
            case .closed, .lost: return node(.array(elements), from: start)
            }
        }
        return node(.array(elements), from: start)
    }

    mutating func parseObject(depth: Int) -> JSONNode? {
        let start = position
        guard enter(depth) else { return nil }
        var members: [JSONNode.Member] = []
        var names: Set<String> = []
        skipSpace()
        if take("}") { return node(.object(members), from: start) }
        while true {
            skipSpace()
            if peek == UInt8(ascii: "}") {
                reportUnexpected(expected: "a member after ','")
                offset += 1
                break
            }
            if let member = parseMember(depth: depth + 1) {
                noteDuplicate(member, of: members, names: &names)
                members.append(member)
            } else if !isStopped {
                skipToDelimiter()
            }
            guard !isStopped else { break }
            switch parseSeparator(closing: "}", of: "object", from: start) {
            case .more: continue
            case .closed, .lost: return node(.object(members), from: start)
            }
        }
        return node(.object(members), from: start)
    }

    private mutating func parseMember(depth: Int) -> JSONNode.Member? {
        let namePosition = position
        guard peek == UInt8(ascii: "\"") else {
            reportUnexpected(expected: "a member's name in double quotes")
            return nil
        }
        guard let name = parseString(), !isResynchronised else { return nil }
        let nameByteCount = offset - namePosition.byteOffset
        if depth == 1 { isInElements = name == elements?.name }
        skipSpace()
        if !take(":") {
            reportUnexpected(expected: "':' after the member's name")
            guard !isStopped, startsValue else { return nil }
        }
        guard let value = parseValue(depth: depth) else { return nil }
        return JSONNode.Member(
            name: name, namePosition: namePosition, nameByteCount: nameByteCount, value: value)
    }

    /// Reports a repeated name. The set compares by canonical equivalence and is only a filter;
    /// names are the same if their bytes are.
    private mutating func noteDuplicate(
        _ member: JSONNode.Member, of members: [JSONNode.Member], names: inout Set<String>
    ) {
        guard !names.insert(member.name).inserted,
            let first = members.first(where: { $0.name.utf8.elementsEqual(member.name.utf8) })
        else { return }
        report(
            .duplicateName, at: member.namePosition, byteCount: member.nameByteCount,
            expected: "each member once",
            found: "a second \(quoted(member.name)) "
                + "(the first is at \(first.namePosition))")
    }

    private enum Separator { case more, closed, lost }

    private mutating func parseSeparator(
        closing: Unicode.Scalar, of container: String, from start: JSONPosition
    ) -> Separator {
        var isFirstFault = !isResynchronised
        isResynchronised = false
        while true {
            skipSpace()
            guard let byte = peek else {
                report(
                    .endOfInput, at: position, byteCount: 0,
                    expected: "'\(closing)' to close the \(container) opened at \(start)",
                    found: "the end of the text")
                isStopped = true
                return .lost
            }
            if take(",") { return .more }
            if take(closing) { return .closed }
            if isFirstFault { reportUnexpected(expected: "',' or '\(closing)'") }
            isFirstFault = false
            if isStopped { return .lost }
            if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
                isStopped = true
                return .lost
            }
            if startsValue { return .more }
            skipToDelimiter()
        }
    }

    private mutating func enter(_ depth: Int) -> Bool {
        if depth >= limits.depth {
            report(
                .tooDeep, at: position, byteCount: 1,
                expected: "at most \(limits.depth) arrays and objects inside one another",
                found: "one more")
            isStopped = true
            return false
        }
        offset += 1
        return true
    }
}
