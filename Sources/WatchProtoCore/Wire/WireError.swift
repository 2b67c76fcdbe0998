/// Bytes that are not what the wire format allows: what was read, where, and what should have
/// stood there. The counterpart, or whatever damaged its bytes, is at fault.
public struct WireError: Error, Hashable, Sendable {
    /// The kind of rule that was broken.
    package enum Rule: Hashable, Sendable {
        /// Bytes ended before the value did.
        case truncated
        /// A number took more bytes than it needs.
        case overlong
        /// A value lies outside its range.
        case outOfRange
        /// Text is not UTF-8.
        case invalidText
        /// A code has no meaning in this version.
        case unknownCode
        /// Two encodings exist for the value and this is not the canonical one.
        case notCanonical
        /// Bytes stand where none are allowed.
        case trailingBytes
        /// A sealed value does not open: it was altered, moved, or sealed under another key.
        case doesNotOpen
    }

    /// The kind of rule that was broken.
    package var rule: Rule
    /// Bytes from the start of what was being decoded to where the problem begins.
    public var offset: Int
    /// The value being read, as the wire specification names it, with what was expected.
    public var expected: StaticString
    /// The value that was found there, as a number (a count, a code, a byte).
    public var found: UInt64

    /// Reports that `rule` was broken `offset` bytes in, where `found` stood instead of `expected`.
    package init(_ rule: Rule, at offset: Int, expected: StaticString, found: UInt64) {
        self.rule = rule
        self.offset = offset
        self.expected = expected
        self.found = found
    }

    /// Reports that `found` stood `offset` bytes in, instead of `expected`.
    public init(at offset: Int, expected: StaticString, found: UInt64 = 0) {
        self.init(.outOfRange, at: offset, expected: expected, found: found)
    }

    /// Whether both report the same problem at the same place, in the same words.
    public static func == (left: WireError, right: WireError) -> Bool {
        left.rule == right.rule && left.offset == right.offset && left.found == right.found
            && StaticText(left.expected) == StaticText(right.expected)
    }

    /// Hashes the rule, the place and what was found; equal errors agree in all three.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rule)
        hasher.combine(offset)
        hasher.combine(found)
    }
}
