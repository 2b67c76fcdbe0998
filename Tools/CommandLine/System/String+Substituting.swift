extension String {
    /// The text with `other` in each place of `character`. (The standard library's `replacing`
    /// would link a parser of regular expressions into every program, most of a megabyte.)
    func substituting(_ character: Character, with other: String) -> String {
        split(separator: character, omittingEmptySubsequences: false).joined(separator: other)
    }
}
