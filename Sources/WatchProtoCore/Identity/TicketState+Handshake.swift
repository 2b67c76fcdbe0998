/// The steps of a handshake (Models/IDENTITY.md, section 3). Either handshake message ends the
/// former session.
extension TicketState {
    // MARK: Initiator

    /// The ticket state and counter for a new message 1; nil where an entry of the ticket layer is
    /// not durable (rule W) or no reserved counter is left: the next commit ends both.
    package mutating func open() -> (tickets: TicketPresentation, counter: UInt64)? {
        guard mayPresent, let counter = counters.take() else { return nil }
        session = nil
        opening = presentation
        return (presentation, counter)
    }

    /// Message 2 came for the message 1 that waits. `ticket` is that of the handshake's hash;
    /// `keepsTicket` and `answer` are what the responder says.
    ///
    /// False where the responder broke a rule: nobody waits for it, it keeps a ticket that this
    /// side cannot keep, or says nothing of a clone that it keeps a ticket with.
    package mutating func receiveMessage2(
        _ claim: HandshakeClaim, answer: TicketAnswer, keepsTicket: Bool, ticket: Ticket
    ) -> Bool {
        guard let own = opening, mayPresent, claim.counter <= HandshakeCounters.largest else {
            return false
        }
        let judgment = evaluate(own, claim.tickets, answer)
        if keepsTicket, !judgment.verdict.isClone, !keeps(judgment, own, claim) { return false }
        opening = nil
        if claim.counter > counterpartCounter || claim.epoch != counterpartEpoch {
            counterpartCounter = claim.counter
        }
        counterpartEpoch = claim.epoch
        crossed = nil
        session = TicketSession(
            ticket: keepsTicket ? judgment.common ?? ticket : ticket, isKept: keepsTicket,
            isInitiator: true, own: own, counterpart: claim,
            answer: image.history.answer(to: claim.tickets), judgment: judgment,
            isConfirmed: true)
        return true
    }

    /// The counterpart refused the message 1 that waits, as stale: go on above the counter named,
    /// with a new message 1.
    package mutating func receiveRefusal(naming counter: UInt64) {
        guard opening != nil else { return }
        opening = nil
        counters.skip(to: counter)
    }

    /// The own handshake is given up.
    package mutating func abandonOpening() { opening = nil }

    // MARK: Responder

    /// Whether a message 1 is not above what was met; see ``counterToName``. One whose early data
    /// was taken may still be answered.
    package func isStale(_ claim: HandshakeClaim) -> Bool {
        if mutants.contains(.noCounter) { return false }
        guard claim.counter <= HandshakeCounters.largest else { return true }
        if crossed == Crossed(epoch: claim.epoch, counter: claim.counter) { return false }
        return claim.counter <= image.counterpartCounter
            || claim.counter <= counterpartCounter && !mutants.contains(.noMemoryCounter)
    }

    /// The counter that a refusal names: the highest of the counterpart that this side holds.
    package var counterToName: UInt64 { max(image.counterpartCounter, counterpartCounter) }

    /// Answers a message 1 that is not stale, and gives up the own handshake: makes the session,
    /// with what message 2 says. Nil where an entry of the ticket layer is not durable (rule W).
    package mutating func answer(_ claim: HandshakeClaim) -> TicketSession? {
        guard mayPresent else { return nil }
        let own = presentation
        counterpartCounter = claim.counter
        counterpartEpoch = claim.epoch
        crossed = nil
        if !mutants.contains(.keepsOwnHandshake) { opening = nil }
        let judgment = evaluate(own, claim.tickets, nil)
        let isKept = keeps(judgment, own, claim)
        let made = TicketSession(
            ticket: isKept ? judgment.common : nil, isKept: isKept, isInitiator: false, own: own,
            counterpart: claim, answer: image.history.answer(to: claim.tickets),
            judgment: judgment, isConfirmed: false)
        session = made
        return made
    }

    /// Message 2 is made: the session has the ticket of the handshake's hash, unless it keeps one.
    package mutating func begin(ticket: Ticket) {
        guard session?.ticket == nil else { return }
        session?.ticket = ticket
    }

    /// A packet of the session came from the initiator; `answer` is what it says of the presented
    /// tickets, where it says so. The responder acts from now on, once it can evaluate.
    package mutating func receiveFirstPacket(answer: TicketAnswer?) {
        guard let made = session, !made.isConfirmed else { return }
        let judgment = evaluate(made.own, made.counterpart.tickets, answer)
        guard judgment.isComplete else { return }
        session?.judgment = judgment
        session?.isConfirmed = true
    }

    /// A message 1 that crosses the own one comes, is not stale, and is not answered: whether its
    /// early data is taken, into a batch that carries its counter.
    package mutating func cross(_ claim: HandshakeClaim) -> Bool {
        let judgment = evaluate(presentation, claim.tickets, nil)
        crossed = Crossed(epoch: claim.epoch, counter: claim.counter)
        guard judgment.takesEarlyData else { return false }
        counterpartCounter = max(counterpartCounter, claim.counter)
        crossedWaits = true
        return true
    }

    /// The session is over: nothing more is entered or concluded in it.
    package mutating func endSession() { session = nil }

    // MARK: Both

    private var mayPresent: Bool { isStable || mutants.contains(.presentsVolatile) }

    /// The ticket state that a handshake message presents: the durable one.
    package var presentation: TicketPresentation {
        mutants.contains(.presentsVolatile) ? believed : durablePresentation
    }

    /// The ticket state as the process believes it.
    var believed: TicketPresentation {
        var believed = TicketPresentation()
        believed.common = image.common
        believed.position = image.position
        believed.counterpartPosition = image.counterpartPosition
        believed.pending = image.pending
        believed.pendingPosition = image.pendingPosition
        return believed
    }

    /// The tickets as the process believes them, with the positions that are durable.
    var durablePresentation: TicketPresentation {
        var durable = believed
        guard let entered else { return durable }
        if entered.ticket == durable.pending {
            durable.pendingPosition = durablePosition
        } else {
            durable.position = durablePosition
            durable.counterpartPosition = durableCounterpartPosition
        }
        return durable
    }

    private func evaluate(
        _ own: TicketPresentation, _ counterpart: TicketPresentation, _ answer: TicketAnswer?
    ) -> TicketJudgment {
        TicketJudgment(
            own: own, history: image.history, counterpart: counterpart, answer: answer,
            mutants: mutants)
    }

    /// Whether a session keeps the common ticket: in step, both sides entered it in their present
    /// openings and for this pair of openings, and neither presents another pending one.
    private func keeps(
        _ judgment: TicketJudgment, _ own: TicketPresentation, _ claim: HandshakeClaim
    ) -> Bool {
        guard judgment.takesEarlyData, let common = judgment.common else { return false }
        if !mutants.contains(.keepsBesidePending) {
            let pending = claim.tickets.pending
            guard own.pending == nil || own.pending == common else { return false }
            guard pending == nil || pending == common else { return false }
        }
        if mutants.contains(.keepsAcrossOpenings) { return true }
        return entered == Entered(ticket: common, counterpartEpoch: claim.epoch)
    }
}
