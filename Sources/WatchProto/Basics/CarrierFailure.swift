/// Why a carrier is gone: the system's word.
public struct CarrierFailure: Hashable, Sendable {
    /// The system call that failed, or "end of stream".
    public var call: StaticText
    /// Its error number, 0 at the end of a stream.
    public var errorNumber: Int32

    public init(call: StaticText, errorNumber: Int32) {
        self.call = call
        self.errorNumber = errorNumber
    }
}

/// Text fixed at compile time, comparable by content.
public struct StaticText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public var text: StaticString
    public init(stringLiteral value: StaticString) { text = value }
    public static func == (left: StaticText, right: StaticText) -> Bool {
        left.description == right.description
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
    public var description: String { text.description }
}
