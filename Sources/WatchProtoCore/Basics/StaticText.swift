/// Text fixed at compile time, comparable by content.
package struct StaticText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text as the compiler knows it.
    package var text: StaticString

    /// Makes the text of a string literal.
    package init(stringLiteral value: StaticString) { text = value }
    /// Makes the text of a static string.
    package init(_ text: StaticString) { self.text = text }

    /// The bytes of the text in UTF-8.
    private var bytes: [UInt8] {
        text.withUTF8Buffer { buffer in unsafe [UInt8](buffer) }
    }

    /// Whether both say the same, wherever they are stored.
    package static func == (left: StaticText, right: StaticText) -> Bool {
        left.bytes == right.bytes
    }

    /// Hashes the content, as equality compares it.
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
