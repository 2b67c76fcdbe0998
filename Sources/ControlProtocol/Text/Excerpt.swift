/// Shortens untrusted texts for messages: to one short line.
package enum Excerpt {
    /// The first `limit` Unicode scalars of `text`. If there are more, the last is `…`.
    ///
    /// A scalar that would break the line, move a terminal's cursor or change the direction of
    /// writing is replaced by a space. Scalars are counted, because one character may have any
    /// number of them.
    ///
    /// - Complexity: O(`limit`), for a text of any length.
    package static func of(_ text: some StringProtocol, limit: Int = 40) -> String {
        let limit = max(1, limit)
        var shown = Array(text.unicodeScalars.prefix(limit + 1))
        if shown.count > limit {
            shown.removeLast(2)
            shown.append("…")
        }
        return String(String.UnicodeScalarView(shown.map(visible)))
    }

    /// The whole of `text`, without control of the reader's screen: names of files and their
    /// contents, for a report.
    package static func line(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map(visible)))
    }

    /// The scalar, or a space if it controls the reader's screen.
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
