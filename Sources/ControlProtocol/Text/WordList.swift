/// Words as a sentence lists them.
package enum WordList {
    /// `a`, `a or b`, `a, b or c`.
    package static func either(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
