/// The inverse cosine transform of a block (ITU-T T.81, annex A.3.3), to eight samples a side or,
/// by means of neighbours, to four, two or one.
///
/// The means are taken of the cosines, so that a small picture costs less than a large one.
struct InverseTransform: Sendable {
    /// Samples of a side of a block.
    let side: Int
    /// For each sample of a side, what each of the eight frequencies adds to it, in 1/8,192.
    private let basis: [Int32]

    /// cos(i pi / 16) in 1/8,192.
    private static let cosines: [Double] = [
        8192, 8034.593, 7568.4211, 6811.3991, 5792.6188, 4551.2313, 3134.9427, 1598.1799, 0,
    ]

    /// - Parameter halvings: how often each side is halved, 0 to 3.
    init(halvings: Int) {
        side = 8 >> halvings
        let group = 1 << halvings
        basis = (0..<side).flatMap { sample in
            (0..<8).map { frequency in
                let sum = (0..<group).reduce(0.0) { sum, part in
                    sum + Self.cosine((2 * (sample * group + part) + 1) * frequency)
                }
                let scale = frequency == 0 ? 0.5 * 0.707_106_781_186_547_5 : 0.5
                return Int32((sum / Double(group) * scale).rounded())
            }
        }
    }

    private static func cosine(_ index: Int) -> Double {
        let place = index % 32
        let half = place > 16 ? 32 - place : place
        return half > 8 ? -cosines[16 - half] : cosines[half]
    }

    /// Fills the block of samples at `start` of `plane`, whose rows are `stride` long.
    ///
    /// - Parameters:
    ///   - rows: the coefficients, a row of the block each.
    ///   - downwards: eight rows for the work.
    ///   - plane: the samples.
    ///   - start: the place of the first sample.
    ///   - stride: the samples of a row.
    func apply(
        _ rows: borrowing [SIMD8<Int32>], _ downwards: inout [SIMD8<Int32>],
        to plane: inout [UInt8], at start: Int, stride: Int
    ) {
        for sample in 0..<side { downwards[sample] = .zero }
        for frequency in 0..<8 where rows[frequency] != .zero {
            for sample in 0..<side {
                downwards[sample] &+= rows[frequency] &* basis[8 * sample + frequency]
            }
        }
        for y in 0..<side {
            // Four bits more than whole samples are kept.
            let row = (downwards[y] &+ 256) &>> 9
            for x in 0..<side {
                var sum: Int32 = 0
                for frequency in 0..<8 {
                    sum &+= row[frequency] &* basis[8 * x + frequency]
                }
                let sample = ((sum &+ (1 << 16)) >> 17) &+ 128
                plane[start + y * stride + x] = UInt8(clamping: sample)
            }
        }
    }
}
