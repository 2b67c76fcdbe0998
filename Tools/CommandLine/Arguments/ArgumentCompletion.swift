/// The completions that a shell offers for a value.
package enum ArgumentCompletion: Hashable, Sendable {
    /// Nothing: a number, a time, a text of one's own.
    case nothing
    /// One of these words.
    case words([String])
    /// A file.
    case file
    /// A directory.
    case directory
    /// One of these words, or a file.
    case wordsOrFile([String])

    /// The words among it.
    package var words: [String] {
        switch self {
        case .words(let words), .wordsOrFile(let words): words
        case .nothing, .file, .directory: []
        }
    }

    /// The value's own words if it has any; else its name in help decides: `file` and `path` are
    /// files, `dir` and `directory` directories.
    init<Value: ArgumentValue>(of type: Value.Type, named valueName: String) {
        switch valueName {
        case _ where !Value.choices.isEmpty: self = .words(Value.choices)
        case "file", "files", "path": self = .file
        case "dir", "directory": self = .directory
        default: self = .nothing
        }
    }
}
