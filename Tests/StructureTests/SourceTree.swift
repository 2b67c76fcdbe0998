import Foundation

/// The sources of the package as text, without comments, for rules that the compiler does not hold.
struct SourceFile {
    var path: String
    /// The path's folders below `Sources`.
    var folders: [String]
    var code: String
    var lineCount: Int

    /// The words of the code.
    var words: Set<Substring> {
        Set(code.split { !($0.isLetter || $0.isNumber || $0 == "_") })
    }
}

enum SourceTree {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The library, the devices and the tools.
    static var ours: [SourceFile] { files(below: "Sources") + files(below: "Tools") }

    /// The text of each of `ours`, with its comments.
    static func texts() throws -> [(path: String, text: String)] {
        try ours.map { file in
            let place = root.appendingPathComponent(file.path)
            return (file.path, try String(contentsOf: place, encoding: .utf8))
        }
    }

    /// Every Swift file below `folder` of the package.
    static func files(below folder: String) -> [SourceFile] {
        let base = root.appendingPathComponent(folder)
        guard let walker = FileManager.default.enumerator(atPath: base.path) else { return [] }
        var files: [SourceFile] = []
        for case let path as String in walker where path.hasSuffix(".swift") {
            guard let text = try? String(contentsOfFile: base.path + "/" + path, encoding: .utf8)
            else { continue }
            files.append(
                SourceFile(
                    path: folder + "/" + path,
                    folders: path.split(separator: "/").dropLast().map(String.init),
                    code: withoutComments(text),
                    lineCount: text.split(separator: "\n", omittingEmptySubsequences: false).count))
        }
        return files.sorted { $0.path < $1.path }
    }

    /// Text without line comments and without what stands in string literals.
    static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var result = ""
            var isInString = false
            var previous: Character = " "
            for character in line {
                if character == "\"", previous != "\\" { isInString.toggle() }
                if !isInString, character == "/", previous == "/" {
                    result.removeLast()
                    break
                }
                if !isInString || character == "\"" { result.append(character) }
                previous = character
            }
            return result
        }.joined(separator: "\n")
    }
}
