/// A small, fast generator whose whole sequence follows from one seed (xoshiro256**, seeded by
/// SplitMix64; Blackman and Vigna, 2018). For simulation and jitter, never for keys.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    /// Makes the generator of `seed`; equal seeds give equal sequences in every process.
    package init(seed: UInt64) {
        var state = seed
        func splitMix() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        a = splitMix()
        b = splitMix()
        c = splitMix()
        d = splitMix()
    }

    /// The next 64 bits of the sequence.
    package mutating func next() -> UInt64 {
        let result = rotated(b &* 5, by: 7) &* 9
        let t = b << 17
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= t
        d = rotated(d, by: 45)
        return result
    }

    /// True with a probability of `probability` (0 never, 1 always).
    package mutating func chance(_ probability: Double) -> Bool {
        guard probability > 0 else { return false }
        return unitInterval() < probability
    }

    /// A number in 0 ..< 1 with 53 random bits.
    package mutating func unitInterval() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number in `range`, each as likely as the next.
    package mutating func uniform(in range: ClosedRange<UInt64>) -> UInt64 {
        let width = range.upperBound - range.lowerBound
        guard width < .max else { return next() }
        // Lemire's multiply-shift, with rejection of the biased low part.
        let span = width + 1
        var product = next().multipliedFullWidth(by: span)
        if product.low < span {
            let threshold = (0 &- span) % span
            while product.low < threshold {
                product = next().multipliedFullWidth(by: span)
            }
        }
        return range.lowerBound + product.high
    }

    private func rotated(_ value: UInt64, by count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }
}
