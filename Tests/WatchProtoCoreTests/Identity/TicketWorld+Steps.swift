@testable import WatchProtoCore

extension TicketWorld {
    /// Takes a step.
    mutating func act(_ step: TicketStep, _ i: Int) {
        let j = 1 - i
        switch step {
        case .open: open(i)
        case .answer: answer(i)
        case .finish: finish(i)
        case .refused:
            guard let refusal = sides[j].refusal else { return }
            sides[i].state.receiveRefusal(naming: refusal.counter)
            sides[i].counter = max(sides[i].counter, refusal.counter)
            sides[i].pending = nil
            sides[j].refusal = nil
        case .confirm: confirm(i)
        case .enter: enter(i)
        case .work:
            sides[i].facts.held |= 1 << (32 + UInt64(sides[i].batches))
            sides[i].batches += 1
            form(i)
        case .persist: persist(i)
        case .tell:
            let position = sides[i].state.positionToState ?? 0
            sides[i].told = (sides[i].session, position, statedFacts(i))
        case .hear: hear(i)
        case .crash:
            crashes += 1
            reboot(i)
        case .snapshot:
            sides[i].backup = Backup(
                journal: sides[i].journal, facts: sides[i].journalFacts,
                counter: sides[i].counter)
            sides[i].hadBackup = true
        case .swap: swap(i)
        case .wipe:
            wipes |= 1 << i
            sides[i].hasLost = true
            load(Backup(journal: TicketState.Image(), facts: Facts(), counter: 0), i)
        case .save: sides[i].kept = sides[i].message1
        case .replay:
            replays += 1
            sides[i].message1 = sides[i].kept
        case .cross: cross(i)
        }
    }

    // MARK: Handshake

    private mutating func open(_ i: Int) {
        stop(i)
        sides[i].openings += 1
        sides[i].counter += 1
        sides[i].pending = nil
        setCounter(i)
        let facts = presentedFacts(i)
        guard let message = sides[i].state.open() else {
            fail("a message 1 that may leave does not")
            return
        }
        sides[i].message1 = Message(
            id: i * 16 + sides[i].openings,
            claim: HandshakeClaim(
                tickets: message.tickets, epoch: sides[i].epoch, counter: message.counter),
            facts: facts)
        sides[i].pending = sides[i].message1
    }

    /// The next message 1 has the number that the world counts, which is durable at once.
    private mutating func setCounter(_ i: Int) {
        var counters = HandshakeCounters(from: sides[i].counter, block: 1)
        counters.committed(counters.reserved)
        sides[i].state.counters = counters
    }

    private func presentedFacts(_ i: Int) -> Facts {
        mutants.contains(.presentsVolatile) ? sides[i].facts : sides[i].journalFacts
    }

    private mutating func answer(_ i: Int) {
        let j = 1 - i
        guard let message = sides[j].message1 else { return }
        sides[j].message1 = nil
        if isStale(i, message) {
            answerStale(message, i)
            return
        }
        if sides[i].session > 0, sides[i].answered == message.id, !sides[j].hasLost {
            fail("a repeated message 1 ends the session that it made")
        }
        stop(i)
        let facts = presentedFacts(i)
        guard var made = sides[i].state.answer(message.claim) else {
            fail("a message 2 that may leave does not")
            return
        }
        if !mutants.contains(.keepsOwnHandshake) { sides[i].pending = nil }
        if !rules.keeps, made.isKept { made = withoutKeeping(made, i) }
        sessions += 1
        sides[i].session = sessions
        sides[i].answered = message.id
        sides[i].crossed = 0
        sides[i].presentedFacts = facts
        sides[i].counterpartFacts = message.facts
        makers[sessions] = sides[0].hadBackup ? 1 + device : 0
        let ticket = Ticket(rawValue: UInt64(sessions))
        sides[i].state.begin(ticket: ticket)
        sides[i].message2 = Message(
            id: message.id,
            claim: HandshakeClaim(
                tickets: made.own, epoch: sides[i].epoch, counter: sides[i].counter),
            facts: facts, session: sessions, ticket: ticket, keeps: made.isKept,
            answer: made.answer)
        if mutants.contains(.actsUnconfirmed), made.judgment.isMatched { act(on: i) }
    }

    /// Makes the session anew, with a new ticket, where the rules know no kept ones.
    private mutating func withoutKeeping(_ made: TicketSession, _ i: Int) -> TicketSession {
        let anew = TicketSession(
            ticket: nil, isKept: false, isInitiator: made.isInitiator, own: made.own,
            counterpart: made.counterpart, answer: made.answer, judgment: made.judgment,
            isConfirmed: made.isConfirmed)
        sides[i].state.session = anew
        return anew
    }

    private mutating func answerStale(_ message: Message, _ i: Int) {
        let side = sides[i]
        if side.session > 0, side.answered == message.id, !isConfirmed(i) { return }
        switch rules.worldMutant {
        case .staleOpens:
            guard side.openings < rules.openingLimit + (isMeeting ? 9 : 0),
                side.state.isStable
            else { return }
            if side.session > 0, sides[1 - i].session == side.session, !sides[1 - i].hasLost {
                fail("an old message 1 ends a session that lives")
            }
            open(i)
        case .noRefusal: break
        case nil: sides[i].refusal = (message.id, side.state.counterToName)
        }
    }

