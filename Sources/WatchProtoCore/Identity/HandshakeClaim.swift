/// The claim of a handshake message about its sender's journal.
package struct HandshakeClaim: Hashable, Sendable {
    /// Its durable ticket state.
    package var tickets: TicketPresentation
    /// Its present epoch.
    package var epoch: EpochID
    /// The number of its newest message 1; in message 1, of that message.
    package var counter: UInt64

    package init(tickets: TicketPresentation, epoch: EpochID, counter: UInt64) {
        self.tickets = tickets
        self.epoch = epoch
        self.counter = counter
    }
}
