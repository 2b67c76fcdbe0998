import WatchProto

/// Takes the strength out of a drug's one-line name, as registers write it
/// (`Acetaminophen 325 MG / Hydrocodone Bitartrate 7.5 MG Oral Tablet`).
///
/// Only where the line is wholly understood: each part is words followed by one strength. Else the
/// line stays the name as it is, and its numbers are protected there.
enum StrengthSeparation {
    static func separate(_ line: String) -> (name: String, strength: String, form: DoseForm?) {
        let unchanged = (line, "", DoseForm(named: line))
        let parts = split(line)
        var names: [String] = []
        var strengths: [String] = []
        var tail: ArraySlice<Substring> = []
        for (index, part) in parts.enumerated() {
            let words = part.split(whereSeparator: \.isWhitespace)
            // The words before the strength may open with a volume or a duration (24 HR, 0.3 ML).
            guard let letters = words.firstIndex(where: isWord),
                let start = words[letters...].firstIndex(where: QuantityScan.hasNumeral),
                let end = endOfStrength(words, from: start)
            else { return unchanged }
            let rest = words[end...]
            if let next = rest.first, QuantityScan.isUnit(next) { return unchanged }
            guard index == parts.count - 1 || rest.isEmpty else { return unchanged }
            guard !rest.contains(where: QuantityScan.hasNumeral) else { return unchanged }
            names.append(words[..<start].joined(separator: " "))
            strengths.append(words[start..<end].joined(separator: " "))
            tail = rest
        }
        // Words that only say how it is given go to the form, words of release to the name; with
        // any other word among them all stay in the name.
        let form = DoseForm(named: tail.joined(separator: " "))
        let words = tail.map { $0.lowercased() }
        let isKnown = words.allSatisfy { formWords.contains($0) || releaseWords.contains($0) }
        let kept =
            isKnown && form != nil
            ? tail.filter { releaseWords.contains($0.lowercased()) }[...] : tail
        let name = ([names.joined(separator: " / ")] + kept.map(String.init)).joined(separator: " ")
        return (name, strengths.joined(separator: " / "), form)
    }

    private static func split(_ line: String) -> [Substring] {
        var parts: [Substring] = []
        var start = line.startIndex
        var index = start
        while index < line.endIndex {
            if line[index...].hasPrefix(" / ") {
                parts.append(line[start..<index])
                start = line.index(index, offsetBy: 3)
                index = start
            } else {
                index = line.index(after: index)
            }
        }
        parts.append(line[start...])
        return parts
    }

    /// Whether `word` can be part of a substance's name: it has letters, no numeral, and is no
    /// unit.
    private static func isWord(_ word: Substring) -> Bool {
        word.contains(where: \.isLetter) && !QuantityScan.hasNumeral(word)
            && !QuantityScan.isUnit(word)
    }

    /// Where the strength that begins at `start` ends: a number and its unit, apart or together,
    /// the unit plain or a ratio (`mg`, `mg/5mL`, `mg/0.4 mL`); nil when no known unit follows.
    private static func endOfStrength(_ words: [Substring], from start: Int) -> Int? {
        var end = start + 1
        var unit = words[start].drop { $0.isNumber || $0 == "." || $0 == "," }
        if unit.isEmpty {
            guard end < words.count else { return nil }
            unit = words[end]
            end += 1
        }
        let parts = unit.split(separator: "/", omittingEmptySubsequences: false)
        guard QuantityScan.isUnit(parts[0]), !QuantityScan.hasNumeral(parts[0]) else { return nil }
        guard parts.count == 2 else { return parts.count == 1 ? end : nil }
        let second = parts[1].drop { $0.isNumber || $0 == "." || $0 == "," }
        guard second.isEmpty else { return QuantityScan.hasNumeral(second) ? nil : end }
        guard end < words.count, QuantityScan.isUnit(words[end]) else { return nil }
        return end + 1
    }

    private static let releaseWords: Set<String> = [
        "extended", "delayed", "sustained", "modified", "prolonged", "controlled", "release",
    ]

    private static let formWords: Set<String> = [
        "oral", "topical", "tablet", "tablets", "capsule", "capsules", "chewable", "cream",
        "ointment", "lotion", "gel", "solution", "suspension", "syrup", "injection", "spray",
        "patch", "suppository", "film", "powder",
    ]
}
