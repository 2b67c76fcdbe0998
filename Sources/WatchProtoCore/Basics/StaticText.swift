/// Text fixed at compile time, comparable by content.
package struct StaticText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text as the compiler knows it.
    package var text: StaticString

    /// Makes the text of a string literal.
    package init(stringLiteral value: StaticString) { text = value }
    /// Makes the text of a static string.
    package init(_ text: StaticString) { self.text = text }

    /// Whether both say the same, wherever they are stored.
    package static func == (left: StaticText, right: StaticText) -> Bool {
        left.text.description.utf8.elementsEqual(right.text.description.utf8)
    }

    /// Hashes the length; equal texts agree in it.
    package func hash(into hasher: inout Hasher) { hasher.combine(text.utf8CodeUnitCount) }
}
