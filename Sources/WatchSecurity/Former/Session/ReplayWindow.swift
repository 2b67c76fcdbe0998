/// Which packet numbers of one direction were opened, so that none is taken twice (the ring of
/// words of RFC 6479).
///
/// It remembers the last ``width`` numbers up to the largest. What lies below counts as seen: on
/// carriers that reorder by more than that, a packet is lost and not repeated.
public struct ReplayWindow: Hashable, Sendable {
    private static let words = 64
    private static let wordBits: UInt64 = 64
    /// How far below the largest number a new one may lie: 4,032 numbers with the largest. One word
    /// of the ring is always partly of the future.
    public static let width = UInt64(words - 1) * wordBits

    private var ring = [UInt64](repeating: 0, count: words)
    /// The largest number inserted; nil before the first.
    public private(set) var largest: UInt64?

    /// Makes a window that has seen nothing.
    public init() {}

    /// Whether `number` is new: above all, or within the window and not yet there.
    public func accepts(_ number: UInt64) -> Bool {
        guard let largest, number <= largest else { return true }
        guard largest - number < Self.width else { return false }
        return ring[Self.word(of: number)] & Self.bit(of: number) == 0
    }

    /// Remembers `number`. Only for packets that have authenticated: a forged number would push
    /// genuine ones out of the window.
    ///
    /// - Precondition: it was accepted.
    public mutating func insert(_ number: UInt64) {
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
