/// Why a carrier is gone: the system's word.
public struct CarrierFailure: Hashable, Sendable {
    /// The system call that failed, or "end of stream".
    public var call: StaticText
    /// Its error number, 0 at the end of a stream.
    public var errorNumber: Int32

    /// Names the `call` that failed and the error number it gave, 0 at the end of a stream.
    public init(call: StaticText, errorNumber: Int32) {
        self.call = call
        self.errorNumber = errorNumber
    }
}

/// Text fixed at compile time, comparable by content.
public struct StaticText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text as the compiler knows it.
    public var text: StaticString
    /// Makes the text of a string literal.
    public init(stringLiteral value: StaticString) { text = value }
    /// Whether both say the same, wherever they are stored.
    public static func == (left: StaticText, right: StaticText) -> Bool {
        left.description == right.description
    }
    /// Hashes the content, as equality compares it.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
    /// The text as a string.
    public var description: String { text.description }
}
