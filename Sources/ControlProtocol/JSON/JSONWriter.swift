/// Writes JSON. Equal values have equal bytes: members in their order, numbers in the shortest form
/// that reads back the same, and only necessary escapes.
package enum JSONWriter {
    /// The layout of the text.
    package enum Layout: Hashable, Sendable {
        /// No white space at all; never a line feed, so the text is one line.
        case compact
        /// A member or element on each line, with two spaces for each level.
        case pretty
    }

    /// The text of `value`, without a line feed at its end.
    package static func bytes(_ value: JSONValue, layout: Layout = .compact) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, layout: layout, to: &bytes)
        return bytes
    }

    /// The text of `value`, without a line feed at its end.
    package static func text(_ value: JSONValue, layout: Layout = .compact) -> String {
        String(decoding: bytes(value, layout: layout), as: UTF8.self)
    }

    /// One line of JSON lines: compact, with its line feed.
    package static func line(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, layout: .compact, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// Appends the text of `value` to `bytes`, for reused buffers.
    package static func append(
        _ value: JSONValue, layout: Layout = .compact, to bytes: inout [UInt8]
    ) {
        write(value, indent: layout == .pretty ? 0 : nil, &bytes)
    }

    private static func write(_ value: JSONValue, indent: Int?, _ bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number): bytes += String(number).utf8
        case .unsigned(let number): bytes += String(number).utf8
        case .number(let number): bytes += (number.isFinite ? "\(number)" : "null").utf8
        case .string(let text): write(text, &bytes)
        case .array(let elements):
            let inner = indent.map { $0 + 1 }
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                newLine(inner, &bytes)
                write(element, indent: inner, &bytes)
            }
            if !elements.isEmpty { newLine(indent, &bytes) }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            let inner = indent.map { $0 + 1 }
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                newLine(inner, &bytes)
                write(member.name, &bytes)
                bytes.append(UInt8(ascii: ":"))
                if indent != nil { bytes.append(UInt8(ascii: " ")) }
                write(member.value, indent: inner, &bytes)
            }
            if !object.members.isEmpty { newLine(indent, &bytes) }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func newLine(_ indent: Int?, _ bytes: inout [UInt8]) {
        guard let indent else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: indent * 2)
    }

    private static func write(_ text: String, _ bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case 0x08: bytes += #"\b"#.utf8
            case 0x09: bytes += #"\t"#.utf8
            case 0x0A: bytes += #"\n"#.utf8
            case 0x0C: bytes += #"\f"#.utf8
            case 0x0D: bytes += #"\r"#.utf8
            case 0..<0x20:
                bytes += (byte < 0x10 ? #"\u000"# : #"\u00"#).utf8
                bytes += String(byte, radix: 16).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
