/// A flag that becomes the likelier the more often it was.
struct AdaptiveFlag: Sendable {
    private var no: UInt32
    private var yes: UInt32

    init(_ no: UInt32, _ yes: UInt32) {
        self.no = 2 * no
        self.yes = 2 * yes
    }

    mutating func code<C: SymbolCoder>(_ value: inout Bool, _ c: inout C) throws(C.Failure) {
        try c.flag(&value, no, yes)
        if value { yes += 4 } else { no += 4 }
        guard no + yes > 4000 else { return }
        no = (no + 1) / 2
        yes = (yes + 1) / 2
    }
}

/// A number below a limit that becomes the likelier the more often it was. A medication has at most
/// one use of it, so no frequency is above 5,600 in the largest batch.
struct AdaptiveNumber: Sendable {
    private var frequencies: [UInt16]
    private let step: UInt16

    init(_ start: [UInt16]) {
        let total = start.reduce(0) { $0 + Int($1) }
        frequencies = total < 40 ? start.map { 8 * $0 } : start
        step = UInt16(max(16, total / 8))
    }

    mutating func code<C: SymbolCoder>(_ value: inout Int, _ c: inout C) throws(C.Failure) {
        try c.symbol(&value, frequencies)
        frequencies[value] += step
    }
}

/// The values that one place had in a coding so far.
struct FormerValues<Value: Equatable & Sendable>: Sendable {
    private var values: [Value] = []
    private var frequencies: [UInt16] = []
    private var isKnown: AdaptiveFlag

    /// Makes the list, with the odds of a new value and of a former one.
    init(_ new: UInt32 = 1, _ known: UInt32 = 1) { isKnown = AdaptiveFlag(new, known) }

    /// Codes a value if it was there before; false if it was not.
    mutating func code<C: SymbolCoder>(
        _ value: inout Value, _ c: inout C
    ) throws(C.Failure) -> Bool {
        guard !values.isEmpty else { return false }
        let found = C.isReading ? nil : values.firstIndex(of: value)
        var isFormer = found != nil
        try isKnown.code(&isFormer, &c)
        guard isFormer else { return false }
        var place = found ?? 0
        try c.symbol(&place, frequencies)
        if frequencies[place] < 400 { frequencies[place] += 2 }
        value = values[place]
        return true
    }

    /// Adds a value that was not there before.
    mutating func add(_ value: Value) {
        values.append(value)
        frequencies.append(1)
    }
}

/// A text that equals those of the same bytes alone.
struct ExactText: Equatable, Sendable {
    var text = ""

    static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }
}

/// Words of the records before.
struct FormerWords: Sendable {
    var substances = FormerValues<Int>()
    var brands = FormerValues<Int>()
    var spelled = FormerValues<[UInt32]>(1, 2)
}
