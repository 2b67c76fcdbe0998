import ControlProtocol

/// A time in a sentence, in the unit that its size asks for.
package enum TimeText {
    /// The time of `nanoseconds` with one or two decimals: `87.3 us`, `12.4 ms`, `2.41 s`.
    package static func rounded(_ nanoseconds: UInt64) -> String {
        let time = Double(nanoseconds)
        if nanoseconds < 1_000_000 { return Decimals.fixed(time / 1e3, decimals: 1) + " us" }
        if nanoseconds < 1_000_000_000 { return Decimals.fixed(time / 1e6, decimals: 1) + " ms" }
        return Decimals.fixed(time / 1e9, decimals: 2) + " s"
    }
}
