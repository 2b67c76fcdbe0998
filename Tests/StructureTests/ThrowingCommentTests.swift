import Foundation
import Testing

/// The comment of a public symbol that throws says when. (That there is one, `scripts/docs` holds,
/// which knows what a protocol's comment covers.)
@Suite struct ThrowingCommentTests {
    /// Any of these words speaks of what is thrown; the beginnings of words count.
    static let words = ["throw", "refus", "fail", "fault", "error"]

    /// The lines, from 1, of declarations whose comment does not say when they throw.
    static func silent(_ text: String) -> [Int] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var found: [Int] = []
        var isInProtocol = false
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("public protocol"), line.hasSuffix("{") { isInProtocol = true }
            if line == "}" { isInProtocol = false }
            let code = line.trimmingPrefix { $0 == " " }
            guard !code.hasPrefix("//"), code.contains("public ") || isInProtocol,
                ["func ", "init(", "init?(", "init<", "subscript("].contains(where: {
                    code.contains($0)
                }), throwsItself(lines[index...])
            else { continue }
            let comment = comment(above: index, in: lines).lowercased()
            if !comment.isEmpty, !words.contains(where: { comment.contains($0) }) {
                found.append(index + 1)
            }
        }
        return found
    }

    /// Whether a declaration throws, not only a function it takes: the word stands outside of
    /// parentheses, before the body or the next blank line.
    private static func throwsItself(_ lines: ArraySlice<Substring>) -> Bool {
        var depth = 0
        var word = ""
        for line in lines.prefix(20) {
            for character in line + " " {
                if character.isLetter {
                    word.append(character)
                    continue
                }
                if depth == 0, word == "throws" || word == "rethrows" { return true }
                word = ""
                switch character {
                case "(": depth += 1
                case ")": depth -= 1
                case "{" where depth == 0: return false
                default: break
                }
            }
            if line.allSatisfy({ $0 == " " }) { return false }
        }
        return false
    }

    private static func comment(above index: Int, in lines: [Substring]) -> String {
        var text = ""
        for line in lines[..<index].reversed() {
            let code = line.trimmingPrefix { $0 == " " }
            guard code.hasPrefix("///") || code.hasPrefix("@") else { break }
            if code.hasPrefix("///") { text = code.dropFirst(3) + " " + text }
        }
        return text
    }

    @Test func every_comment_says_when() throws {
        var throwing = 0
        for (path, text) in try SourceTree.texts() {
            throwing += text.contains("throws") ? 1 : 0
            for line in Self.silent(text) {
                Issue.record("\(path):\(line): the comment does not say when it throws")
            }
        }
        #expect(throwing > 40, "the sources were not found")
    }

    @Test func planted_faults_are_found() {
        let planted = """
            public struct A {
                /// One byte.
                public func silent() throws(WireError) -> UInt8 { 1 }

                /// One byte.
                @discardableResult
                public mutating func silentToo(
                    _ count: Int
                ) throws -> UInt8 { 1 }

                /// One byte. Throws at the end.
                public func said() throws -> UInt8 { 1 }

                /// Runs it.
                public func taking(_ body: () throws -> Void) { try? body() }

                /// Of nobody's concern.
                func inner() throws {}
            }
            public protocol B {
                /// Reads.
                init(_ text: String) throws

                /// Tells.
                func tell()
            }
            """
        #expect(Self.silent(planted) == [3, 7, 22])
    }
}
