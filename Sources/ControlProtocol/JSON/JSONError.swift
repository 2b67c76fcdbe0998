/// One fault in a text of JSON. Whoever wrote the text is at fault.
package struct JSONError: Error, Hashable, Sendable {
    /// What sort of fault it is.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Well formed up to here, but something else must stand here.
        case unexpected
        /// The text ends too early.
        case endOfInput
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// A backslash followed by what is no escape.
        case invalidEscape
        /// Half of a surrogate pair without the other half.
        case loneSurrogate
        /// A control character that stands in a string unescaped.
        case controlCharacter
        /// What begins like a number and is none.
        case invalidNumber
        /// A number too large for any type here.
        case numberOutOfRange
        /// A name that its object has already.
        case duplicateName
        /// More levels of nesting than the limits allow.
        case tooDeep
        /// More bytes than the limits allow.
        case tooLarge
        /// The limit of errors is reached; the rest was not looked at.
        case tooManyErrors
    }

    /// What kind of fault it is.
    package var reason: Reason
    /// Where the faulty part begins.
    package var position: JSONPosition
    /// How many bytes the faulty part takes; 0 at the end of the input.
    package var byteCount: Int
    /// What should have stood there, to follow "expected".
    package var expected: String
    /// What stands there, to follow "found".
    package var found: String

    /// Makes the error.
    package init(
        _ reason: Reason, at position: JSONPosition, byteCount: Int, expected: String, found: String
    ) {
        self.reason = reason
        self.position = position
        self.byteCount = byteCount
        self.expected = expected
        self.found = found
    }

    /// The error with its file: `list.json:7:15: expected ',' or '}', found '1'`.
    package func description(file: String) -> String { "\(file):\(description)" }
}

extension JSONError: CustomStringConvertible {
    /// The error without its file: position, what was expected, what was found.
    package var description: String { "\(position): expected \(expected), found \(found)" }
}

/// Every fault found in one text, in the order of their positions; never empty.
package struct JSONErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults, in the order of their positions.
    package var errors: [JSONError]

    /// Makes the list of faults.
    package init(_ errors: [JSONError]) { self.errors = errors }

    /// One line for each fault.
    package var description: String { errors.map(\.description).joined(separator: "\n") }
}
