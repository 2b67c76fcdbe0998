/// The durable ticket state of a side, as handshake messages 1 and 2 carry it
/// (Models/IDENTITY.md, section 4). Positions lie below 2^62.
package struct TicketPresentation: Hashable, Sendable {
    /// T: the newest ticket that is known to be durable on both sides; nil where there is none.
    package var common: Ticket?
    /// n: own batches since ``common`` was entered.
    package var position: UInt64 = 0
    /// m: the counterpart's position in ``common`` as last concluded from.
    package var counterpartPosition: UInt64 = 0
    /// N: the ticket that was entered here and in which the counterpart stated nothing yet.
    package var pending: Ticket?
    /// n': own batches since ``pending`` was entered.
    package var pendingPosition: UInt64 = 0

    package init() {}

    /// The own position in a ticket; 0 where it is neither the common nor the pending one.
    func position(in ticket: Ticket) -> UInt64 {
        if common == ticket { return position }
        return pending == ticket ? pendingPosition : 0
    }
}

/// The answer of a side to the tickets that the other one presented. Only this side has its own
/// history.
package enum TicketAnswer: UInt8, Hashable, Sendable, CaseIterable {
    /// Neither ticket is in the history.
    case notHeld = 0
    /// The common ticket is in the history.
    case held = 1
    /// The common or the pending ticket is marked abandoned: the other side is a clone.
    case abandoned = 2
    /// The history is empty.
    case emptyHistory = 3
    /// The common ticket is in the history, and the journal lacks something that was stated in it:
    /// the last own position is below the one that the other side concluded from.
    case heldBehind = 4
    /// The pending ticket alone is in the history.
    case pendingHeld = 5
    /// Both tickets are in the history.
    case bothHeld = 6
    /// ``heldBehind``, and the pending ticket is in the history.
    case bothHeldBehind = 7

    /// Whether the common ticket is in the history.
    var holdsCommon: Bool { self == .held || self == .bothHeld || isBehind }
    /// Whether the pending ticket is in the history.
    var holdsPending: Bool { rawValue >= Self.pendingHeld.rawValue }
    /// Whether the journal lacks something that was stated in the common ticket.
    var isBehind: Bool { self == .heldBehind || self == .bothHeldBehind }
}
