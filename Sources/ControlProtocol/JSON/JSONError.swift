/// One fault in a JSON text. The author of the text is at fault.
package struct JSONError: Error, Hashable, Sendable {
    /// The kind of the fault.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The text is well formed up to here, but must continue differently.
        case unexpected
        /// The text ends too early.
        case endOfInput
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// A backslash without a valid escape.
        case invalidEscape
        /// Half of a surrogate pair without the other half.
        case loneSurrogate
        /// An unescaped control character in a string.
        case controlCharacter
        /// Text that begins like a number and is none.
        case invalidNumber
        /// A number too large for any type here.
        case numberOutOfRange
        /// A name that is repeated in its object.
        case duplicateName
        /// More levels of nesting than the limits allow.
        case tooDeep
        /// More bytes than the limits allow.
        case tooLarge
        /// The limit of errors is reached; the rest was not read.
        case tooManyErrors
    }

    /// The kind of the fault.
    package var reason: Reason
    /// The start of the faulty part.
    package var position: JSONPosition
    /// The bytes of the faulty part; 0 at the end of the input.
    package var byteCount: Int
    /// The expected text, to follow "expected".
    package var expected: String
    /// The found text, to follow "found".
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
    /// The error without its file: the position, the expected and the found text.
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
