import Foundation

/// Finds private words and headless openings in a text of the package.
struct PlainWords {
    /// Every form of a private word, as its words in lower case, with the entry it belongs to.
    private var forms: [String: [(words: [String], entry: String)]] = [:]

    /// The name of the finding for a sentence that opens with a headless clause.
    static let headless = "headless opening"

    /// Reads the table: forms with commas between, a tab, the words of the field.
    init(table: String) {
        for line in table.split(separator: "\n") where !line.hasPrefix("#") {
            let cells = line.split(separator: "\t")
            let all = cells[0].split(separator: ",").map(String.init)
            for form in all {
                let words = form.split(separator: " ").map(String.init)
                forms[words[0], default: []].append((words, all[0]))
            }
        }
    }

    /// How many forms are known.
    var count: Int { forms.values.map(\.count).reduce(0, +) }

    /// The entries that occur in `text`, and ``headless`` where a sentence of `prose` opens so.
    func findings(in text: String, prose: [Substring]) -> Set<String> {
        let words = Self.words(of: text)
        var found: Set<String> = []
        for (place, word) in words.enumerated() {
            for form in forms[word] ?? []
            where words.count - place >= form.words.count
                && zip(form.words, words[place...]).allSatisfy({ $0 == $1 })
            {
                found.insert(form.entry)
            }
        }
        if prose.contains(where: Self.isHeadless) { found.insert(Self.headless) }
        return found
    }

    /// The words of a text in lower case; an identifier is its words.
    static func words(of text: String) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        var wasLower = false
        func end() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
            word.removeAll(keepingCapacity: true)
        }
        for byte in text.utf8 {
            let isUpper = byte >= 65 && byte <= 90
            let isLower = byte >= 97 && byte <= 122
            guard isUpper || isLower else {
                end()
                wasLower = false
                continue
            }
            if isUpper, wasLower { end() }
            word.append(isUpper ? byte + 32 : byte)
            wasLower = isLower
        }
        end()
        return words
    }

    /// Whether a line of prose begins, or has a sentence that begins, with a clause such as "What
    /// is lost" in place of a noun. Questions may.
    static func isHeadless(_ line: Substring) -> Bool {
        guard !line.contains("?") else { return false }
        let starts = ["What ", "Who ", "Whoever ", "Whatever "]
        return starts.contains { start in
            let isFirst =
                line.hasPrefix(start) && line.dropFirst(start.count).first?.isLowercase == true
            return isFirst || line.contains(". \(start)")
        }
    }

    /// The lines of comments of a Swift file, or of the text of an article, without their marks.
    static func prose(of text: String, isSwift: Bool) -> [Substring] {
        var isCode = false
        return text.split(separator: "\n").compactMap { line in
            let trimmed = line.drop { $0 == " " }
            guard isSwift else {
                if trimmed.hasPrefix("```") {
                    isCode.toggle()
                    return nil
                }
                return isCode || line.hasPrefix("    ") || trimmed.hasPrefix("|") ? nil : trimmed
            }
            guard trimmed.hasPrefix("//") else { return nil }
            return trimmed.drop { $0 == "/" }.drop { $0 == " " }
        }
    }
}
