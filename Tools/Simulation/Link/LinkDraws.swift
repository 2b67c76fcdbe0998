import WatchProtoCore

/// The random choices of a link, as a function of (seed, fault, packet number): no state, so no
/// fault can shift another's draws, and a packet's fate does not depend on what was asked before.
package struct LinkDraws: Sendable {
    /// One independent stream per fault.
    enum Stream: UInt64 {
        case loss = 1
        case lossBurst, jitter, jitterMore, duplication, duplicateDelay, reordering
        case reorderDelay, corruption, corruptedBits, truncation, truncatedLength
        case clog, clogLength, stall, chunk
    }

    let seed: UInt64

    /// A number in 0 ..< 1 with 53 bits.
    func unit(_ stream: Stream, _ number: UInt64) -> Double {
        Double(bits(stream, number) >> 11) * 0x1p-53
    }

    /// True with a probability of `probability`.
    func chance(_ probability: Double, _ stream: Stream, _ number: UInt64) -> Bool {
        probability > 0 && unit(stream, number) < probability
    }

    /// A number in 0 … `limit`, all but evenly (the bias is under `limit`/2⁶⁴).
    func uniform(upTo limit: UInt64, _ stream: Stream, _ number: UInt64) -> UInt64 {
        guard limit < .max else { return bits(stream, number) }
        return bits(stream, number).multipliedFullWidth(by: limit + 1).high
    }

    /// A wait in zero … `longest`.
    func wait(upTo longest: Duration, _ stream: Stream, _ number: UInt64) -> Duration {
        let limit = longest.nanosecondsClamped
        guard limit > 0 else { return .zero }
        return .nanoseconds(Int64(uniform(upTo: UInt64(limit), stream, number)))
    }

    /// SplitMix64's finalizer, twice, over a sum in which the three inputs stay apart.
    func bits(_ stream: Stream, _ number: UInt64) -> UInt64 {
        let keyed = Self.mixed(seed &+ stream.rawValue &* 0xD1B5_4A32_D192_ED03)
        return Self.mixed(keyed &+ number &* 0x9E37_79B9_7F4A_7C15)
    }

    package static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
