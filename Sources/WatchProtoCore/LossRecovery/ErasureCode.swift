/// The FEC code: an erasure code over GF(2⁸). From the `count` symbols of a block and some of their
/// combinations, any missing symbols can be computed, as many as there are combinations.
///
/// The coefficient of symbol *j* in combination *i* is 1 / (xᵢ + yⱼ) with xᵢ = 255 − i and yⱼ = j,
/// a Cauchy matrix: each of its square parts can be inverted (RFC 5510, section 8, has the same
/// property by a Vandermonde matrix). The field is that of x⁸ + x⁴ + x³ + x² + 1.
enum ErasureCode {
    /// Powers of the field's generator, twice over so that a sum of two logarithms is an index.
    private static let powers: [UInt8] = {
        var powers: [UInt8] = []
        var value = 1
        for _ in 0..<255 {
            powers.append(UInt8(value))
            value <<= 1
            if value > 255 { value ^= 0x11D }
        }
        return powers + powers
    }()

    private static let logarithms: [UInt8] = {
        var logarithms = [UInt8](repeating: 0, count: 256)
        for exponent in 0..<255 { logarithms[Int(powers[exponent])] = UInt8(exponent) }
        return logarithms
    }()

    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        guard left != 0, right != 0 else { return 0 }
        return powers[Int(logarithms[Int(left)]) + Int(logarithms[Int(right)])]
    }

    /// The inverse of a number that is not 0.
    static func inverse(_ value: UInt8) -> UInt8 {
        powers[255 - Int(logarithms[Int(value)])]
    }

    /// The coefficient of symbol `source` in combination `index`.
    static func coefficient(index: Int, source: Int) -> UInt8 {
        inverse(UInt8(255 - index) ^ UInt8(source))
    }

    /// Adds `factor` times `source` to `sum`, which is at least as long.
    static func add(_ source: [UInt8], times factor: UInt8, to sum: inout [UInt8]) {
        guard factor != 0 else { return }
        // One row of the multiplication table: each byte costs one look-up.
        let logarithm = Int(logarithms[Int(factor)])
        var row = [UInt8](repeating: 0, count: 256)
        for value in 1..<256 { row[value] = powers[Int(logarithms[value]) + logarithm] }
        for place in source.indices { sum[place] ^= row[Int(source[place])] }
    }

    /// Combination `index` of `sources`, as long as the longest of them.
    static func combine(_ sources: [[UInt8]], index: Int) -> [UInt8] {
        var sum = [UInt8](repeating: 0, count: sources.reduce(0) { max($0, $1.count) })
        for (place, source) in sources.enumerated() {
            add(source, times: coefficient(index: index, source: place), to: &sum)
        }
        return sum
    }

    /// The sources that are nil, in their order; nil where there are fewer combinations than that,
    /// or one is shorter than what it combines.
    static func recover(
        _ sources: [[UInt8]?], from combinations: [(index: Int, bytes: [UInt8])]
    ) -> [[UInt8]]? {
        let missing = sources.indices.filter { sources[$0] == nil }
        guard !missing.isEmpty, combinations.count >= missing.count else { return nil }
        let used = Array(combinations.prefix(missing.count))
        let length = used.reduce(0) { max($0, $1.bytes.count) }
        let longest = sources.reduce(0) { max($0, $1?.count ?? 0) }
        guard used.allSatisfy({ $0.bytes.count == length }), longest <= length else { return nil }
        // Subtracts the known sources: each combination keeps the share of the missing ones …
        var sums = used.map { $0.bytes }
        for (place, combination) in used.enumerated() {
            for (other, source) in sources.enumerated() {
                guard let source else { continue }
                let factor = coefficient(index: combination.index, source: other)
                add(source, times: factor, to: &sums[place])
            }
        }
        // … and the equations solved for them.
        var matrix = used.map { combination in
            missing.map { coefficient(index: combination.index, source: $0) }
        }
        return solve(&matrix, &sums, length: length) ? sums : nil
    }

    /// Gauss–Jordan elimination; false where the matrix cannot be inverted.
    private static func solve(
        _ matrix: inout [[UInt8]], _ sums: inout [[UInt8]], length: Int
    ) -> Bool {
        for column in matrix.indices {
            guard let pivot = (column..<matrix.count).first(where: { matrix[$0][column] != 0 })
            else { return false }
            matrix.swapAt(column, pivot)
            sums.swapAt(column, pivot)
            let scale = inverse(matrix[column][column])
            matrix[column] = matrix[column].map { product($0, scale) }
            var scaled = [UInt8](repeating: 0, count: length)
            add(sums[column], times: scale, to: &scaled)
            sums[column] = scaled
            for other in matrix.indices where other != column && matrix[other][column] != 0 {
                let factor = matrix[other][column]
                for place in matrix.indices {
                    matrix[other][place] ^= product(matrix[column][place], factor)
                }
                add(scaled, times: factor, to: &sums[other])
            }
        }
        return true
    }
}
