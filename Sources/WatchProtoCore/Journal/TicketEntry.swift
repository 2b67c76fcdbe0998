/// The first entry of a session with a new ticket (Models/IDENTITY.md, section 4, *Enter*).
package struct TicketEntry: Hashable, Sendable {
    /// The ticket that is entered; it becomes the pending one.
    package var ticket: Ticket
    /// The former pending ticket became the common one.
    package var promotesPending: Bool
    /// Tickets of the history that are marked abandoned from now on.
    package var abandoned: [Ticket]
    /// The highest counter of the counterpart that was met.
    package var counterpartCounter: UInt64
    /// The counterpart went back or was wiped: records that were held as applied are lost since.
    package var counterpartLostState: Bool
    /// Older tickets were dropped from the history.
    package var isOldestRemembered = false

    /// Makes the entry.
    package init(
        ticket: Ticket, promotesPending: Bool, abandoned: [Ticket], counterpartCounter: UInt64,
        counterpartLostState: Bool
    ) {
        self.ticket = ticket
        self.promotesPending = promotesPending
        self.abandoned = abandoned
        self.counterpartCounter = counterpartCounter
        self.counterpartLostState = counterpartLostState
    }
}
