/// One command of a control channel: `{"id":1,"cmd":"status"}`.
package struct ControlRequest: Hashable, Sendable {
    /// The id that the reply repeats; `null` if the command has none.
    package var id: JSONValue
    /// The command's name.
    package var command: String
    /// The members of the line.
    package var fields: JSONObject

    /// A line that is no command, with the id for the answer: the line's own if it could be read,
    /// else `null`.
    package struct Refusal: Error, Hashable, Sendable {
        /// The id for the answer; null if none could be read.
        package var id: JSONValue
        /// The fault of the line; its writer is at fault.
        package var error: ControlError
    }

    /// Reads one line.
    ///
    /// - Throws: the fault, and the id for the answer.
    package init(line: [UInt8]) throws(Refusal) {
        let value: JSONValue
        do throws(JSONErrors) {
            value = try JSONParser.parse(line, limits: .line).value
        } catch {
            throw Refusal(id: Self.id(in: line), error: .badJSON(error))
        }
        guard let fields = value.object else {
            throw Refusal(
                id: .null,
                error: ControlError(
                    "bad_json", ["expected": "an object", "found": .string(value.kindName)]))
        }
        let id = fields["id"] ?? .null
        switch id {
        case .null, .integer, .unsigned, .string: break
        default:
            throw Refusal(
                id: .null,
                error: .badField(
                    "id", expected: "a whole number or a string", found: id.kindName))
        }
        guard let name = fields["cmd"] else {
            throw Refusal(id: id, error: .missingField("cmd", expected: "the name of a command"))
        }
        guard let command = name.string else {
            throw Refusal(
                id: id,
                error: .badField("cmd", expected: "the name of a command", found: name.kindName))
        }
        self.id = id
        self.command = command
        self.fields = fields
    }

    /// The id of a line that is cut or faulty, if it was complete before the first fault; else
    /// `null`. A number at the end may lack digits.
    static func id(in line: [UInt8]) -> JSONValue {
        let findings = JSONParser.examine(line, limits: .line)
        let members = findings.nodes.first?.members ?? []
        guard let id = members.first(where: { $0.name == "id" })?.value else { return .null }
        let end = id.position.byteOffset + id.byteCount
        let fault = findings.errors.first?.position.byteOffset ?? line.count
        switch id.content {
        case .string: return end <= fault ? id.value : .null
        case .integer, .unsigned: return end <= fault && end < line.count ? id.value : .null
        default: return .null
        }
    }
}

/// Typed access. All throw ``ControlError`` with the field, the expected and the found value.
/// `null` counts as absent.
extension ControlRequest {
    private func value<Value>(
        _ name: String, expected: String, _ read: (JSONValue) -> Value?
    ) throws(ControlError) -> Value? {
        guard let field = fields[name], !field.isNull else { return nil }
        guard let value = read(field) else {
            throw .badField(name, expected: expected, found: Self.brief(field))
        }
        return value
    }

    private func required<Value>(
        _ name: String, expected: String, _ value: Value?
    ) throws(ControlError) -> Value {
        guard let value else { throw .missingField(name, expected: expected) }
        return value
    }

    /// The value for an error: numbers and truth values as they are, others by kind only, so that
    /// no user's text gets into an error.
    private static func brief(_ value: JSONValue) -> String {
        switch value {
        case .integer, .unsigned, .number, .bool: JSONWriter.text(value)
        default: value.kindName
        }
    }

    /// A required string.
    ///
    /// - Throws: `missingField` or `badField`; the client is at fault.
    package func string(
        _ name: String, expected: String = "a string"
    ) throws(ControlError) -> String {
        try required(name, expected: expected, try optionalString(name, expected: expected))
    }

    /// An optional string.
    ///
    /// - Throws: `badField` for another value; the client is at fault.
    package func optionalString(
        _ name: String, expected: String = "a string"
    ) throws(ControlError) -> String? {
        try value(name, expected: expected) { $0.string }
    }

    /// A truth value, by default `fallback`.
    ///
    /// - Throws: `badField` for another value; the client is at fault.
    package func flag(_ name: String, default fallback: Bool) throws(ControlError) -> Bool {
        try optionalFlag(name) ?? fallback
    }

    /// A truth value, or nil without the member. Throws as ``flag(_:default:)``.
    package func optionalFlag(_ name: String) throws(ControlError) -> Bool? {
        try value(name, expected: "true or false") { $0.bool }
    }

    /// A required whole number in `range`.
    ///
    /// - Throws: `missingField`, or `badField` for another value or one out of range; the client is
    ///   at fault.
    package func integer(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(ControlError) -> Int64 {
        try required(
            name, expected: Self.text(of: range), try optionalInteger(name, in: range))
    }

    /// An optional whole number in `range`.
    ///
    /// - Throws: `badField` for another value or one out of range; the client is at fault.
    package func optionalInteger(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(ControlError) -> Int64? {
        try value(name, expected: Self.text(of: range)) { value in
            value.integer.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// An optional unsigned whole number of 64 bits.
    ///
    /// - Throws: `badField` for another value; the client is at fault.
    package func optionalUnsigned(_ name: String) throws(ControlError) -> UInt64? {
        try value(name, expected: "a whole number, 0 or more") { $0.unsigned }
    }

    /// Required bytes in base 64; the name ends in `_b64`.
    ///
    /// - Throws: `missingField`, or `badField` for a text that is not base 64; the client is at
    ///   fault.
    package func bytes(_ name: String) throws(ControlError) -> [UInt8] {
        let expected = "bytes in base 64 (RFC 4648, padded)"
        let text = try string(name, expected: expected)
        do throws(Base64.Failure) {
            return try Base64.decode(text)
        } catch {
            throw .badField(name, expected: expected, found: "text that is not base 64: \(error)")
        }
    }

    /// The elements of a required array.
    ///
    /// - Throws: `missingField` or `badField`; the client is at fault.
    package func array(_ name: String, expected: String) throws(ControlError) -> [JSONValue] {
        try required(
            name, expected: expected, try value(name, expected: expected) { $0.array })
    }

    /// The members of an optional object.
    ///
    /// - Throws: `badField` for another value; the client is at fault.
    package func object(
        _ name: String, expected: String
    ) throws(ControlError) -> JSONObject? {
        try value(name, expected: expected) { $0.object }
    }

    private static func text(of range: ClosedRange<Int64>) -> String {
        range.upperBound == .max
            ? "a whole number, \(range.lowerBound) or more"
            : "a whole number, \(range.lowerBound) to \(range.upperBound)"
    }
}
