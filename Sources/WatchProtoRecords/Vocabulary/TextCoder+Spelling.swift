/// Words, numbers and characters that the table lacks.
extension TextCoder {
    private static let countFrequencies: [UInt16] = [
        8, 4, 4, 4, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    ]

    func code<C: SymbolCoder>(
        letterCase: inout LetterCase, _ place: Place, _ c: inout C
    ) throws(C.Failure) {
        var number = letterCase.number
        let row = (place.field * 3 + place.start) * 4 + place.letterCase
        try c.symbol(&number, table.caseFrequencies[row])
        switch number {
        case 0: letterCase = .small
        case 1: letterCase = .firstCapital
        case 2: letterCase = .capitals
        case 5: letterCase = .mixed
        default:
            var count = 0
            switch letterCase {
            case .capitalsFirst(let letters), .smallFirst(let letters): count = letters - 1
            default: break
            }
            try c.symbol(&count, Self.countFrequencies)
            letterCase = number == 3 ? .capitalsFirst(count + 1) : .smallFirst(count + 1)
        }
    }

    private static let start: UInt32 = 0x5E
    private static let end: UInt32 = 0x24

    /// Codes a word letter by letter, each after the one before it.
    func code<C: SymbolCoder>(letters word: inout [UInt32], _ c: inout C) throws(C.Failure) {
        var place = 0
        var former = Self.start
        var read: [UInt32] = []
        while true {
            var scalar = place < word.count && !C.isReading ? word[place] : Self.end
            try code(letter: &scalar, after: former, &c)
            if scalar == Self.end { break }
            read.append(scalar)
            former = scalar
            place += 1
            try c.check(place <= 255, "word of at most 255 letters")
        }
        try c.check(!read.isEmpty, "word with a letter")
        word = read
    }

    private func code<C: SymbolCoder>(
        letter: inout UInt32, after former: UInt32, _ c: inout C
    ) throws(C.Failure) {
        for key in [former, 0] {
            guard let context = table.letters[key] else { continue }
            var index = (context.letters.firstIndex { $0.scalar == letter } ?? -1) + 1
            try c.symbol(&index, of: context.letters.count + 1) { place in
                UInt32(place > 0 ? context.letters[place - 1].frequency : context.escape)
            }
            guard index > 0 else { continue }
            letter = context.letters[index - 1].scalar
            return
        }
        try code(scalar: &letter, &c)
    }

    /// Blocks of characters, each with how often one of it is met.
    static let blocks: [(range: Range<UInt32>, frequency: UInt16)] = [
        (0x61..<0x7B, 30), (0x41..<0x5B, 30), (0xC0..<0x180, 30), (0x300..<0x370, 2),
        (0x370..<0x400, 10), (0x400..<0x530, 30), (0x590..<0x600, 8), (0x600..<0x700, 12),
        (0x900..<0x980, 8), (0xE00..<0xE80, 3), (0x3040..<0x3100, 20), (0x4E00..<0xA000, 30),
        (0xAC00..<0xD7A4, 12), (0x1E00..<0x2000, 6), (0x20..<0x80, 12), (0x2000..<0x2200, 4),
        (0..<0x800, 3), (0..<0x10000, 6), (0..<0x110000, 1),
    ]
    private static let blockFrequencies = blocks.map(\.frequency)

    /// Codes a character by its block and its place there.
    func code<C: SymbolCoder>(scalar: inout UInt32, _ c: inout C) throws(C.Failure) {
        var block = Self.blocks.firstIndex { $0.range.contains(scalar) } ?? 0
        try c.symbol(&block, Self.blockFrequencies)
        let range = Self.blocks[block].range
        var place = Int(scalar) - Int(range.lowerBound)
        try c.uniform(&place, below: range.count)
        scalar = range.lowerBound + UInt32(place)
        try c.check(Unicode.Scalar(scalar) != nil, "Unicode scalar")
    }

    private static let digits: [UInt32] = Array("0123456789.,$".unicodeScalars.map(\.value))
    private static let firstDigits: [UInt16] = [3, 7, 6, 5, 5, 7, 4, 4, 4, 3]
    private static let furtherDigits: [UInt16] = [9, 7, 6, 5, 5, 7, 4, 4, 4, 3, 6, 2, 30]

    /// Codes a number digit by digit.
    func code<C: SymbolCoder>(digits number: inout [UInt32], _ c: inout C) throws(C.Failure) {
        var read: [UInt32] = []
        while true {
            let isFirst = !(read.last.map { Letters.isDigit($0) } ?? false)
            let wanted = read.count < number.count && !C.isReading ? number[read.count] : Self.end
            var index = Self.digits.firstIndex(of: wanted) ?? 0
            try c.symbol(&index, isFirst ? Self.firstDigits : Self.furtherDigits)
            if Self.digits[index] == Self.end { break }
            read.append(Self.digits[index])
            try c.check(read.count <= 255, "number of at most 255 digits")
        }
        number = read
    }
}
