/// One fault in a text of JSON. Whoever wrote the text is at fault.
public struct JSONError: Error, Hashable, Sendable {
    /// What sort of fault it is.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case unexpected
        case endOfInput
        case invalidUTF8
        case invalidEscape
        case loneSurrogate
        case controlCharacter
        case invalidNumber
        case numberOutOfRange
        case duplicateName
        case tooDeep
        case tooLarge
        case tooManyErrors
    }

    public var reason: Reason
    /// Where the faulty part begins.
    public var position: JSONPosition
    /// How many bytes the faulty part takes; 0 at the end of the input.
    public var byteCount: Int
    /// What should have stood there, to follow "expected".
    public var expected: String
    /// What stands there, to follow "found".
    public var found: String

    /// Makes the error.
    public init(
        _ reason: Reason, at position: JSONPosition, byteCount: Int, expected: String, found: String
    ) {
        self.reason = reason
        self.position = position
        self.byteCount = byteCount
        self.expected = expected
        self.found = found
    }

    /// The error with its file: `list.json:7:15: expected ',' or '}', found '1'`.
    public func description(file: String) -> String { "\(file):\(description)" }
}

extension JSONError: CustomStringConvertible {
    public var description: String { "\(position): expected \(expected), found \(found)" }
}

/// Every fault found in one text, in the order of their positions; never empty.
public struct JSONErrors: Error, Hashable, Sendable, CustomStringConvertible {
    public var errors: [JSONError]

    /// Makes the list of faults.
    public init(_ errors: [JSONError]) { self.errors = errors }

    /// One line for each fault.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}
