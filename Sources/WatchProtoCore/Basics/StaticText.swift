/// Text fixed at compile time, comparable by content.
public struct StaticText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text as the compiler knows it.
    public var text: StaticString

    /// Makes the text of a string literal.
    public init(stringLiteral value: StaticString) { text = value }
    /// Makes the text of a static string.
    public init(_ text: StaticString) { self.text = text }

    /// Whether both say the same, wherever they are stored.
    public static func == (left: StaticText, right: StaticText) -> Bool {
        left.text.description.utf8.elementsEqual(right.text.description.utf8)
    }

    /// Hashes the length; equal texts agree in it.
    public func hash(into hasher: inout Hasher) { hasher.combine(text.utf8CodeUnitCount) }
}
