/// Writes or reads symbols: one description of a value serves both directions.
///
/// Both coders are the range coder of Martin (1979), in integers of 32 bits, with carry.
protocol SymbolCoder {
    /// `Never` for a writer; `WireError` for a reader, if the bytes are not a writer's.
    associatedtype Failure: Error

    static var isReading: Bool { get }

    /// Codes the part `start ..< start + size` of `total`, which is below 2^20.
    mutating func write(_ start: UInt32, _ size: UInt32, of total: UInt32)
    /// The place in `total` that the symbol to be read contains.
    mutating func place(in total: UInt32) -> UInt32
    /// The symbol read has this part of the total of the last call of ``place(in:)``.
    mutating func read(_ start: UInt32, _ size: UInt32) throws(Failure)
    /// Refuses what is read unless `isValid`.
    func check(_ isValid: Bool, _ what: StaticString) throws(Failure)
}

extension SymbolCoder {
    /// Codes an index into these frequencies. That of a coded index is not zero.
    mutating func symbol(_ index: inout Int, _ frequencies: [UInt16]) throws(Failure) {
        var total: UInt32 = 0
        for frequency in frequencies { total += UInt32(frequency) }
        var start: UInt32 = 0
        guard Self.isReading else {
            for place in 0..<index { start += UInt32(frequencies[place]) }
            return write(start, UInt32(frequencies[index]), of: total)
        }
        let place = place(in: total)
        index = 0
        while start + UInt32(frequencies[index]) <= place {
            start += UInt32(frequencies[index])
            index += 1
        }
        try read(start, UInt32(frequencies[index]))
    }

    /// Codes an index below `count`, each with the frequency that `frequency` gives.
    @inline(__always)
    mutating func symbol(
        _ index: inout Int, of count: Int, _ frequency: (Int) -> UInt32
    ) throws(Failure) {
        var total: UInt32 = 0
        var start: UInt32 = 0
        for place in 0..<count {
            if place == index { start = total }
            total += frequency(place)
        }
        guard Self.isReading else { return write(start, frequency(index), of: total) }
        let place = place(in: total)
        (index, start) = (0, 0)
        while start + frequency(index) <= place {
            start += frequency(index)
            index += 1
        }
        try read(start, frequency(index))
    }

    /// Codes an index whose frequency is the difference of two sums in a row; the first is zero.
    mutating func symbol(_ index: inout Int, sums: ArraySlice<UInt32>) throws(Failure) {
        let total = sums[sums.endIndex - 1]
        if Self.isReading {
            let place = place(in: total)
            var (low, high) = (0, sums.count - 1)
            while high - low > 1 {
                let middle = (low + high) / 2
                if sums[sums.startIndex + middle] <= place { low = middle } else { high = middle }
            }
            index = low
        }
        let start = sums[sums.startIndex + index]
        let size = sums[sums.startIndex + index + 1] - start
        if Self.isReading { try read(start, size) } else { write(start, size, of: total) }
    }

    /// Codes a flag with the frequencies of false and of true.
    mutating func flag(
        _ value: inout Bool, _ no: UInt32, _ yes: UInt32
    ) throws(Failure) {
        if Self.isReading { value = place(in: no + yes) >= no }
        let (start, size) = value ? (no, yes) : (0, no)
        if Self.isReading { try read(start, size) } else { write(start, size, of: no + yes) }
    }

    /// Codes a number below `limit`, each as likely as any other. A limit above 2^16 is a multiple
    /// of that, and at most 2^32.
    mutating func uniform(_ value: inout Int, below limit: Int) throws(Failure) {
        guard limit > 1 else {
            value = 0
            return
        }
        if limit <= 1 << 16 {
            if Self.isReading { value = Int(place(in: UInt32(limit))) }
            if Self.isReading { return try read(UInt32(value), 1) }
            return write(UInt32(value), 1, of: UInt32(limit))
        }
        var (high, low) = (value >> 16, value & 0xFFFF)
        try uniform(&high, below: limit >> 16)
        try uniform(&low, below: 1 << 16)
        value = high << 16 | low
    }

    /// Codes the `count` low bits of a number, all other bits of which are zero.
    mutating func bits(_ value: inout UInt64, _ count: Int) throws(Failure) {
        var (left, result) = (count, UInt64(0))
        while left > 0 {
            let width = min(16, left)
            left -= width
            var part = Int(value >> UInt64(left) & (1 << UInt64(width) - 1))
            try uniform(&part, below: 1 << width)
            result = result << UInt64(width) | UInt64(part)
        }
        value = result
    }

    /// Codes a number by its length in bits, and then the bits below the highest one.
    mutating func number(_ value: inout UInt64, lengths: [UInt16]) throws(Failure) {
        var length = 64 - value.leadingZeroBitCount
        try symbol(&length, lengths)
        try number(&value, length: length)
    }

    /// Codes the bits of a number below its highest one.
    mutating func number(_ value: inout UInt64, length: Int) throws(Failure) {
        guard length > 1 else {
            value = UInt64(length)
            return
        }
        let highest = UInt64(1) << UInt64(length - 1)
        var rest = value & (highest - 1)
        try bits(&rest, length - 1)
        value = highest | rest
    }

    /// Codes a signed number by its sign and its magnitude.
    mutating func signed(
        _ value: inout Int64, lengths: [UInt16], _ plus: UInt32 = 7, _ minus: UInt32 = 1
    ) throws(Failure) {
        var isNegative = value < 0
        var magnitude = value.magnitude
        try flag(&isNegative, plus, minus)
        try number(&magnitude, lengths: lengths)
        try check(
            magnitude < 1 << 62 && !(isNegative && magnitude == 0), "number of at most 62 bits")
        value = isNegative ? -Int64(magnitude) : Int64(magnitude)
    }
}
