@testable import WatchSecurity

/// Whether what one side seals the other opens, in both directions, and not its own.
func speak(
    _ one: (sending: SessionSealer, receiving: SessionSealer),
    _ other: (sending: SessionSealer, receiving: SessionSealer), from number: UInt64 = 0
) -> Bool {
    var (one, other) = (one, other)
    var there: [UInt8] = [9, 1, 2, 3]
    var back: [UInt8] = [9, 4, 5, 6]
    one.sending.seal(&there, from: 1, number: number)
    other.sending.seal(&back, from: 1, number: number)
    var reflected = there
    guard !one.receiving.open(&reflected, from: 1, number: number) else { return false }
    return other.receiving.open(&there, from: 1, number: number)
        && one.receiving.open(&back, from: 1, number: number) && there == [9, 1, 2, 3]
        && back == [9, 4, 5, 6]
}
