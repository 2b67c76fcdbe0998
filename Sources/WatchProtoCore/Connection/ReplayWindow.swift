/// Which packet numbers of one direction were opened, so that none is taken twice (the ring of
/// words of RFC 6479).
///
/// It remembers the last ``width`` numbers up to the largest. A smaller number counts as seen: on a
/// carrier that reorders by more than that, a packet is lost and not repeated.
package struct ReplayWindow: Hashable, Sendable {
    private static let words = 64
    private static let wordBits: UInt64 = 64
    /// The width of the window below the largest number: 4,032 numbers with the largest. One word
    /// of the ring is always partly of the future.
    package static let width = UInt64(words - 1) * wordBits

    private var ring = [UInt64](repeating: 0, count: words)
    /// The largest number inserted; nil before the first.
    package private(set) var largest: UInt64?

    package init() {}

    /// Whether `number` is new: above all, or within the window and not yet there.
    package func accepts(_ number: UInt64) -> Bool {
        guard let largest, number <= largest else { return true }
        guard largest - number < Self.width else { return false }
        return ring[Self.word(of: number)] & Self.bit(of: number) == 0
    }

    /// Remembers `number`, which was accepted. Only for packets that have authenticated: a forged
    /// number would push genuine ones out of the window.
    package mutating func insert(_ number: UInt64) {
        if let largest, number > largest {
            let steps = min(
                number / Self.wordBits - largest / Self.wordBits, UInt64(Self.words))
            for step in 0..<steps {
                ring[Self.word(of: number - step * Self.wordBits)] = 0
            }
        }
        largest = max(largest ?? 0, number)
        ring[Self.word(of: number)] |= Self.bit(of: number)
    }

    private static func word(of number: UInt64) -> Int {
        Int((number / wordBits) % UInt64(words))
    }

    private static func bit(of number: UInt64) -> UInt64 { 1 << (number % wordBits) }
}
