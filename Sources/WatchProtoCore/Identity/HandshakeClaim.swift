/// The claim of a handshake message about its sender's journal.
public struct HandshakeClaim: Hashable, Sendable {
    /// Its durable ticket state.
    public var tickets: TicketPresentation
    /// Its present epoch.
    public var epoch: EpochID
    /// The number of its newest message 1; in message 1, of that message.
    public var counter: UInt64

    /// Makes the claim that the three parts are.
    public init(tickets: TicketPresentation, epoch: EpochID, counter: UInt64) {
        self.tickets = tickets
        self.epoch = epoch
        self.counter = counter
    }
}
