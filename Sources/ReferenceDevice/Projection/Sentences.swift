/// Splits instructions into sentences. Some full stops end no sentence: one inside a number, after
/// an abbreviation, before a digit or a small letter, or in brackets.
enum Sentences {
    /// The sentences of `text`, each with its end mark, without the white space between them.
    static func split(_ text: String) -> [Substring] {
        var sentences: [Substring] = []
        var start = text.startIndex
        var depth = 0
        var index = start
        while index < text.endIndex {
            let character = text[index]
            let next = text.index(after: index)
            switch character {
            case "(", "[", "（": depth += 1
            case ")", "]", "）": depth -= 1
            default:
                if depth == 0, isEnd(character, in: text[start...], at: index, next: next) {
                    append(text[start..<next], to: &sentences)
                    start = next
                }
            }
            index = next
        }
        append(text[start...], to: &sentences)
        return sentences
    }

    private static func append(_ part: Substring, to sentences: inout [Substring]) {
        var part = part
        while part.first?.isWhitespace == true { part = part.dropFirst() }
        while part.last?.isWhitespace == true { part = part.dropLast() }
        if !part.isEmpty { sentences.append(part) }
    }

    private static func isEnd(
        _ character: Character, in text: Substring, at index: String.Index, next: String.Index
    ) -> Bool {
        switch character {
        case "。", "！", "？", "।": return true
        case ".", "!", "?", "؟": break
        default:
            guard character.isNewline else { return false }
            // A line may be wrapped anywhere; a blank line ends a paragraph.
            return text[next...].first { !$0.isWhitespace || $0.isNewline }?.isNewline == true
        }
        guard next < text.endIndex else { return true }
        guard text[next].isWhitespace else { return false }
        guard let follower = text[next...].first(where: { !$0.isWhitespace }) else { return true }
        guard !follower.isNumber, !follower.isLowercase else { return false }
        return character != "." || !isAbbreviation(text[..<index])
    }

    /// Whether the text before a full stop ends in something that is usually written with one.
    private static func isAbbreviation(_ text: Substring) -> Bool {
        let reversed = text.reversed().prefix { !$0.isWhitespace && $0 != "(" }
        let word = String(reversed.reversed()).lowercased()
        return word.count <= 1 || word.contains(".") || abbreviations.contains(word)
    }

    private static let abbreviations: Set<String> = [
        "dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "approx", "ca", "vs", "etc", "max",
        "min",
        "tab", "tabs", "tabl", "tbl", "tbsp", "tsp", "cap", "caps", "amp", "inj", "sol", "susp",
        "tgl", "bzw", "ggf", "evtl", "inkl", "mind", "std", "sr", "sra", "dra", "comp", "cp", "gtt",
        "temp", "incl", "esp", "int", "ext", "vol", "wt", "hr", "hrs", "wk", "mo", "mon", "tue",
        "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep",
        "sept", "oct", "nov", "dec",
    ]
}
