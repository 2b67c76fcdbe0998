/// Codes the texts of a record, and remembers their parts.
struct TextCoder {
    let table: Vocabulary
    /// The characters of all texts so far.
    private(set) var text: [UInt32] = []
    /// Their parts, each text with its end.
    private(set) var tokens: [TextToken] = []
    /// The values that this coding had before.
    var former = FormerWords()

    private static let repeats: [(no: UInt32, yes: UInt32)] = [(3, 2), (1, 8), (1, 25)]
    /// The most characters of a text.
    private static let largestCount = 255
    /// The most tokens of a record. Most have characters.
    private static let mostTokens = 2_000

    init(_ table: Vocabulary) { self.table = table }

    /// Forgets the texts of the former record, but not its words.
    mutating func begin() {
        text = []
        tokens = []
    }

    /// Adds a text that both sides have.
    mutating func add(_ known: String) {
        let scalars = known.unicodeScalars.map(\.value)
        let start = text.count
        for var token in table.tokens(scalars) {
            token.range = (token.range.lowerBound + start)..<(token.range.upperBound + start)
            tokens.append(token)
        }
        text += scalars
        tokens.append(TextToken(kind: .end, range: text.count..<text.count))
    }

    /// The place of the next symbol, by the symbols before it.
    struct Place {
        var field: Int
        var last: Vocabulary.Symbol
        var former: Vocabulary.Symbol?
        var kind: Int
        var letterCase = 3
        /// Whether a sentence begins (1), or a part of one (2).
        var start = 1
        /// Whether the last token was a word or a number, and one of ideographs.
        var isIdeograph: Bool?
    }

    /// Codes a text of field `field`.
    ///
    /// - Parameter match: the place in ``tokens`` of the text that this one may be like.
    mutating func code<C: SymbolCoder>(
        _ value: inout String, _ field: Int, match: Int? = nil, _ c: inout C
    ) throws(C.Failure) {
        let source = C.isReading ? [] : value.unicodeScalars.map(\.value)
        let parts = C.isReading ? [] : table.tokens(source)
        let begin = text.count
        var place = Place(
            field: field, last: table.beginning, kind: Vocabulary.beginningKind)
        var match = match
        var run = 0
        var index = 0
        while true {
            var token =
                index < parts.count
                ? parts[index] : TextToken(kind: .end, range: source.count..<source.count)
            index += 1
            var isRepeated = false
            if let other = match, other < tokens.count {
                isRepeated =
                    !C.isReading && tokens[other].kind == token.kind
                    && text[tokens[other].range] == source[token.range]
                let odds = Self.repeats[min(run, 2)]
                try c.flag(&isRepeated, odds.no, odds.yes)
                match = isRepeated ? other + 1 : nil
                run = isRepeated ? run + 1 : 0
                if isRepeated { token = tokens[other] }
            }
            var characters = Array(isRepeated ? text[token.range] : source[token.range])
            if !isRepeated { try code(&token, &characters, place, &c) }
            append(&token, characters, &place)
            try c.check(
                text.count - begin <= Self.largestCount, "text of at most 255 characters")
            try c.check(tokens.count <= Self.mostTokens, "record of at most 2,000 tokens")
            if token.kind == .end { break }
            move(&place, token)
            let isRare =
                token.kind == .word
                && token.symbol.map { [.substance, .brand].contains(table.wordClass($0)) } ?? true
            if match == nil, isRare {
                match = tokens.indices.dropLast().last { other in
                    tokens[other].kind == .word && text[tokens[other].range] == text[token.range]
                }.map { $0 + 1 }
                if match != nil { run = 1 }
            } else if match == nil, field == 0, tokens.count > 1,
                token.kind == .punctuation, text[token.range].elementsEqual([0x20, 0x28])
            {
                (match, run) = (0, 0)
            }
        }
        guard C.isReading else { return }
        var view = String.UnicodeScalarView()
        for scalar in text[begin...] {
            if let scalar = Unicode.Scalar(scalar) { view.append(scalar) }
        }
        value = String(view)
    }

    /// Appends a token with its characters, and the space before it.
    private mutating func append(
        _ token: inout TextToken, _ characters: [UInt32], _ place: inout Place
    ) {
        if token.kind == .word || token.kind == .number {
            let isIdeograph = characters.first.map { Letters.isIdeograph($0) } ?? false
            if place.isIdeograph == false, !isIdeograph { text.append(0x20) }
            place.isIdeograph = isIdeograph
        } else {
            place.isIdeograph = nil
        }
        token.range = text.count..<(text.count + characters.count)
        text += characters
        tokens.append(token)
    }

    func numbers(_ field: Int) -> Vocabulary.WordClass {
        field == 2 ? .instructionNumber : .strengthNumber
    }

    private func move(_ place: inout Place, _ token: TextToken) {
        place.former = place.last
        var start = 0
        switch token.kind {
        case .word:
            place.letterCase = token.letterCase.number < 3 ? token.letterCase.number : 0
            guard let word = token.symbol else {
                place.last = table.symbol(.spelled)
                place.kind = Self.kind(.spelled)
                break
            }
            let wordClass = table.wordClass(word)
            place.kind = wordClass.rawValue
            place.last =
                [.substance, .brand, .salt].contains(wordClass)
                ? table.symbol(wordClass) : word
        case .number:
            place.last = table.symbol(numbers(place.field))
            place.kind = numbers(place.field).rawValue
        case .punctuation:
            place.last = token.symbol ?? table.symbol(.glue)
            place.kind = Vocabulary.WordClass.punctuation.rawValue
            start = Self.start(text[token.range])
        case .glue, .character, .end:
            let mark = token.kind == .glue ? Vocabulary.Mark.glue : .character
            place.last = table.symbol(mark)
            place.kind = Self.kind(mark)
        }
        place.start = start
    }

    static func kind(_ mark: Vocabulary.Mark) -> Int {
        Vocabulary.WordClass.allCases.count + mark.rawValue
    }

    /// Whether punctuation begins a sentence (1), or a part of one (2).
    private static func start(_ characters: ArraySlice<UInt32>) -> Int {
        let shown = characters.filter { $0 != 0x20 && $0 != 0x0A && $0 != 0x09 }
        guard shown.count == 1 else { return 0 }
        let isEnd = [0x2E, 0x21, 0x3F].contains(shown[0])
        if isEnd { return characters.count == 2 && characters.last == 0x20 ? 1 : 0 }
        return [0x28, 0x5B, 0x2F, 0x3B, 0x2D, 0x2C].contains(shown[0]) ? 2 : 0
    }
}