    private mutating func finish(_ i: Int) {
        let j = 1 - i
        guard let own = sides[i].pending, let message = sides[j].message2 else { return }
        stop(i)
        sides[i].pending = nil
        sides[j].message2 = nil
        let accepts = sides[i].state.receiveMessage2(
            message.claim, answer: message.answer, keepsTicket: message.keeps,
            ticket: message.ticket)
        guard accepts, let session = sides[i].state.session else {
            fail("the two sides disagree on whether the ticket may be kept")
            return
        }
        sides[i].session = message.session
        sides[i].crossed = 0
        sides[i].presentedFacts = own.facts
        sides[i].counterpartFacts = message.facts
        finished[message.session] = .some(session.owesAnswer ? session.answer : nil)
        act(on: i)
    }

    private mutating func confirm(_ i: Int) {
        let session = sides[i].session
        guard let answer = finished[session], let made = sides[i].state.session else { return }
        sides[i].state.receiveFirstPacket(answer: answer)
        sides[i].presentedFacts = presentedFacts(i)
        if mutants.contains(.actsUnconfirmed), made.judgment.isMatched { return }
        act(on: i)
    }

    /// The side acts on the verdict that it holds for true from now on.
    private mutating func act(on i: Int) {
        guard let session = sides[i].state.session else { return }
        check(i, session.judgment.verdict)
        if session.judgment.verdict.isClone { stop(i) }
    }

    private mutating func enter(_ i: Int) {
        guard let ticket = sides[i].state.session?.ticket, let entry = sides[i].state.enter() else {
            return
        }
        noteEntry(i, entry, ticket)
        form(i)
    }

    private mutating func noteEntry(_ i: Int, _ entry: TicketEntry, _ ticket: Ticket) {
        if entry.counterpartLostState {
            sides[i].facts.relied &= sides[i].counterpartFacts.held
        }
        sides[i].facts.held |= 1 << ticket.rawValue
        sides[i].pending = nil
    }

    // MARK: Batches and statements

    private mutating func form(_ i: Int, counted: Bool = true) {
        sides[i].batch += 1
        sides[i].volatile.append(
            sides[i].state.formBatch(sides[i].batch, counted: counted))
    }

    private mutating func persist(_ i: Int) {
        for batch in sides[i].volatile { for entry in batch { sides[i].journal.apply(entry) } }
        sides[i].volatile.removeAll()
        sides[i].journalFacts = sides[i].facts
        sides[i].state.committed(through: sides[i].batch)
        if rules.mutants.isEmpty, sides[i].journal != sides[i].state.image {
            fail("the entries do not give the state that they come from")
        }
        guard i == 1, !sides[1].hasLost, let ticket = sides[1].journal.common else { return }
        if ticket.rawValue > 1, let maker = makers[Int(ticket.rawValue)], maker > 0 {
            heardDevices.insert(maker - 1)
            lastDevice = maker - 1
        }
    }

    private mutating func hear(_ i: Int) {
        let told = sides[1 - i].told
        guard let ticket = sides[i].state.session?.ticket else { return }
        let entered = sides[i].state.enter()
        if let entered { noteEntry(i, entered, ticket) }
        sides[i].state.conclude(position: told.position)
        sides[i].facts.relied |= told.facts
        form(i, counted: false)
    }

    private mutating func cross(_ i: Int) {
        guard let message = sides[1 - i].message1 else { return }
        sides[i].crossed = message.id
        guard sides[i].state.cross(message.claim) else { return }
        sides[i].facts.held |= 1 << (32 + UInt64(sides[i].batches))
        sides[i].batches += 1
        form(i)
    }

    // MARK: Faults

    private mutating func stop(_ i: Int) {
        sides[i].state.endSession()
        sides[i].session = 0
        sides[i].answered = 0
    }

    private mutating func swap(_ i: Int) {
        guard let backup = sides[i].backup else { return }
        let present = Backup(
            journal: sides[i].journal, facts: sides[i].journalFacts, counter: sides[i].counter)
        sides[i].swaps += 1
        if i == 0, rules.swaps > 1 {
            sides[i].backup = present
        } else if sides[i].swaps == rules.backs {
            sides[i].backup = Backup(journal: TicketState.Image(), facts: Facts(), counter: 0)
        }
        sides[i].hasLost = true
        if i == 0 { device = 1 - device }
        load(backup, i)
    }

    private mutating func load(_ backup: Backup, _ i: Int) {
        sides[i].journal = backup.journal
        sides[i].journalFacts = backup.facts
        sides[i].counter = backup.counter
        sides[i].message1 = nil
        reboot(i)
    }

    private mutating func reboot(_ i: Int) {
        sides[i].state = TicketState(restoring: sides[i].journal, mutants: mutants)
        sides[i].facts = sides[i].journalFacts
        sides[i].volatile.removeAll()
        sides[i].batch = 0
        sides[i].session = 0
        sides[i].answered = 0
        sides[i].crossed = 0
        sides[i].pending = nil
        sides[i].message2 = nil
        sides[i].refusal = nil
        sides[i].opening += 1
    }
}
