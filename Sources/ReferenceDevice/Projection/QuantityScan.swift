/// Finds what states a quantity in a text, in any script, so that no cut takes it apart.
enum QuantityScan {
    /// Whether `text` holds a digit, a fraction, a numeral of any script (`½`, `٣`, `३`, `二`).
    static func hasNumeral(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.contains { $0.properties.numericType != nil }
    }

    /// The numbers of `text`, each with the unit behind it, written without space and in lower
    /// case: `["100mg", "7.5mg/5ml"]`.
    static func groups(of text: some StringProtocol) -> [String] {
        var groups: [String] = []
        var words = text.split(whereSeparator: \.isWhitespace)[...]
        while let word = words.popFirst() {
            guard hasNumeral(word) else { continue }
            var group = word.lowercased()
            // 10 000 units: groups of three digits continue a number.
            while let next = words.first, group.last?.isNumber == true, isTriplet(next) {
                group += next
                words.removeFirst()
            }
            if let next = words.first, isUnit(next) {
                group += next.lowercased()
                words.removeFirst()
                // mg/0.4 mL: a ratio's second unit may stand apart.
                if group.last?.isNumber == true, let second = words.first, isUnit(second) {
                    group += second.lowercased()
                    words.removeFirst()
                }
                // mg / mL, with spaces around the stroke.
                if words.first == "/", let third = words.dropFirst().first, isUnit(third) {
                    group += "/" + third.lowercased()
                    words.removeFirst(2)
                }
            }
            groups.append(group.trimming { ",;:()[]".contains($0) })
        }
        return groups
    }

    /// Whether `word` is a unit of strength, plain or as a ratio (`mg`, `UNT/ML`, `%`).
    static func isUnit(_ word: some StringProtocol) -> Bool {
        let plain = word.lowercased().trimming { ",;.()[]".contains($0) }
        let first = plain.split(separator: "/").first.map(String.init) ?? plain
        return units.contains(first)
    }

    private static func isTriplet(_ word: some StringProtocol) -> Bool {
        word.count == 3 && word.allSatisfy { $0.isNumber }
    }

    static let units: Set<String> = [
        "mg", "mcg", "ug", "µg", "μg", "g", "gm", "kg", "ng", "ml", "l", "dl", "unt", "unit",
        "units", "u", "iu", "meq", "mmol", "mol", "%", "actuat", "spray", "puff", "dose", "hr",
        "h", "cells", "pfu", "bau", "mci", "kbq", "mbq", "ppm", "msv", "m2", "cm2", "sqcm",
        "microgram", "micrograms",
        "milligram", "milligrams", "gram", "grams",
    ]
}

extension StringProtocol {
    /// The text without the characters at its ends that satisfy `isTrimmed`.
    func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        var rest = self[...]
        while let first = rest.first, isTrimmed(first) { rest = rest.dropFirst() }
        while let last = rest.last, isTrimmed(last) { rest = rest.dropLast() }
        return String(rest)
    }
}
