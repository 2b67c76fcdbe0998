/// A line of a face: runs of text, each with its rule of shortening.
///
/// Names and strengths are isolated for direction (UAX #9), so that neither can reorder what stands
/// beside it.
package struct FaceText: Hashable, Sendable {
    /// The rule of shortening of a run.
    package enum Rule: Hashable, Sendable {
        /// Words, times and counts of the face itself: shown whole, or the line is not shown.
        case words
        /// A medication's name: its end may give way to an ellipsis. At least so many characters
        /// stay.
        case name(least: Int)
        /// A strength or an amount: shown whole, or the line is not shown.
        case strength
    }

    /// A part of the line with one rule.
    package struct Run: Hashable, Sendable {
        /// The text, without marks of direction.
        package var text: String
        /// The rule of shortening.
        package var rule: Rule
    }

    /// The runs in reading order.
    package private(set) var runs: [Run]

    /// The first strong isolate, and the mark that ends it.
    static let isolate: (begin: String, end: String) = ("\u{2068}", "\u{2069}")
    /// The mark of a shortened name.
    static let ellipsis = "…"

    /// Makes a line of the face's own words.
    package init(_ words: String) {
        runs = words.isEmpty ? [] : [Run(text: words, rule: .words)]
    }

    /// Makes a line with one name, of which at least `least` characters stay.
    package static func name(_ name: String, least: Int) -> FaceText {
        var text = FaceText("")
        let safe = FaceCharacters.safe(name)
        if !safe.isEmpty { text.runs = [Run(text: safe, rule: .name(least: max(1, least)))] }
        return text
    }

    /// Makes a line with one strength or amount.
    package static func strength(_ strength: String) -> FaceText {
        var text = FaceText("")
        let safe = FaceCharacters.safe(strength)
        if !safe.isEmpty { text.runs = [Run(text: safe, rule: .strength)] }
        return text
    }

    /// Whether it has no text.
    package var isEmpty: Bool { runs.isEmpty }

    /// `left`, then `right`.
    package static func + (left: FaceText, right: FaceText) -> FaceText {
        var text = left
        text.runs += right.runs
        return text
    }

    /// The lines with `separator` between them, the empty ones left out.
    package static func joined(_ parts: [FaceText], _ separator: String) -> FaceText {
        var text = FaceText("")
        for part in parts where !part.isEmpty {
            text = text.isEmpty ? part : text + FaceText(separator) + part
        }
        return text
    }

    /// The whole line, with names and strengths isolated.
    package var plain: String {
        var plain = ""
        for run in runs {
            switch run.rule {
            case .words: plain += run.text
            case .name, .strength: plain += Self.isolate.begin + run.text + Self.isolate.end
            }
        }
        return plain
    }

    /// The longest form of the line that fits: the whole, or with a shortened name; nil for none.
    ///
    /// - Parameter fits: whether a text has room. It may be called once for each character of the
    ///   name.
    package func fitted(_ fits: (String) -> Bool) -> String? {
        let whole = plain
        if fits(whole) { return whole }
        for place in runs.indices {
            guard case .name(let least) = runs[place].rule else { continue }
            let name = [Character](runs[place].text)
            var cut = self
            var count = name.count - 1
            while count >= least {
                if let head = FaceCharacters.head(of: name, count, least: least) {
                    cut.runs[place].text = head + Self.ellipsis
                    let text = cut.plain
                    if fits(text) { return text }
                }
                count -= 1
            }
            return nil
        }
        return nil
    }
}
