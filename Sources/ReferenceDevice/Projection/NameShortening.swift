import WatchProto

/// Shortens names without making one medicine look like another, or a strength like another.
enum NameShortening {
    /// Why a name was not shortened.
    enum Obstacle: Hashable, Sendable {
        /// A cut would leave too little to tell it by.
        case tooShort
        /// A cut would take away or part a number that the strength does not hold.
        case number
        /// A cut would take away how the medicine is released.
        case release
    }

    /// The fewest bytes of a shortened name, the mark excluded.
    static let smallestBytes = 24

    /// The longest head of `name` at a word's end that fits `room` bytes with the mark, of which no
    /// number is lost that `strength` does not hold whole.
    static func shorten(_ name: String, room: Int, strength: String) -> Result<String, Refusal> {
        if name.utf8.count <= room { return .success(name) }
        var obstacle = Obstacle.tooShort
        for end in cuts(of: name).reversed() {
            let head = trimmedHead(name[..<end])
            let size = head.utf8.count + InstructionShortening.mark.utf8.count
            guard size <= room else { continue }
            guard head.utf8.count >= smallestBytes else { break }
            switch check(head: head, tail: name[end...], strength: strength) {
            case nil: return .success(head + InstructionShortening.mark)
            case let found?: obstacle = found
            }
        }
        return .failure(Refusal(obstacle: obstacle))
    }

    /// The fewest bytes the name could be cut to; the whole name when it cannot be cut.
    static func smallestSize(of name: String, strength: String) -> Int {
        for end in cuts(of: name) {
            let head = trimmedHead(name[..<end])
            guard head.utf8.count >= smallestBytes else { continue }
            if check(head: head, tail: name[end...], strength: strength) == nil {
                return min(name.utf8.count, head.utf8.count + InstructionShortening.mark.utf8.count)
            }
        }
        return name.utf8.count
    }

    struct Refusal: Error { var obstacle: Obstacle }

    private static func check(head: String, tail: Substring, strength: String) -> Obstacle? {
        // A cut inside a number and its unit leaves a head that ends in a numeral.
        if head.last?.isNumber == true, let word = tail.split(whereSeparator: \.isWhitespace).first,
            QuantityScan.isUnit(word) || QuantityScan.hasNumeral(word)
        {
            return .number
        }
        let carried = QuantityScan.groups(of: strength)
        if QuantityScan.hasNumeral(tail) {
            let lost = QuantityScan.groups(of: tail)
            guard lost.allSatisfy(carried.contains) else { return .number }
        }
        let words = tail.lowercased().split { !$0.isLetter }.map(String.init)
        return words.contains(where: ReleaseWords.all.contains) ? .release : nil
    }

    /// Where a name may end: before white space, and between ideographs or syllables, which are
    /// written without any.
    private static func cuts(of name: String) -> [String.Index] {
        name.indices.dropFirst().filter { index in
            let before = name[name.index(before: index)]
            return (name[index].isWhitespace && !before.isWhitespace)
                || (isUnspaced(name[index]) && isUnspaced(before))
        }
    }

    private static func isUnspaced(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        switch scalar.value {
        case 0x3041...0x30FF, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF: return true
        default: return false
        }
    }

    private static func trimmedHead(_ head: Substring) -> String {
        var text = head.trimming { $0.isWhitespace || "/,;:+&-–(".contains($0) }
        // "A and…" promises what "A…" already says.
        for word in [" and", " with", " in", " of", " und", " et", " y"] where text.hasSuffix(word)
        {
            text.removeLast(word.count)
        }
        return text
    }
}
