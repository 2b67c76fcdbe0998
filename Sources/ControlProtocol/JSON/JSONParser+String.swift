extension JSONParser {
    /// Reads a string whose opening quote is next. Nil only if the text ends inside it.
    mutating func parseString() -> String? {
        let start = position
        offset += 1
        var runStart = offset
        var scalars: [UInt8] = []
        while offset < end {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""):
                let text = finished(scalars, runStart)
                offset += 1
                return text
            case UInt8(ascii: "\\"):
                scalars += bytes[runStart..<offset]
                parseEscape(into: &scalars)
                runStart = offset
            case UInt8(ascii: "\n"):
                report(
                    .controlCharacter, at: position, byteCount: 1,
                    expected: "'\"' to close the string opened at \(start)", found: "the line's end"
                )
                isResynchronised = true
                return finished(scalars, runStart)
            case 0..<0x20:
                report(
                    .controlCharacter, at: position, byteCount: 1,
                    expected: "an escape (\(escape(of: byte)))", found: describe(byte))
                offset += 1
            case 0x80...:
                let length = utf8Length(at: offset)
                if length == 0 {
                    report(
                        .invalidUTF8, at: position, byteCount: 1, expected: "UTF-8",
                        found: "the byte 0x\(hex(UInt32(byte), digits: 2))")
                    offset += 1
                } else {
                    offset += length
                    columnOrigin += length - 1
                }
            default: offset += 1
            }
            if isStopped { return nil }
        }
        report(
            .endOfInput, at: position, byteCount: 0,
            expected: "'\"' to close the string opened at \(start)", found: "the end of the text")
        isStopped = true
        return nil
    }

    private func finished(_ scalars: [UInt8], _ runStart: Int) -> String {
        if scalars.isEmpty { return String(decoding: bytes[runStart..<offset], as: UTF8.self) }
        return String(decoding: scalars + bytes[runStart..<offset], as: UTF8.self)
    }

    private mutating func parseEscape(into scalars: inout [UInt8]) {
        let start = position
        guard offset + 1 < end else {
            offset = end
            return
        }
        let simple: UInt8
        switch bytes[offset + 1] {
        case UInt8(ascii: "\""): simple = UInt8(ascii: "\"")
        case UInt8(ascii: "\\"): simple = UInt8(ascii: "\\")
        case UInt8(ascii: "/"): simple = UInt8(ascii: "/")
        case UInt8(ascii: "b"): simple = 0x08
        case UInt8(ascii: "f"): simple = 0x0C
        case UInt8(ascii: "n"): simple = 0x0A
        case UInt8(ascii: "r"): simple = 0x0D
        case UInt8(ascii: "t"): simple = 0x09
        case UInt8(ascii: "u"):
            parseUnicodeEscape(into: &scalars)
            return
        default:
            offset += 1
            let found = describeHere()
            report(
                .invalidEscape, at: start, byteCount: 2,
                expected: "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u",
                found: "a backslash before \(found)")
            return
        }
        scalars.append(simple)
        offset += 2
    }

    private mutating func parseUnicodeEscape(into scalars: inout [UInt8]) {
        let start = position
        guard let unit = hexadecimal(at: offset + 2) else {
            report(
                .invalidEscape, at: start, byteCount: 2,
                expected: "four hexadecimal digits after \\u", found: digitsFound(at: offset + 2))
            offset += 2
            return
        }
        offset += 6
        var value = unit
        if unit >= 0xD800, unit < 0xE000 {
            guard unit < 0xDC00, offset + 1 < end, bytes[offset] == UInt8(ascii: "\\"),
                bytes[offset + 1] == UInt8(ascii: "u"), let low = hexadecimal(at: offset + 2),
                low >= 0xDC00, low < 0xE000
            else {
                report(
                    .loneSurrogate, at: start, byteCount: 6,
                    expected: "a pair of surrogates, high then low",
                    found: "\\u\(hex(unit, digits: 4)) alone")
                return
            }
            offset += 6
            value = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        // Surrogates were dealt with above, so the value is always a scalar.
        if let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) {
            scalars += Array(encoded)
        }
    }

    private func hexadecimal(at index: Int) -> UInt32? {
        guard index + 4 <= end else { return nil }
        var value: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return value
    }

    private func digitsFound(at index: Int) -> String {
        let available = bytes[min(index, end)..<min(index + 4, end)].prefix {
            $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"")
        }
        return available.isEmpty ? "none" : "'\(String(decoding: available, as: UTF8.self))'"
    }

    /// The length of the well-formed UTF-8 sequence at `index` (RFC 3629, section 4), or 0.
    func utf8Length(at index: Int) -> Int {
        func continues(_ place: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            place < end && range.contains(bytes[place])
        }
        switch bytes[index] {
        case 0..<0x80: return 1
        case 0xC2...0xDF: return continues(index + 1) ? 2 : 0
        case 0xE0...0xEF:
            let second: ClosedRange<UInt8> =
                switch bytes[index] {
                case 0xE0: 0xA0...0xBF
                case 0xED: 0x80...0x9F
                default: 0x80...0xBF
                }
            return continues(index + 1, second) && continues(index + 2) ? 3 : 0
        case 0xF0...0xF4:
            let second: ClosedRange<UInt8> =
                switch bytes[index] {
                case 0xF0: 0x90...0xBF
                case 0xF4: 0x80...0x8F
                default: 0x80...0xBF
                }
            return continues(index + 1, second) && continues(index + 2) && continues(index + 3)
                ? 4 : 0
        default: return 0
        }
    }
}
