import WatchProtoCore

@testable import WatchProtoRecords

/// A symbol, as a coder writes it.
struct CodedSymbol: Hashable {
    var start: UInt32
    var size: UInt32
    var total: UInt32

    init(_ start: UInt32, _ size: UInt32, of total: UInt32) {
        (self.start, self.size, self.total) = (start, size, total)
    }

    static func flag(_ value: Bool, _ no: UInt32, _ yes: UInt32) -> CodedSymbol {
        CodedSymbol(value ? no : 0, value ? yes : no, of: no + yes)
    }

    static func choice(_ index: Int, _ frequencies: [UInt16]) -> CodedSymbol {
        let sums = frequencies.reduce(into: [UInt32(0)]) {
            $0.append($0[$0.count - 1] + UInt32($1))
        }
        return CodedSymbol(sums[index], UInt32(frequencies[index]), of: sums[frequencies.count])
    }

    /// A number below 2^16 at most.
    static func number(_ value: Int, below limit: Int) -> CodedSymbol {
        CodedSymbol(UInt32(value), 1, of: UInt32(limit))
    }
}

/// The symbols of a coding, and the hash that chooses its last byte.
struct CodedSymbols {
    var symbols: [CodedSymbol]
    var check: UInt64 = 0

    var bytes: [UInt8] {
        var writer = SymbolWriter()
        for symbol in symbols { writer.write(symbol.start, symbol.size, of: symbol.total) }
        return writer.finish(check: check)
    }
}

/// Lists symbols in place of writing them.
struct SymbolRecorder: SymbolCoder {
    typealias Failure = Never

    private(set) var symbols: [CodedSymbol] = []

    static var isReading: Bool { false }

    /// The symbols of medications, or of the first one with its base.
    static func symbols(
        _ medications: [LightweightMedication], from base: LightweightMedication? = nil,
        _ reference: CodingReference = CodedExample.usual
    ) -> [CodedSymbol] {
        var recorder = SymbolRecorder()
        var coder = MedicationCoder(.shared, reference)
        for var medication in medications {
            if let base {
                coder.code(&medication, from: base, &recorder)
            } else {
                coder.code(&medication, &recorder)
            }
        }
        return recorder.symbols
    }

    mutating func write(_ start: UInt32, _ size: UInt32, of total: UInt32) {
        symbols.append(CodedSymbol(start, size, of: total))
    }

    func place(in total: UInt32) -> UInt32 { 0 }
    func read(_ start: UInt32, _ size: UInt32) {}
    func check(_ isValid: Bool, _ what: StaticString) {}
}
