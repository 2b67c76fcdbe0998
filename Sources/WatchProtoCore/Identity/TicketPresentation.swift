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

    /// What an empty journal presents.
    package init() {}

    /// The own position in a ticket; 0 where it is neither the common nor the pending one.
    func position(in ticket: Ticket) -> UInt64 {
        if common == ticket { return position }
        return pending == ticket ? pendingPosition : 0
    }
}

/// What a side says of the tickets that the other one presented: only it has its history.
package enum TicketAnswer: UInt8, Hashable, Sendable, CaseIterable {
    /// The common ticket is not in the history, or none was presented.
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
}

/// What a handshake message says of its sender's journal.
package struct HandshakeClaim: Hashable, Sendable {
    /// Its durable ticket state.
    package var tickets: TicketPresentation
    /// Its present epoch.
    package var epoch: EpochID
    /// The number of its newest message 1; in message 1, of that message.
    package var counter: UInt64

    /// Makes the claim that the three parts are.
    package init(tickets: TicketPresentation, epoch: EpochID, counter: UInt64) {
        self.tickets = tickets
        self.epoch = epoch
        self.counter = counter
    }
}
