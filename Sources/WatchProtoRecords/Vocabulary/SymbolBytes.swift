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
    consuming func finish() -> [UInt8] {
        let last = low + UInt64(range) - 1
        for zeros in [32, 24, 16, 8, 0] as [UInt64] {
            let value = ((low + (1 << zeros) - 1) >> zeros) << zeros
            guard value <= last else { continue }
            low = value
            break
        }
        carry()
        for shift in [24, 16, 8, 0] as [UInt64] {
            bytes.append(UInt8(truncatingIfNeeded: low >> shift))
        }
        while bytes.last == 0 { bytes.removeLast() }
        return bytes
    }
}

/// Reads symbols.
struct SymbolReader: SymbolCoder {
    typealias Failure = WireError

    private let bytes: [UInt8]
    private var offset = 0
    private var code: UInt32 = 0
    private var range = UInt32.max
    private var unit: UInt32 = 1
    /// Zero bytes read after the last byte, at most. No record needs as many.
    private static let largestOverrun = 400

    static var isReading: Bool { true }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        for _ in 0..<4 { code = code << 8 | UInt32(next()) }
    }

    private mutating func next() -> UInt8 {
        defer { offset += 1 }
        return offset < bytes.count ? bytes[offset] : 0
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
            code = code << 8 | UInt32(next())
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

    /// Refuses bytes that no symbol needed.
    func finish() throws(WireError) {
        try check(offset >= bytes.count && bytes.last != 0, "end of the coded record")
    }
}
