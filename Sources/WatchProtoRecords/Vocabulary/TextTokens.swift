/// A part of a text: a word, a number, what is between two of them, or its end.
struct TextToken {
    enum Kind: Hashable {
        case word
        case number
        /// Characters of the table between words.
        case punctuation
        /// A character that the table lacks.
        case character
        /// Two words without the usual space.
        case glue
        case end
    }

    var kind: Kind
    /// The characters, in the text that has the token.
    var range: Range<Int>
    /// The word or the punctuation in the table; nil if it lacks the token, or for another kind.
    var symbol: Vocabulary.Symbol?
    var letterCase = LetterCase.small
}

extension Vocabulary {
    /// The UTF-8 of scalars.
    static func utf8(_ scalars: some Sequence<UInt32>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        for scalar in scalars {
            if scalar < 0x80 {
                bytes.append(UInt8(scalar))
            } else if let scalar = Unicode.Scalar(scalar), let unit = UTF8.encode(scalar) {
                bytes += unit
            }
        }
        return bytes
    }

    /// The parts of a text, without its end.
    func tokens(_ text: [UInt32]) -> [TextToken] {
        var tokens: [TextToken] = []
        var place = 0
        var gapStart = 0
        var former: (isIdeograph: Bool, end: Int)?
        while place < text.count {
            let isIdeograph = Letters.isIdeograph(text[place])
            let isNumber = Letters.isDigit(text[place])
            guard isIdeograph || isNumber || Letters.isLetter(text[place]) else {
                place += 1
                continue
            }
            let gap = gapStart..<place
            if let former {
                let isSpaced = !former.isIdeograph && !isIdeograph
                if gap.isEmpty {
                    if isSpaced { tokens.append(TextToken(kind: .glue, range: gap)) }
                } else if !(isSpaced && gap.count == 1 && text[gap.lowerBound] == 0x20) {
                    addGap(text, gap, &tokens)
                }
            } else {
                addGap(text, gap, &tokens)
            }
            let start = place
            if isIdeograph {
                while place < text.count, Letters.isIdeograph(text[place]) { place += 1 }
                addIdeographs(text, start..<place, &tokens)
            } else if isNumber {
                place = Self.endOfNumber(text, start)
                tokens.append(TextToken(kind: .number, range: start..<place))
            } else {
                while place < text.count, Letters.isLetter(text[place]) { place += 1 }
                tokens.append(word(text, start..<place))
            }
            former = (isIdeograph, place)
            gapStart = place
        }
        addGap(text, gapStart..<text.count, &tokens)
        return tokens
    }

    private static func endOfNumber(_ text: [UInt32], _ start: Int) -> Int {
        var place = start
        while place < text.count, Letters.isDigit(text[place]) {
            place += 1
            guard place + 1 < text.count, text[place] == 0x2E || text[place] == 0x2C,
                Letters.isDigit(text[place + 1])
            else { continue }
            place += 1
        }
        return place
    }

    private func word(_ text: [UInt32], _ range: Range<Int>) -> TextToken {
        let (letterCase, small) = LetterCase.of(text[range])
        let symbol = letterCase == .mixed ? nil : word(Self.utf8(small))
        return TextToken(kind: .word, range: range, symbol: symbol, letterCase: letterCase)
    }

    private func addIdeographs(_ text: [UInt32], _ run: Range<Int>, _ tokens: inout [TextToken]) {
        var start = run.lowerBound
        while start < run.upperBound {
            var token = TextToken(kind: .word, range: start..<(start + 1))
            for count in (1...min(10, run.upperBound - start)).reversed() {
                let range = start..<(start + count)
                guard let symbol = word(Self.utf8(text[range])) else { continue }
                token = TextToken(kind: .word, range: range, symbol: symbol)
                break
            }
            tokens.append(token)
            start = token.range.upperBound
        }
    }

    private func addGap(_ text: [UInt32], _ gap: Range<Int>, _ tokens: inout [TextToken]) {
        var start = gap.lowerBound
        while start < gap.upperBound {
            var token = TextToken(kind: .character, range: start..<(start + 1))
            for count in (1...min(4, gap.upperBound - start)).reversed() {
                let range = start..<(start + count)
                guard let symbol = word(Self.utf8(text[range])) else { continue }
                token = TextToken(kind: .punctuation, range: range, symbol: symbol)
                break
            }
            tokens.append(token)
            start = token.range.upperBound
        }
    }
}
