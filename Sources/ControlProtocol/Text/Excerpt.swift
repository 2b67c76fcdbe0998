/// Texts of strangers as messages show them: short, and on one line.
package enum Excerpt {
    /// The first `limit` Unicode scalars of `text`; the last of them is `…` where there are more.
    ///
    /// What would break the line, move a terminal's cursor or turn the direction of writing is
    /// shown as a space. Scalars count, not characters: one character may hold any number of them.
    ///
    /// - Complexity: O(`limit`), however long the text is.
    package static func of(_ text: some StringProtocol, limit: Int = 40) -> String {
        let limit = max(1, limit)
        var shown = Array(text.unicodeScalars.prefix(limit + 1))
        if shown.count > limit {
            shown.removeLast(2)
            shown.append("…")
        }
        return String(String.UnicodeScalarView(shown.map(visible)))
    }

    /// The whole of `text`, however long, with nothing that acts on its reader's screen: names of
    /// files and what came out of them, as a report shows them.
    package static func line(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map(visible)))
    }

    /// The scalar, or a space in place of one that acts on its reader's screen.
    package static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return " "
        default: break
        }
        // The marks that embed, override or isolate a direction (UAX #9).
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: return " "
        default: return scalar
        }
    }
}
