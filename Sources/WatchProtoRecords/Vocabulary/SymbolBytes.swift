import WatchProtoCore

/// Writes symbols.
struct SymbolWriter: SymbolCoder {
    typealias Failure = Never

    private var bytes: [UInt8] = []
    private(set) var low: UInt64 = 0
    private(set) var range = UInt32.max

    static var isReading: Bool { false }

    mutating func write(_ start: UInt32, _ size: UInt32, of total: UInt32) {
        let unit = range / total
        low += UInt64(unit) * UInt64(start)
        range = unit * size
        carry()
        while range < 1 << 24 {
            bytes.append(UInt8(truncatingIfNeeded: low >> 24))
            low = low << 8 & 0xFFFF_FFFF
            range <<= 8
        }
    }

    private mutating func carry() {
        guard low >> 32 > 0 else { return }
        low &= 0xFFFF_FFFF
        var place = bytes.count - 1
        while place >= 0, bytes[place] == 255 {
            bytes[place] = 0
            place -= 1
        }
        if place >= 0 { bytes[place] += 1 }
    }

    func place(in total: UInt32) -> UInt32 { 0 }
    func read(_ start: UInt32, _ size: UInt32) {}
    func check(_ isValid: Bool, _ what: StaticString) {}

    /// The bytes of all symbols: as few as there can be, none of which at the end is zero.
    ///
    /// Several last bytes can stand for the same symbols. The check chooses one of them, and costs
    /// nothing.
    consuming func finish(check: UInt64) -> [UInt8] {
        low += SymbolEnd(low: low, range: range).chosen(by: check)
        carry()
        bytes.append(UInt8(truncatingIfNeeded: low >> 24))
        while bytes.last == 0 { bytes.removeLast() }
        return bytes
    }
}

/// The numbers that can end a coding: all multiples of 2^32 from low to the end of the range, or,
/// if there is none, all multiples of 2^24. There is one, because the range is 2^24 at least.
struct SymbolEnd {
    var step: UInt64
    /// Of the first one, from low.
    var first: UInt64
    /// From 1 to 256.
    var count: UInt64

    init(low: UInt64, range: UInt32) {
        step = 1 << 32
        first = (0 &- low) & (step - 1)
        if first >= range {
            step = 1 << 24
            first &= step - 1
        }
        count = (UInt64(range) - 1 - first) / step + 1
    }

    /// The end that a check gives, from low.
    func chosen(by check: UInt64) -> UInt64 { first + step * (check % count) }
}

/// Reads symbols.
struct SymbolReader: SymbolCoder {
    typealias Failure = WireError

    private let bytes: [UInt8]
    private var offset = 0
    /// The last four bytes read, as a number, and how far they are above low.
    private var window: UInt32 = 0
    private var code: UInt32 = 0
    private var range = UInt32.max
    private var unit: UInt32 = 1
    /// Zero bytes read after the last byte, at most. No record needs as many.
    private static let largestOverrun = 400

    static var isReading: Bool { true }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        for _ in 0..<4 { shift() }
    }

    private mutating func shift() {
        let next = offset < bytes.count ? UInt32(bytes[offset]) : 0
        offset += 1
        window = window << 8 | next
        code = code << 8 | next
    }

    func write(_ start: UInt32, _ size: UInt32, of total: UInt32) {}

    mutating func place(in total: UInt32) -> UInt32 {
        unit = range / total
        return min(code / unit, total - 1)
    }

    mutating func read(_ start: UInt32, _ size: UInt32) throws(WireError) {
        code -= unit * start
        range = unit * size
        try check(code < range, "symbol of the vocabulary's coding")
        while range < 1 << 24 {
            shift()
            range <<= 8
        }
        try check(offset <= bytes.count + Self.largestOverrun, "end of the coded record")
    }

    func check(_ isValid: Bool, _ what: StaticString) throws(WireError) {
        guard !isValid else { return }
        throw WireError(
            .notCanonical, at: min(offset, bytes.count), expected: what,
            found: UInt64(bytes.count))
    }

    /// Refuses bytes that no symbol needed, and another end than the check's.
    func finish(check: UInt64) throws(WireError) {
        try self.check(offset >= bytes.count && bytes.last != 0, "end of the coded record")
        let end = SymbolEnd(low: UInt64(window &- code), range: range)
        try self.check(
            UInt64(code) == end.chosen(by: check),
            "check of the canonical encodings")
    }
}
