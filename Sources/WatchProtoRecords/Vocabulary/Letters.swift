/// Letters by explicit ranges, so that the Unicode table of no platform decides.
enum Letters {
    private static let ranges: [ClosedRange<UInt32>] = [
        0x41...0x5A, 0x61...0x7A, 0xAA...0xAA, 0xB5...0xB5, 0xBA...0xBA, 0xC0...0xD6, 0xD8...0xF6,
        0xF8...0x24F, 0x300...0x373, 0x376...0x377, 0x37B...0x37D, 0x386...0x386, 0x388...0x3FF,
        0x400...0x481, 0x48A...0x52F, 0x5B0...0x5BD, 0x5D0...0x5EA, 0x620...0x655, 0x66E...0x6D3,
        0x900...0x963, 0x971...0x97F, 0xE01...0xE3A, 0xE40...0xE4E, 0x1E00...0x1FFF,
        0xAC00...0xD7A3,
    ]
    private static let ideographs: [ClosedRange<UInt32>] = [
        0x3005...0x3005, 0x3040...0x30FF, 0x3400...0x9FFF, 0xF900...0xFAFF,
    ]

    static func isDigit(_ scalar: UInt32) -> Bool { 0x30...0x39 ~= scalar }

    static func isIdeograph(_ scalar: UInt32) -> Bool {
        scalar >= 0x3005 && ideographs.contains { $0 ~= scalar }
    }

    static func isLetter(_ scalar: UInt32) -> Bool {
        if scalar < 0x80 { return 0x41...0x5A ~= scalar || 0x61...0x7A ~= scalar }
        return ranges.contains { $0 ~= scalar }
    }

    /// The small letter of a capital one, and otherwise the same.
    static func lowercase(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE, 0x391...0x3A1, 0x3A3...0x3AB, 0x410...0x42F:
            scalar + 32
        case 0x100...0x12F, 0x132...0x137, 0x14A...0x177: scalar | 1
        case 0x139...0x148, 0x179...0x17E: scalar + scalar & 1
        case 0x386: 0x3AC
        case 0x388...0x38A: scalar + 37
        case 0x400...0x40F: scalar + 80
        default: scalar
        }
    }

    /// The capital letter of a small one, and otherwise the same.
    static func uppercase(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x61...0x7A, 0xE0...0xF6, 0xF8...0xFE, 0x3B1...0x3C1, 0x3C3...0x3CB, 0x430...0x44F:
            scalar - 32
        case 0x100...0x12F, 0x132...0x137, 0x14A...0x177: scalar & ~1
        case 0x139...0x148, 0x179...0x17E: scalar - (1 - scalar & 1)
        case 0x3AC: 0x386
        case 0x3AD...0x3AF: scalar - 37
        case 0x450...0x45F: scalar - 80
        default: scalar
        }
    }
}

/// How a word is written.
enum LetterCase: Hashable {
    case small
    case firstCapital
    case capitals
    /// So many capitals, then small letters.
    case capitalsFirst(Int)
    /// So many small letters, then capitals.
    case smallFirst(Int)
    /// As no other case can: letter by letter.
    case mixed

    /// The number of the case, as the table counts them.
    var number: Int {
        switch self {
        case .small: 0
        case .firstCapital: 1
        case .capitals: 2
        case .capitalsFirst: 3
        case .smallFirst: 4
        case .mixed: 5
        }
    }

    /// The first case that gives the word back, and its small letters.
    static func of(_ word: ArraySlice<UInt32>) -> (LetterCase, small: [UInt32]) {
        let small = word.map { Letters.lowercase($0) }
        // How many letters at the start are like the first one: capital, or small.
        let isCapital = word.first != small.first
        let run = zip(word, small).prefix { ($0 != $1) == isCapital }.count
        let form: LetterCase
        switch (isCapital, run) {
        case (false, word.count): form = .small
        case (true, 1): form = .firstCapital
        case (true, word.count): form = .capitals
        case (true, 2...16): form = .capitalsFirst(run)
        case (false, 1...15): form = .smallFirst(run)
        default: form = .mixed
        }
        if form != .mixed, form.write(small).elementsEqual(word) { return (form, small) }
        if isCapital, LetterCase.capitals.write(small).elementsEqual(word) {
            return (.capitals, small)
        }
        return (.mixed, Array(word))
    }

    /// The word of these small letters in this case.
    func write(_ small: [UInt32]) -> [UInt32] {
        let capitals: Range<Int> =
            switch self {
            case .small, .mixed: 0..<0
            case .firstCapital: 0..<min(1, small.count)
            case .capitals: 0..<small.count
            case .capitalsFirst(let count): 0..<min(count, small.count)
            case .smallFirst(let count): min(count, small.count)..<small.count
            }
        var word = small
        for place in capitals { word[place] = Letters.uppercase(word[place]) }
        return word
    }
}
