/// The words of names, strengths and instructions, and how often each follows others: a static
/// table. `scripts/vocabulary` makes it.
package final class Vocabulary: Sendable {
    /// A symbol that follows others in a text: a word, a class of words, or a ``Mark``.
    typealias Symbol = UInt16

    /// The classes of words.
    enum WordClass: Int, CaseIterable {
        case substance, salt, english, form, brand, german, french, romance, further, ideograph
        case strengthNumber, instructionNumber, punctuation
    }

    /// A symbol that is no word.
    enum Mark: Int, CaseIterable {
        /// The text ends.
        case end
        /// A word that the table lacks, letter by letter.
        case spelled
        /// A number that the table lacks, digit by digit.
        case spelledNumber
        /// One character by its code.
        case character
        /// No space between two words.
        case glue
    }

    /// The followers of one symbol, or of two.
    struct Context {
        var escape: UInt16
        /// The places of the successors in ``Vocabulary/successors``.
        var range: Range<Int>
    }

    /// The followers of one letter.
    struct LetterContext {
        var escape: UInt16
        var letters: [(scalar: UInt32, frequency: UInt16)]
    }

    static let fieldCount = 3
    static let caseCount = 6
    static let kinds = WordClass.allCases.count + Mark.allCases.count

    /// The first four bytes of the table's SHA-256, which two peers compare.
    package let version: UInt32
    /// All words without the numbers, in the order of their UTF-8, one after the other.
    let text: [UInt8]
    let ends: [Int]
    let classes: [UInt8]
    /// The number of a word plus one at a place that follows from its hash, or a later one.
    private let index: [UInt16]
    private static let indexSize = 1 << 14
    /// The place of each word in its class, and the words of each class.
    let places: [UInt16]
    let members: [[Symbol]]
    /// The numbers of the two classes of numbers.
    let numbers: [[[UInt8]]]
    /// The sums of the frequencies of each class.
    let sums: [[UInt32]]
    let successors: [(symbol: Symbol, frequency: UInt16)]
    let contexts: [UInt32: Context]
    /// The frequencies of the kinds of symbols, by field and the kind before.
    let kindFrequencies: [[UInt16]]
    let caseFrequencies: [[UInt16]]
    let letters: [UInt32: LetterContext]
    /// Colours of which many lists have some, red in the highest of three bytes.
    let palettes: [[UInt32]]
    /// Times of the day that many schedules have, by their number, and how usual each is.
    let times: [[DoseSlots]]
    let timeFrequencies: [[UInt16]]

    var wordCount: Int { ends.count }
    /// The symbol before the first one of a text.
    var beginning: Symbol { Symbol(wordCount + Self.kinds) }
    /// The kind before the first symbol of a text.
    static let beginningKind = kinds

    func symbol(_ kind: WordClass) -> Symbol { Symbol(wordCount + kind.rawValue) }
    func symbol(_ mark: Mark) -> Symbol {
        Symbol(wordCount + WordClass.allCases.count + mark.rawValue)
    }

    /// Reads the bytes that `scripts/vocabulary` wrote.
    package init(_ bytes: [UInt8]) {
        var reader = VocabularyReader(bytes)
        version = reader.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
        // The revision of the coder, which the version covers.
        _ = reader.short()
        let words = reader.short()
        (text, ends) = reader.words(words)
        index = Self.index(text, ends)
        let classes = reader.bytes(words)
        var frequencies = Array(repeating: [UInt16](), count: WordClass.allCases.count)
        var members = Array(repeating: [Symbol](), count: WordClass.allCases.count)
        var places: [UInt16] = []
        for (word, kind) in classes.enumerated() {
            places.append(UInt16(members[Int(kind)].count))
            members[Int(kind)].append(Symbol(word))
            frequencies[Int(kind)].append(UInt16(reader.byte()))
        }
        var numbers: [[[UInt8]]] = []
        for kind in [WordClass.strengthNumber, .instructionNumber] {
            var list: [[UInt8]] = []
            for _ in 0..<reader.short() {
                list.append(reader.bytes(reader.byte()))
                frequencies[kind.rawValue].append(UInt16(reader.byte()))
            }
            numbers.append(list)
        }
        self.classes = classes
        self.members = members
        self.places = places
        self.numbers = numbers
        sums = frequencies.map { list in
            var sums: [UInt32] = [0]
            for frequency in list { sums.append(sums[sums.count - 1] + UInt32(frequency)) }
            return sums
        }
        (contexts, successors) = reader.contexts()
        kindFrequencies = (0..<Self.fieldCount * (Self.kinds + 1)).map { _ in
            (0..<Self.kinds).map { _ in UInt16(reader.short()) }
        }
        caseFrequencies = (0..<Self.fieldCount * 12).map { _ in
            (0..<Self.caseCount).map { _ in UInt16(reader.byte()) }
        }
        letters = reader.letters()
        palettes = (0..<3).map { _ in
            (0..<reader.short()).map { _ in
                UInt32(reader.byte()) << 16 | UInt32(reader.byte()) << 8 | UInt32(reader.byte())
            }
        }
        var times: [[DoseSlots]] = [[]]
        var timeFrequencies: [[UInt16]] = [[]]
        for count in 1...DoseSlots.largestCount {
            var (lists, weights): ([DoseSlots], [UInt16]) = ([], [])
            for _ in 0..<reader.byte() {
                weights.append(UInt16(reader.byte()))
                lists.append(
                    DoseSlots(minutes: (0..<count).map { _ in reader.short() }) ?? DoseSlots())
            }
            times.append(lists)
            timeFrequencies.append(weights)
        }
        (self.times, self.timeFrequencies) = (times, timeFrequencies)
    }

    // MARK: Words

    /// The UTF-8 of a word.
    func bytes(of word: Symbol) -> ArraySlice<UInt8> {
        text[(word == 0 ? 0 : ends[Int(word) - 1])..<ends[Int(word)]]
    }

    /// The word with this UTF-8; nil if there is none.
    func word(_ bytes: [UInt8]) -> Symbol? {
        var place = Self.hash(bytes[...])
        while index[place] > 0 {
            let word = Symbol(index[place] - 1)
            if self.bytes(of: word).elementsEqual(bytes) { return word }
            place = (place + 1) % Self.indexSize
        }
        return nil
    }

    /// A place in the index (FNV-1a, 32 bits).
    private static func hash(_ bytes: ArraySlice<UInt8>) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int((hash ^ hash >> 16) % UInt32(indexSize))
    }

    private static func index(_ text: [UInt8], _ ends: [Int]) -> [UInt16] {
        var index = [UInt16](repeating: 0, count: indexSize)
        var start = 0
        for (word, end) in ends.enumerated() {
            var place = hash(text[start..<end])
            while index[place] > 0 { place = (place + 1) % indexSize }
            index[place] = UInt16(word + 1)
            start = end
        }
        return index
    }

    func wordClass(_ word: Symbol) -> WordClass {
        WordClass(rawValue: Int(classes[Int(word)])) ?? .english
    }

    /// The key of a context.
    static func key(_ field: Int, _ last: Symbol, after former: Symbol? = nil) -> UInt32 {
        UInt32(former.map { $0 + 1 } ?? 0) << 16 | UInt32(field) << 14 | UInt32(last)
    }
}
