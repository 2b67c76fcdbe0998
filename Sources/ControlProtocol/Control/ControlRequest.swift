/// One command of a control channel: `{"id":1,"cmd":"status"}`. Fields it does not know, a command
/// ignores.
package struct ControlRequest: Hashable, Sendable {
    /// What the reply repeats; `null` when the command has none.
    package var id: JSONValue
    /// The command's name.
    package var command: String
    /// The members of the line.
    package var fields: JSONObject

    /// A line that is no command, with the id to answer it under: the line's own where it could be
    /// read, else `null`.
    package struct Refusal: Error, Hashable, Sendable {
        /// The id to answer under; null where none could be read.
        package var id: JSONValue
        /// What is wrong with the line; its writer is at fault.
        package var error: ControlError
    }

    /// Reads one line.
    ///
    /// - Throws: what is wrong with it, and under which id to say so.
    package init(line: [UInt8]) throws(Refusal) {
        let value: JSONValue
        do throws(JSONErrors) {
            value = try JSONParser.parse(line, limits: .line).value
        } catch {
            throw Refusal(id: .null, error: .badJSON(error))
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
}

/// Typed access. All throw ``ControlError`` with the field, what was expected and what was found;
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

    /// The value as an error shows it: numbers and truth values as they are, the rest by kind, so
    /// that no text of a person gets into an error.
    private static func brief(_ value: JSONValue) -> String {
        switch value {
        case .integer, .unsigned, .number, .bool: JSONWriter.text(value)
        default: value.kindName
        }
    }

    /// A string that must be there. Throws `missingField` or `badField`; the client is at fault.
    package func string(
        _ name: String, expected: String = "a string"
    ) throws(ControlError) -> String {
        try required(name, expected: expected, try optionalString(name, expected: expected))
    }

    /// A string that may be there. Throws `badField` when something else is; the client is at
    /// fault.
    package func optionalString(
        _ name: String, expected: String = "a string"
    ) throws(ControlError) -> String? {
        try value(name, expected: expected) { $0.string }
    }

    /// A truth value, or `fallback` when none is there. Throws `badField` when something else is;
    /// the client is at fault.
    package func flag(_ name: String, default fallback: Bool) throws(ControlError) -> Bool {
        try value(name, expected: "true or false") { $0.bool } ?? fallback
    }

    /// A whole number in `range` that must be there. Throws `missingField`, or `badField` for
    /// another value or one out of range; the client is at fault.
    package func integer(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(ControlError) -> Int64 {
        try required(
            name, expected: Self.text(of: range), try optionalInteger(name, in: range))
    }

    /// A whole number in `range` that may be there. Throws `badField` for another value or one out
    /// of range; the client is at fault.
    package func optionalInteger(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(ControlError) -> Int64? {
        try value(name, expected: Self.text(of: range)) { value in
            value.integer.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A whole number of 64 bits without sign that may be there. Throws `badField` when something
    /// else is; the client is at fault.
    package func optionalUnsigned(_ name: String) throws(ControlError) -> UInt64? {
        try value(name, expected: "a whole number, 0 or more") { $0.unsigned }
    }

    /// Bytes in base 64 that must be there; the name ends in `_b64`. Throws `missingField`, or
    /// `badField` for what is not base 64; the client is at fault.
    package func bytes(_ name: String) throws(ControlError) -> [UInt8] {
        let expected = "bytes in base 64 (RFC 4648, padded)"
        let text = try string(name, expected: expected)
        do throws(Base64.Failure) {
            return try Base64.decode(text)
        } catch {
            throw .badField(name, expected: expected, found: "text that is not base 64: \(error)")
        }
    }

    /// The elements of an array that must be there. Throws `missingField` or `badField`; the
    /// client is at fault.
    package func array(_ name: String, expected: String) throws(ControlError) -> [JSONValue] {
        try required(
            name, expected: expected, try value(name, expected: expected) { $0.array })
    }

    private static func text(of range: ClosedRange<Int64>) -> String {
        range.upperBound == .max
            ? "a whole number, \(range.lowerBound) or more"
            : "a whole number, \(range.lowerBound) to \(range.upperBound)"
    }
}
