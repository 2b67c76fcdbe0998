/// The steps of a session: entering its ticket, stating and concluding (Models/IDENTITY.md,
/// sections 1 and 4).
extension TicketState {
    /// Whether this side may write because of the session: it is not refused, and a responder has
    /// heard the initiator.
    package var mayAct: Bool {
        guard let session, session.ticket != nil, !session.judgment.verdict.isClone else {
            return false
        }
        return session.isConfirmed
            || mutants.contains(.actsUnconfirmed) && session.judgment.isMatched
    }

    /// Whether this side may state something: it acts on the session, or that keeps its ticket, so
    /// that nothing is entered before (Models/IDENTITY.md, section 4).
    package var mayState: Bool { mayAct || session?.isKept == true }

    /// Whether the session's ticket is entered; a kept one always is.
    package var hasEntered: Bool {
        guard let ticket = session?.ticket else { return false }
        return image.pending == ticket || image.common == ticket
    }

    /// Enters the session's ticket where this side may act and has not done so: the first entry of
    /// a session with a new ticket. The batch also holds the whole reaction to a counterpart that
    /// lost state; the entry says so.
    @discardableResult
    package mutating func enter() -> TicketEntry? {
        guard mayAct, !hasEntered, let session, let ticket = session.ticket else { return nil }
        let judgment = session.judgment
        let presented = session.counterpart.tickets
        var abandoned: [Ticket] = []
        let marks = !judgment.verdict.selfLostState || mutants.contains(.loserMarks)
        if marks, !mutants.contains(.noAbandonedMarks) {
            abandoned = image.history.unmarked(
                newerThan: judgment.common, sparing: [presented.common, presented.pending])
        }
        let promotes = judgment.common != nil && judgment.common == image.pending
        let entry = TicketEntry(
            ticket: ticket, promotesPending: promotes && !mutants.contains(.noPromotion),
            abandoned: abandoned,
            counterpartCounter: max(image.counterpartCounter, counterpartCounter),
            counterpartLostState: judgment.verdict.counterpartLostState)
        image.apply(.ticketEntered(entry))
        entries.append(.ticketEntered(entry))
        entered = Entered(ticket: ticket, counterpartEpoch: session.counterpart.epoch)
        durablePosition = 0
        durableCounterpartPosition = 0
        changesTickets = true
        opening = nil
        return entry
    }

    /// The position to tell in front of statements; nil while none may leave: the session's ticket
    /// and its position are durable.
    package var positionToState: UInt64? {
        guard let session, let ticket = session.ticket, !session.judgment.verdict.isClone else {
            return nil
        }
        let durable = durablePresentation.position(in: ticket)
        if mutants.contains(.statesWithoutTicket) { return durable }
        let stated = mutants.contains(.statesEarly) ? believed.position(in: ticket) : durable
        return stated > 0 ? stated : nil
    }

    /// Something was concluded from a statement, which came with this position of the counterpart:
    /// the batch formed next holds it. Enters the ticket before where that is due. Called for
    /// conclusions that are written anyway; a position alone is never written. Without effect while
    /// this side must not act.
    package mutating func conclude(position: UInt64) {
        enter()
        guard mayAct, hasEntered, let ticket = session?.ticket else { return }
        concluded = true
        let promotes = image.common != ticket
        guard promotes || position > image.counterpartPosition else { return }
        image.apply(.ticketProgress(own: image.newestPosition, counterpart: position))
        if promotes { changesTickets = true }
    }
}
