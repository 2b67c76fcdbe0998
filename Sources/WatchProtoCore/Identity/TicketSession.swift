/// The ticket state of a session, from the moment in which this side answers a message 1 or has
/// message 2.
package struct TicketSession: Hashable, Sendable {
    /// The session's ticket; nil at a responder that has not made message 2 yet.
    package internal(set) var ticket: Ticket?
    /// The session goes on in a ticket that both sides entered before.
    package let isKept: Bool
    /// This side sent message 1.
    package let isInitiator: Bool
    /// The tickets that this side presented.
    package let own: TicketPresentation
    /// The counterpart's claim about its journal.
    package let counterpart: HandshakeClaim
    /// The answer of this side to the counterpart's tickets.
    package let answer: TicketAnswer
    /// The judgment of which side lost state. A responder acts on it after the first packet only.
    package internal(set) var judgment: TicketJudgment
    /// The responder: a packet of the session has come, with the answers that only the initiator
    /// has. The initiator: always.
    package internal(set) var isConfirmed: Bool

    /// The verdict on which this side acts; nil while a responder must not.
    package var verdict: Verdict? { isConfirmed ? judgment.verdict : nil }

    /// The initiator's first packets hold its ``answer`` in a frame of its own: the responder
    /// cannot evaluate without it.
    package var owesAnswer: Bool {
        isInitiator && (!judgment.isMatched || answer == .abandoned)
    }
}
