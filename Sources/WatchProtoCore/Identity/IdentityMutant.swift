/// The mistakes that the models plant, planted in the code: each must be caught by a test. For
/// tests only; a peer has none.
package enum IdentityMutant: UInt8, CaseIterable, Sendable {
    /// A pending ticket of one side is not compared with those of the other.
    case noPendingRule
    /// Entering a ticket leaves the former common one, also where the pending one became common.
    case noPromotion
    /// A handshake message presents entries that are not durable.
    case presentsVolatile
    /// Statements leave before what they state is durable.
    case statesEarly
    /// Statements leave before the session's ticket is durable.
    case statesWithoutTicket
    /// A side that answers does not give up its own handshake.
    case keepsOwnHandshake
    /// Positions are not compared.
    case noPositions
    /// A handshake message leaves while a conclusion is not durable.
    case presentsStaleConclusion
    /// No ticket is marked abandoned.
    case noAbandonedMarks
    /// Marks are not looked at.
    case ignoresAbandonedMarks
    /// A side that went back marks tickets, too.
    case loserMarks
    /// Counters are compared only with the one in the journal.
    case noMemoryCounter
    /// Counters are not compared.
    case noCounter
    /// Only entering a ticket writes the counter down.
    case counterOnlyOnEntry
    /// A responder acts before the initiator's first packet.
    case actsUnconfirmed
    /// A ticket is kept over openings.
    case keepsAcrossOpenings
    /// A ticket is kept although a side presents another pending one.
    case keepsBesidePending
    /// Batches without a session do not count.
    case offlineBatchesUncounted
    /// Batches of a later opening count.
    case laterOpeningCounts
    /// The last positions in tickets that were left are not compared.
    case noLastPositions
    /// A pending ticket that both journals hold is not taken for common where no presented tickets
    /// match.
    case pendingNotCommon
}

/// A set of ``IdentityMutant``s.
package struct IdentityMutants: Hashable, Sendable {
    private var bits: UInt32 = 0

    /// The set of these; by default none.
    package init(_ mutants: [IdentityMutant] = []) {
        for mutant in mutants { bits |= 1 << UInt32(mutant.rawValue) }
    }

    /// Whether the mistake is planted.
    package func contains(_ mutant: IdentityMutant) -> Bool {
        bits >> UInt32(mutant.rawValue) & 1 == 1
    }
}
