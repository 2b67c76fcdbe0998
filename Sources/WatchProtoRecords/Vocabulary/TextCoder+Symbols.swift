/// The symbols of a text.
extension TextCoder {
    /// Codes a token that is no repetition: by what often follows the two symbols before it, then
    /// the one before it, and else by its kind.
    mutating func code<C: SymbolCoder>(
        _ token: inout TextToken, _ characters: inout [UInt32], _ place: Place, _ c: inout C
    ) throws(C.Failure) {
        var number = 0
        let wanted = C.isReading ? [] : symbols(of: token, characters, place, &number)
        guard let symbol = try follower(wanted, place, &c) else {
            // By its kind.
            var kind = wanted.last.map { self.kind(of: $0) } ?? 0
            try c.symbol(
                &kind, table.kindFrequencies[place.field * (Vocabulary.kinds + 1) + place.kind])
            let symbol = Vocabulary.Symbol(table.wordCount + kind)
            return try finish(&token, &characters, symbol, number, place, &c)
        }
        try finish(&token, &characters, symbol, number, place, &c)
    }

    /// The symbols that a token may have, the more exact one first.
    private func symbols(
        of token: TextToken, _ characters: [UInt32], _ place: Place, _ number: inout Int
    ) -> [Vocabulary.Symbol] {
        switch token.kind {
        case .end: return [table.symbol(.end)]
        case .glue: return [table.symbol(.glue)]
        case .character: return [table.symbol(.character)]
        case .number:
            let kind = numbers(place.field)
            let list = table.numbers[kind == .strengthNumber ? 0 : 1]
            guard let index = list.firstIndex(of: Vocabulary.utf8(characters)) else {
                return [table.symbol(.spelledNumber)]
            }
            number = index
            return [table.symbol(kind)]
        case .word, .punctuation:
            guard let word = token.symbol else { return [table.symbol(.spelled)] }
            return [word, table.symbol(table.wordClass(word))]
        }
    }

    private func kind(of symbol: Vocabulary.Symbol) -> Int { Int(symbol) - table.wordCount }

    /// Codes one of the symbols that often follow those before; nil if it is none of them.
    private func follower<C: SymbolCoder>(
        _ wanted: [Vocabulary.Symbol], _ place: Place, _ c: inout C
    ) throws(C.Failure) -> Vocabulary.Symbol? {
        var excluded = 0..<0
        if let former = place.former,
            let context = table.contexts[
                Vocabulary.key(place.field, place.last, after: former)]
        {
            if let symbol = try follower(wanted, context, excluding: excluded, &c) {
                return symbol
            }
            excluded = context.range
        }
        guard let context = table.contexts[Vocabulary.key(place.field, place.last)] else {
            return nil
        }
        return try follower(wanted, context, excluding: excluded, &c)
    }

    /// Codes one of the successors of a context; nil if it is none of them. Those that are excluded
    /// were not it.
    private func follower<C: SymbolCoder>(
        _ wanted: [Vocabulary.Symbol], _ context: Vocabulary.Context,
        excluding excluded: Range<Int>, _ c: inout C
    ) throws(C.Failure) -> Vocabulary.Symbol? {
        let successors = table.successors
        let first = context.range.lowerBound - 1
        var index = 0
        search: for symbol in wanted {
            for place in context.range where successors[place].symbol == symbol {
                guard !excluded.contains(where: { successors[$0].symbol == symbol }) else { break }
                index = place - first
                break search
            }
        }
        try c.symbol(&index, of: context.range.count + 1) { place in
            guard place > 0 else { return UInt32(context.escape) }
            let (symbol, frequency) = successors[first + place]
            for other in excluded where successors[other].symbol == symbol { return 0 }
            return UInt32(frequency)
        }
        return index > 0 ? successors[first + index].symbol : nil
    }

    /// Codes what the symbol of a token leaves open.
    private mutating func finish<C: SymbolCoder>(
        _ token: inout TextToken, _ characters: inout [UInt32], _ symbol: Vocabulary.Symbol,
        _ number: Int, _ place: Place, _ c: inout C
    ) throws(C.Failure) {
        var number = number
        guard kind(of: symbol) >= 0 else {
            return try finish(&token, &characters, word: symbol, place, &c)
        }
        if let kind = Vocabulary.WordClass(rawValue: kind(of: symbol)) {
            if kind == .strengthNumber || kind == .instructionNumber {
                try c.symbol(&number, sums: table.sums[kind.rawValue][...])
                guard C.isReading else { return }
                let list = table.numbers[kind == .strengthNumber ? 0 : 1]
                token.kind = .number
                characters = list[number].map { UInt32($0) }
                return
            }
            var member = token.symbol.map { Int(table.places[Int($0)]) } ?? 0
            try code(member: &member, of: kind, &c)
            return try finish(
                &token, &characters, word: table.members[kind.rawValue][member], place, &c)
        }
        switch Vocabulary.Mark(rawValue: kind(of: symbol) - Vocabulary.WordClass.allCases.count) {
        case .end, nil: token.kind = .end
        case .glue: token.kind = .glue
        case .character:
            token.kind = .character
            var scalar = characters.first ?? 0
            try code(scalar: &scalar, &c)
            characters = [scalar]
        case .spelledNumber:
            token.kind = .number
            try code(digits: &characters, &c)
        case .spelled:
            token.kind = .word
            try code(letterCase: &token.letterCase, place, &c)
            var small =
                token.letterCase == .mixed ? characters : characters.map { Letters.lowercase($0) }
            if try !former.spelled.code(&small, &c) {
                try code(letters: &small, &c)
                former.spelled.add(small)
            }
            characters = token.letterCase.write(small)
        }
    }

    /// Codes how a word of the table is written.
    private func finish<C: SymbolCoder>(
        _ token: inout TextToken, _ characters: inout [UInt32], word: Vocabulary.Symbol,
        _ place: Place, _ c: inout C
    ) throws(C.Failure) {
        let isPunctuation = table.wordClass(word) == .punctuation
        token.kind = isPunctuation ? .punctuation : .word
        token.symbol = word
        if !isPunctuation { try code(letterCase: &token.letterCase, place, &c) }
        guard C.isReading else { return }
        let text = String(decoding: table.bytes(of: word), as: UTF8.self)
        characters = token.letterCase.write(text.unicodeScalars.map(\.value))
    }

    private mutating func code<C: SymbolCoder>(
        member: inout Int, of kind: Vocabulary.WordClass, _ c: inout C
    ) throws(C.Failure) {
        switch kind {
        case .substance: if try former.substances.code(&member, &c) { return }
        case .brand: if try former.brands.code(&member, &c) { return }
        default: break
        }
        try c.symbol(&member, sums: table.sums[kind.rawValue][...])
        switch kind {
        case .substance: former.substances.add(member)
        case .brand: former.brands.add(member)
        default: break
        }
    }
}
