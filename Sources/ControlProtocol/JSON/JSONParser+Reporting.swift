extension JSONParser {
    /// The place of the next byte.
    var position: JSONPosition {
        JSONPosition(byteOffset: offset, line: line, column: offset - columnOrigin + 1)
    }

    var peek: UInt8? { offset < end ? bytes[offset] : nil }

    /// Whether the next byte could begin a value.
    var startsValue: Bool {
        switch peek {
        case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "-"): true
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")): true
        default: ["true", "false", "null"].contains(peekWord())
        }
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard let byte = peek, UInt32(byte) == scalar.value else { return false }
        offset += 1
        return true
    }

    mutating func skipSpace() {
        while offset < end {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0D: offset += 1
            case 0x0A: newLine()
            default: return
            }
        }
    }

    private mutating func newLine() {
        offset += 1
        line += 1
        columnOrigin = offset
    }

    /// Skips unreadable text, up to the next comma or closing bracket.
    mutating func skipToDelimiter() {
        while offset < end {
            switch bytes[offset] {
            case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return
            case 0x0A: newLine()
            case 0x80..<0xC0:
                offset += 1
                columnOrigin += 1
            default: offset += 1
            }
        }
    }

    func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// The letters and digits that come next.
    func peekWord() -> String {
        String(decoding: bytes[offset..<end].prefix(24).prefix(while: isWordByte), as: UTF8.self)
    }

    /// Reports that the next text is not the expected one.
    mutating func reportUnexpected(expected: String) {
        let isEnd = offset >= end
        report(
            isEnd ? .endOfInput : .unexpected, at: position,
            byteCount: isEnd ? 0 : max(1, peekWord().utf8.count), expected: expected,
            found: describeHere())
        if isEnd { isStopped = true }
    }

    mutating func report(
        _ reason: JSONError.Reason, at position: JSONPosition, byteCount: Int, expected: String,
        found: String
    ) {
        guard !isStopped else { return }
        errors.append(
            JSONError(
                reason, at: position, byteCount: byteCount, expected: expected, found: found))
        if errors.count >= limits.errors {
            errors.append(
                JSONError(
                    .tooManyErrors, at: position, byteCount: 0,
                    expected: "fewer than \(limits.errors) faults", found: "too many to go on"))
            isStopped = true
        }
    }

    /// The next text, in words.
    func describeHere() -> String {
        guard offset < end else { return "the end of the text" }
        let word = peekWord()
        if !word.isEmpty { return "'\(word)'" }
        let length = utf8Length(at: offset)
        if bytes[offset] < 0x80 || length == 0 { return describe(bytes[offset]) }
        let text = String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        guard let scalar = text.unicodeScalars.first else { return "nothing" }
        if scalar.value == 0xFEFF { return "a byte order mark (U+FEFF)" }
        return "'\(scalar)' (U+\(hex(scalar.value, digits: 4)))"
    }

    func describe(_ byte: UInt8) -> String {
        switch byte {
        case 0x21..<0x7F: "'\(Unicode.Scalar(byte))'"
        case 0..<0x80: "the control character U+\(hex(UInt32(byte), digits: 4))"
        default: "the byte 0x\(hex(UInt32(byte), digits: 2))"
        }
    }

    /// A short, quoted form of `text` for messages.
    func quoted(_ text: String) -> String { "'\(Excerpt.of(text))'" }

    func escape(of byte: UInt8) -> String { "\\u\(hex(UInt32(byte), digits: 4))" }

    func hex(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
