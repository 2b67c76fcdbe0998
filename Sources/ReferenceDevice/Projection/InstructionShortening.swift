/// Shortens instructions without changing what they tell the wearer to do.
///
/// A sentence is kept whole or left out whole. One exception: a plain English sentence that states
/// no quantity, no frequency and no restriction may end at a word, since nothing after that word
/// can reverse what stands before it. So "Take 1.5 tablets" never becomes "Take 1", "Do not take
/// with milk" never "Do not take", "Take 4 tablets once weekly" never "Take 4 tablets". An ellipsis
/// marks each omission.
enum InstructionShortening {
    /// The mark of an omission; three bytes.
    static let mark = "…"

    /// As much of `text` as fits `room` bytes of UTF-8, the mark included. The mark alone when no
    /// sentence fits; nil when not even that.
    static func shorten(_ text: String, room: Int) -> String? {
        if text.utf8.count <= room { return text }
        guard room >= mark.utf8.count else { return nil }
        let sentences = Sentences.split(text)
        var kept: String.Index?
        for sentence in sentences.dropLast() {
            let head = text[..<sentence.endIndex]
            guard head.utf8.count + 1 + mark.utf8.count <= room else { break }
            kept = sentence.endIndex
        }
        let head = kept.map { String(text[..<$0]) } ?? ""
        let next = sentences.first { sentence in kept.map { sentence.startIndex >= $0 } ?? true }
        if let next, mayEndAtWord(next) {
            let lead = text[text.startIndex..<next.startIndex]
            let left = room - lead.utf8.count - mark.utf8.count
            if let part = prefixOfWords(next, room: left) { return lead + part + mark }
        }
        return head.isEmpty ? mark : head + " " + mark
    }

    /// Whether a cut at a word of `sentence` cannot change its sense.
    static func mayEndAtWord(_ sentence: Substring) -> Bool {
        guard isEnglish(sentence), !QuantityScan.hasNumeral(sentence) else { return false }
        let words = sentence.lowercased().split { !$0.isLetter && $0 != "'" }.map(String.init)
        return !words.contains { word in
            restrictions.contains(word) || quantities.contains(word) || word.hasSuffix("n't")
        }
    }

    /// Whether `sentence` is English, told by its small words; the lists here know no other
    /// language.
    static func isEnglish(_ sentence: Substring) -> Bool {
        guard sentence.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let words = sentence.lowercased().split { !$0.isLetter && $0 != "'" }.map(String.init)
        return words.count(where: functionWords.contains) >= 2
    }

    /// Whether `sentence` states how much or how often, by a numeral or an English word.
    static func statesQuantity(_ sentence: Substring) -> Bool {
        if QuantityScan.hasNumeral(sentence) { return true }
        let words = sentence.lowercased().split { !$0.isLetter }.map(String.init)
        return words.contains(where: quantities.contains)
    }

    /// The longest run of at least three whole words that fits, not ending in a word that opens
    /// what follows.
    private static func prefixOfWords(_ sentence: Substring, room: Int) -> String? {
        var words = sentence.split(whereSeparator: \.isWhitespace)
        while words.count > 3 {
            words.removeLast()
            guard let last = words.last else { return nil }
            let bare = last.lowercased().trimming { ",;:-".contains($0) }
            if functionWords.contains(bare) || bare.isEmpty { continue }
            let part = sentence[..<last.endIndex].trimming { ",;:-".contains($0) }
            if part.utf8.count <= room { return part }
        }
        return nil
    }

    private static let functionWords: Set<String> = [
        "the", "to", "and", "with", "of", "on", "in", "or", "a", "an", "your", "by", "at", "for",
        "as", "into", "from", "you", "it", "is", "are", "this", "that",
    ]

    private static let restrictions: Set<String> = [
        "not", "no", "never", "none", "nor", "neither", "avoid", "without", "unless", "only", "if",
        "when", "while", "until", "till", "stop", "stopping", "hold", "except", "instead", "cannot",
        "dont", "limit", "maximum", "max", "minimum", "exceed", "before", "after", "between",
        "during", "less", "more", "under", "over", "below", "above", "least", "most", "than", "but",
        "however", "otherwise", "should", "may", "contact", "call", "seek", "discard", "refrain",
        "skip", "omit", "alone", "just", "rather", "either", "up",
    ]

    private static let quantities: Set<String> = [
        "half", "quarter", "third", "one", "two", "three", "four", "five", "six", "seven", "eight",
        "nine", "ten", "eleven", "twelve", "dozen", "twenty", "thirty", "forty", "fifty", "sixty",
        "hundred", "thousand", "once", "twice", "thrice", "daily", "nightly", "weekly", "monthly",
        "hourly", "every", "each", "other", "alternate", "alternating", "second", "double",
        "triple",
        "single", "day", "days", "week", "weeks", "month", "months", "hour", "hours", "minute",
        "minutes", "bid", "tid", "qid", "qd", "qod", "prn", "hs", "morning", "noon", "evening",
        "night", "bedtime", "times", "whole", "full", "all", "both", "several", "few", "couple",
    ]
}
