import Foundation
import Testing

/// A comment that documents one parameter documents all of them. `scripts/docs` demands that, and
/// runs last.
@Suite struct ParameterCommentTests {
    /// The parameters that the comment above their declaration leaves out, and the line, from 1, of
    /// the declaration. Symbols of one target alone are not in the documentation.
    static func missing(_ text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var found: [String] = []
        var documented: Set<Substring> = []
        for (index, line) in lines.enumerated() {
            let code = line.trimmingPrefix { $0 == " " }
            if code.hasPrefix("///") {
                if let name = parameter(code.dropFirst(3)) { documented.insert(name) }
                continue
            }
            if code.hasPrefix("@"), !code.contains("func "), !code.contains("init(") { continue }
            defer { documented = [] }
            guard !documented.isEmpty, code.contains("package ") || code.contains("public ")
            else { continue }
            for name in parameters(lines[index...]) where !documented.contains(name) {
                found.append("\(index + 1): \(name)")
            }
        }
        return found
    }

    /// The parameter that a line of a comment documents.
    private static func parameter(_ line: Substring) -> Substring? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let words = line[..<colon].split(separator: " ")
        switch words.count {
        case 3 where words[0] == "-" && words[1] == "Parameter": return words[2]
        case 2 where line.hasPrefix("   - "): return words[1]
        default: return nil
        }
    }

    /// The inner names of the parameters of the function that begins at these lines.
    private static func parameters(_ lines: ArraySlice<Substring>) -> [Substring] {
        var text = Substring(lines.prefix(20).joined(separator: " "))
        guard
            let start = ["func ", "init(", "init?(", "init<", "subscript("].compactMap({
                text.firstRange(of: $0)?.lowerBound
            }).min(), let open = text[start...].firstIndex(of: "(")
        else { return [] }
        text = text[text.index(after: open)...]
        var (depth, piece, pieces) = (0, "", [String]())
        var former: Character = " "
        for character in text {
            if ")]>".contains(character), former != "-" { depth -= 1 }
            if depth < 0 { break }
            if "([<".contains(character) { depth += 1 }
            former = character
            if character == ",", depth == 0 {
                pieces.append(piece)
                piece = ""
            } else {
                piece.append(character)
            }
        }
        pieces.append(piece)
        return pieces.compactMap { piece in
            guard let colon = piece.firstIndex(of: ":") else { return nil }
            let names = piece[..<colon].split(separator: " ")
            return names.last { $0.allSatisfy { $0.isLetter || $0.isNumber } }
        }
    }

    @Test func a_comment_names_all_parameters_or_none() throws {
        var count = 0
        for (path, text) in try SourceTree.texts() {
            count += text.contains("- Parameter") ? 1 : 0
            for name in Self.missing(text) {
                Issue.record("\(path):\(name) is not documented, other parameters are")
            }
        }
        #expect(count > 40, "the sources were not found")
    }

    @Test func planted_faults_are_found() {
        let planted = """
            /// Sends it.
            ///
            /// - Parameters:
            ///   - bytes: what is sent.
            ///   - now: the time.
            @discardableResult
            package func send<A>(
                _ bytes: [UInt8], to address: A, then done: (Int, A) -> Void, at now: Instant
            ) -> Bool

            /// Makes it.
            ///
            /// - Parameter name: its name.
            public init(_ name: String) {}

            /// - Parameter name: its name.
            package init?(name: String, others: [String: Int] = [:]) {}

            /// - Parameter name: its name.
            func inner(name: String, others: Int) {}

            /// Without a word.
            ///
            /// - now: an item of a list.
            package func stop(at now: Instant) {}
            """
        #expect(Self.missing(planted) == ["7: address", "7: done", "17: others"])
    }
}
