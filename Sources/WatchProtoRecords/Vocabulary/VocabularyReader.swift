/// Reads the parts of a table.
struct VocabularyReader {
    private let source: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { source = bytes }

    mutating func byte() -> Int {
        defer { offset += 1 }
        return Int(source[offset])
    }

    mutating func short() -> Int { byte() | byte() << 8 }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { offset += count }
        return Array(source[offset..<(offset + count)])
    }

    /// Words, each by the count of bytes that it shares with the one before, and the rest.
    mutating func words(_ count: Int) -> (text: [UInt8], ends: [Int]) {
        var (text, ends): ([UInt8], [Int]) = ([], [])
        ends.reserveCapacity(count)
        var start = 0
        for _ in 0..<count {
            let shared = start..<(start + byte())
            start = text.count
            // Byte by byte: the text would copy itself for a slice that lives while it grows.
            for place in shared { text.append(text[place]) }
            for _ in 0..<byte() { text.append(UInt8(byte())) }
            ends.append(text.count)
        }
        return (text, ends)
    }

    mutating func contexts() -> (
        [UInt32: Vocabulary.Context], [(symbol: Vocabulary.Symbol, frequency: UInt16)]
    ) {
        var contexts: [UInt32: Vocabulary.Context] = [:]
        var successors: [(symbol: Vocabulary.Symbol, frequency: UInt16)] = []
        let all = short()
        contexts.reserveCapacity(all)
        for _ in 0..<all {
            let key = UInt32(short()) | UInt32(short()) << 16
            let (escape, count) = (UInt16(byte()), byte())
            let start = successors.count
            for _ in 0..<count {
                successors.append((Vocabulary.Symbol(short()), UInt16(byte())))
            }
            contexts[key] = Vocabulary.Context(escape: escape, range: start..<(start + count))
        }
        return (contexts, successors)
    }

    mutating func letters() -> [UInt32: Vocabulary.LetterContext] {
        var contexts: [UInt32: Vocabulary.LetterContext] = [:]
        let all = short()
        contexts.reserveCapacity(all)
        for _ in 0..<all {
            let scalar = UInt32(short()) | UInt32(byte()) << 16
            var context = Vocabulary.LetterContext(escape: UInt16(byte()), letters: [])
            for _ in 0..<byte() {
                let next = UInt32(short()) | UInt32(byte()) << 16
                context.letters.append((next, UInt16(byte())))
            }
            contexts[scalar] = context
        }
        return contexts
    }
}
