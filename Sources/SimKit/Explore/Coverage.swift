/// A fault or a rare state that a large run must meet at least once.
public enum Rarity: String, Hashable, Sendable, CaseIterable {
    // Faults that bit.
    case lost, lostInBurst, duplicated, reordered, clogged, queueFull, outage, damaged
    case recovered, stalled, takenInPart, byteAtATime, coalesced
    case crash, crashWithPendingCommit, unreceiptedCommit, pause, cut, clockJump, lateTimer
    case partition, blackout, deadDirection, halfOpen, attemptFailed
    // What the applications saw.
    case deliveredAgainAfterCrash, rejected, appliedLater, cancelled, cancelledTooLate, expired
    case superseded, outcomeUnknown, replied, refusedNotReachable, counterpartRestarted
    case linkStalled, unreachableBySilence, bulkDelivered, suspended, activated, emptyPayload
    case handshakeTimedOut, orphaned
}

/// How often each rarity was met.
public struct Coverage: Hashable, Sendable {
    private var counts = [UInt64](repeating: 0, count: Rarity.allCases.count)

    /// Makes a coverage of nothing.
    public init() {}

    /// How often `rarity` was met.
    public subscript(rarity: Rarity) -> UInt64 { counts[Self.slot(rarity)] }

    /// The rarities that were never met.
    public var neverMet: [Rarity] { Rarity.allCases.filter { self[$0] == 0 } }

    /// Counts `rarity` once more, or `times` more.
    public mutating func meet(_ rarity: Rarity, times: UInt64 = 1) {
        counts[Self.slot(rarity)] += times
    }

    /// Adds what another run met.
    public mutating func add(_ other: Coverage) {
        for slot in counts.indices { counts[slot] += other.counts[slot] }
    }

    private static let slots: [Rarity: Int] = Dictionary(
        uniqueKeysWithValues: Rarity.allCases.enumerated().map { ($0.element, $0.offset) })

    private static func slot(_ rarity: Rarity) -> Int { slots[rarity] ?? 0 }
}
