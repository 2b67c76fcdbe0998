/// The numbers of the own messages 1, given out from durably reserved blocks (Models/IDENTITY.md,
/// section 3, *Counter*).
package struct HandshakeCounters: Hashable, Sendable {
    /// Numbers of one block.
    package static let block: UInt64 = 64
    /// The largest number; a claim above it is stale.
    package static let largest: UInt64 = HandshakeCounterLimit.largest

    /// The number of the newest message 1; 0 before the first one of this process where the journal
    /// was empty.
    package private(set) var last: UInt64
    /// Numbers below this are reserved, durable or not.
    package private(set) var reserved: UInt64
    /// Numbers below this may be used.
    package private(set) var durable: UInt64
    private let size: UInt64

    /// Goes on at `former`, the end of the block that the journal holds.
    init(from former: UInt64, block: UInt64) {
        last = min(max(1, former), Self.largest) - 1
        size = max(1, block)
        durable = last + 1
        reserved = last + 1
        reserve()
    }

    /// The next number; nil where its reservation is not durable, or none is left.
    mutating func take() -> UInt64? {
        guard last + 1 < durable else { return nil }
        last += 1
        if reserved - last <= size / 2 { reserve() }
        return last
    }

    /// Goes on above the number that a refusal named.
    mutating func skip(to named: UInt64) {
        last = max(last, min(named, Self.largest))
        reserve()
    }

    /// The reservation of an earlier batch is durable up to here.
    mutating func committed(_ reserved: UInt64) { durable = max(durable, reserved) }

    private mutating func reserve() {
        reserved = max(reserved, min(Self.largest, last + 1 + size))
    }
}
