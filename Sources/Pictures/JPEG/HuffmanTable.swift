/// A table of Huffman codes (ITU-T T.81, annex C), made for looking up.
struct HuffmanTable: Sendable {
    /// For each nine bits that may come: length and value of the code they begin with; 0 where it
    /// is longer, or none.
    private(set) var short = [UInt16](repeating: 0, count: 1 << Self.shortBits)
    /// For each length, the largest code of it; -1 for none.
    private var largest = [Int32](repeating: -1, count: 17)
    /// For each length, what added to a code gives the place of its value.
    private var offset = [Int32](repeating: 0, count: 17)
    private var values: [UInt8]

    static let shortBits = 9

    /// A table of how many codes each length from 1 to 16 has, and of their values in order; nil
    /// where the codes do not fit their lengths.
    init?(counts: Span<UInt8>, values: [UInt8]) {
        self.values = values
        var code: Int32 = 0
        var place: Int32 = 0
        for length in 1...16 {
            offset[length] = place - code
            let count = Int32(counts[length - 1])
            for _ in 0..<count {
                // The code of ones alone is none (T.81, annex C).
                guard code < (1 << length) - 1, place < values.count else { return nil }
                if length <= Self.shortBits { enter(code, length, values[Int(place)]) }
                code += 1
                place += 1
            }
            if count > 0 { largest[length] = code - 1 }
            code <<= 1
        }
        guard place == values.count else { return nil }
    }

    private mutating func enter(_ code: Int32, _ length: Int, _ value: UInt8) {
        let free = Self.shortBits - length
        let first = Int(code) << free
        for index in first..<(first + (1 << free)) {
            short[index] = UInt16(length) << 8 | UInt16(value)
        }
    }

    /// The value of the code that these 16 bits begin with, and its length; nil where it is none.
    func long(_ bits: UInt32) -> (length: Int, value: UInt8)? {
        for length in (Self.shortBits + 1)...16 {
            let code = Int32(bits >> UInt32(16 - length))
            if code <= largest[length] { return (length, values[Int(code + offset[length])]) }
        }
        return nil
    }
}
