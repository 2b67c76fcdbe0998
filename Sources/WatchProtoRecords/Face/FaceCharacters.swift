/// Names and strengths as a face shows them: without control of the line, and shortened only where
/// nothing is lost that tells one medicine from another.
package enum FaceCharacters {
    /// The most marks on one letter.
    static let mostMarks = 3

    /// `text` on one line, without marks that change the direction of writing, that are invisible,
    /// or that strike through or enclose a letter. Marks on nothing, and more than three on one
    /// letter, are left out.
    package static func safe(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        var marks = 0
        var isAfterSpace = true
        for scalar in text.unicodeScalars {
            switch kind(of: scalar.value) {
            case .dropped: continue
            case .space:
                if isAfterSpace { continue }
                shown.append(" ")
                isAfterSpace = true
                marks = 0
            case .mark:
                marks += 1
                if isAfterSpace || marks > mostMarks { continue }
                shown.append(scalar)
            case .joiner:
                if isAfterSpace { continue }
                shown.append(scalar)
            case .letter:
                shown.append(scalar)
                isAfterSpace = false
                marks = 0
            }
        }
        if shown.last == " " { shown.removeLast() }
        return String(shown)
    }

    /// The first `count` characters of a name, without white space at the end; nil if the rest
    /// must not be left out, or fewer than `least` are left.
    ///
    /// A name loses no numeral, ends in none, and keeps how the medicine is released.
    static func head(of name: [Character], _ count: Int, least: Int) -> String? {
        for character in name[count...] where character.isNumber { return nil }
        var end = count
        while end > 0, !name[end - 1].isLetter, !name[end - 1].isNumber { end -= 1 }
        guard end >= max(1, least), !name[end - 1].isNumber else { return nil }
        // The words that lose a letter.
        var start = count
        while start > 0, name[start - 1].isLetter { start -= 1 }
        var word = ""
        for character in name[start...] + [" "] {
            if character.isLetter {
                word += character.lowercased()
            } else {
                if ReleaseWords.all.contains(word) { return nil }
                word = ""
            }
        }
        return String(name[..<end])
    }

    /// The fewest characters of `name` that are shown: four, and as many as tell it from the others
    /// of the list that begin alike.
    package static func least(of name: String, among others: some Sequence<String>) -> Int {
        let name = [Character](safe(name).lowercased())
        var least = 4
        for other in others {
            let other = [Character](safe(other).lowercased())
            if other == name { continue }
            var common = 0
            while common < min(name.count, other.count), name[common] == other[common] {
                common += 1
            }
            least = max(least, common + 1)
        }
        return max(1, min(least, name.count))
    }

    private enum Kind { case letter, space, mark, joiner, dropped }

    private static func kind(of value: UInt32) -> Kind {
        switch value {
        case 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: .space
        // Controls: a line feed parts words.
        case 0...0x1F, 0x7F...0x9F: .space
        // Of direction, invisible, deprecated, or of annotations.
        case 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F, 0x200B, 0x200E,
            0x200F, 0x202A...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB,
            0x1D173...0x1D17A, 0xE0000...0xE0FFF:
            .dropped
        // Marks that strike a letter through or enclose it.
        case 0x334...0x338, 0x488, 0x489, 0x1ABE, 0x20D0...0x20FF: .dropped
        case 0x200C, 0x200D, 0xFE00...0xFE0F: .joiner
        case 0x300...0x36F, 0x483...0x487, 0x591...0x5BD, 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5,
            0x5C7, 0x610...0x61A, 0x64B...0x65F, 0x670, 0x6D6...0x6DC, 0x6DF...0x6E4, 0x6E7,
            0x6E8, 0x6EA...0x6ED, 0xE31, 0xE34...0xE3A, 0xE47...0xE4E, 0x1AB0...0x1AFF,
            0x1DC0...0x1DFF, 0xFE20...0xFE2F:
            .mark
        default: .letter
        }
    }
}

/// Words of a name that tell apart forms of one substance which must not be mixed up.
package enum ReleaseWords {
    /// The words in small letters.
    package static let all: Set<String> = [
        "extended", "delayed", "sustained", "modified", "prolonged", "controlled", "immediate",
        "release", "retard", "depot", "er", "xr", "sr", "cr", "mr", "la", "xl", "dr", "ec", "ir",
        "enteric", "liposomal", "liposome", "pegylated", "decanoate", "forte", "lispro", "aspart",
        "glargine", "detemir", "degludec", "glulisine", "isophane", "nph", "mix", "concentrate",
        "concentrated", "pediatric", "paediatric", "free",
    ]
}
