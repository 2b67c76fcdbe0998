import Testing

@testable import WatchProtoCore

/// Two sides with a journal each; batches become durable when a test says so.
private struct Pair {
    struct Side {
        var image: TicketState.Image
        var state: TicketState
        var epoch: EpochID
        var batch: UInt64 = 0
        var volatile: [[JournalEntry]] = []

        init(_ image: TicketState.Image, _ epoch: UInt64) {
            self.image = image
            self.epoch = EpochID(rawValue: epoch)
            state = TicketState(restoring: image)
            form()
            commit()
        }

        mutating func form() {
            batch += 1
            volatile.append(state.formBatch(batch))
        }

        mutating func commit() {
            for entry in volatile.joined() { image.apply(entry) }
            volatile.removeAll()
            state.committed(through: batch)
        }

        /// A crash, or a return to `image`.
        mutating func restart(_ image: TicketState.Image? = nil) {
            self = Side(image ?? self.image, epoch.rawValue + 1)
        }
    }

    var a: Side
    var b: Side
    var hashes: UInt64 = 100

    init() {
        var image = TicketState.Image()
        for entry in TicketState.Image.paired(Ticket(rawValue: 1)) { image.apply(entry) }
        a = Side(image, 1000)
        b = Side(image, 2000)
    }

    /// The number of messages 1 that side `a` needed for a session; nil where none came about.
    mutating func meet(isConfirmed: Bool = true) -> Int? {
        for attempt in 1...3 {
            guard let message = a.state.open() else { return nil }
            let claim = HandshakeClaim(
                tickets: message.tickets, epoch: a.epoch, counter: message.counter)
            if b.state.isStale(claim) {
                a.state.receiveRefusal(naming: b.state.counterToName)
                a.form()
                a.commit()
                continue
            }
            guard let made = b.state.answer(claim) else { return nil }
            hashes += 1
            let ticket = Ticket(rawValue: hashes)
            b.state.begin(ticket: ticket)
            let answer = HandshakeClaim(
                tickets: made.own, epoch: b.epoch, counter: b.state.counters.last)
            guard
                a.state.receiveMessage2(
                    answer, answer: made.answer, keepsTicket: made.isKept, ticket: ticket)
            else { return nil }
            if isConfirmed { confirm() }
            return attempt
        }
        return nil
    }

    mutating func confirm() {
        let session = a.state.session
        b.state.receiveFirstPacket(answer: session?.owesAnswer == true ? session?.answer : nil)
    }

    /// Both enter and conclude from one another's statements.
    mutating func talk() {
        for _ in 0..<2 {
            if a.state.enter() != nil { a.form() }
            if b.state.enter() != nil { b.form() }
            a.commit()
            b.commit()
            if let position = a.state.positionToState {
                b.state.conclude(position: position)
                b.form()
            }
            if let position = b.state.positionToState {
                a.state.conclude(position: position)
                a.form()
            }
            a.commit()
            b.commit()
        }
    }
}

@Suite("The ticket layer of one side")
struct TicketStateTests {
    /// Shows I-6, I-41.
    @Test("A reconnection between the same two openings keeps the ticket and writes nothing")
    func keeps() throws {
        var pair = Pair()
        #expect(pair.meet() == 1)
        pair.talk()
        let ticket = pair.a.state.session?.ticket
        for _ in 0..<5 {
            #expect(pair.meet() == 1)
            #expect(pair.a.state.session?.isKept == true)
            #expect(pair.a.state.session?.ticket == ticket)
            #expect(pair.b.state.session?.ticket == ticket)
            #expect(pair.a.state.session?.verdict?.isInStep == true)
            // Statements may leave at once, and nothing is to be entered.
            #expect(pair.a.state.positionToState != nil && pair.b.state.positionToState != nil)
            #expect(pair.a.state.enter() == nil && pair.b.state.enter() == nil)
            #expect(!pair.a.state.hasEntries && !pair.b.state.hasEntries)
        }
    }

    /// Shows I-43, I-44.
    @Test("A session between other openings has a new ticket")
    func newOpening() {
        var pair = Pair()
        #expect(pair.meet() == 1)
        pair.talk()
        pair.b.restart()
        #expect(pair.meet() == 1)
        #expect(pair.a.state.session?.isKept == false)
        #expect(pair.a.state.session?.judgment.takesEarlyData == true)
        #expect(pair.a.state.session?.verdict?.isInStep == true)
    }

    /// Shows I-1.
    @Test("No statement leaves before the session's ticket is durable at its teller")
    func statementRule() {
        var pair = Pair()
        #expect(pair.meet() == 1)
        #expect(pair.a.state.positionToState == nil)
        #expect(pair.a.state.enter() != nil)
        #expect(pair.a.state.positionToState == nil)
        pair.a.form()
        #expect(pair.a.state.positionToState == nil)
        pair.a.commit()
        #expect(pair.a.state.positionToState == 1)
        // A batch on its way is not stated.
        pair.a.form()
        #expect(pair.a.state.positionToState == 1)
        pair.a.form()
        pair.a.state.committed(through: pair.a.batch - 1)
        #expect(pair.a.state.positionToState == 2)
        pair.a.commit()
        #expect(pair.a.state.positionToState == 3)
    }

    /// Shows I-20.
    @Test("No handshake message leaves while an entry of the ticket layer is on its way (rule W)")
    func ruleW() {
        var pair = Pair()
        #expect(pair.meet() == 1)
        pair.a.state.enter()
        #expect(pair.a.state.open() == nil)
        pair.a.form()
        #expect(pair.a.state.open() == nil)
        pair.a.commit()
        pair.a.form()
        // A batch that is no ticket entry holds back nothing.
        #expect(pair.a.state.isStable)
        pair.b.state.enter()
        pair.b.form()
        pair.b.commit()
        pair.a.state.conclude(position: 1)
        #expect(pair.a.state.open() == nil)
        pair.a.form()
        #expect(pair.a.state.open() == nil)
        // A second conclusion from a statement with the same position has a batch of its own.
        pair.a.state.conclude(position: 1)
        pair.a.form()
        pair.a.state.committed(through: pair.a.batch - 1)
        #expect(pair.a.state.open() == nil)
        pair.a.commit()
        #expect(pair.a.state.open() != nil)
        #expect(pair.a.state.session == nil)
    }

    /// Shows I-23, C-18.
    @Test("A responder writes nothing before the initiator's first packet")
    func firstPacket() {
        var pair = Pair()
        #expect(pair.meet(isConfirmed: false) == 1)
        #expect(pair.b.state.session?.verdict == nil)
        #expect(pair.b.state.enter() == nil)
        pair.b.state.conclude(position: 7)
        #expect(!pair.b.state.hasEntries)
        pair.confirm()
        #expect(pair.b.state.session?.verdict?.isInStep == true)
        #expect(pair.b.state.enter() != nil)
    }

    /// Shows I-65.
    @Test("A responder that only the initiator can inform waits for its answer")
    func waitsForAnswer() {
        var pair = Pair()
        #expect(pair.meet() == 1)
        pair.talk()
        pair.b.restart(TicketState.Image())
        // The wiped side's counters went back: its own are refused once, those of the other are
        // not.
        #expect(pair.meet(isConfirmed: false) == 1)
        #expect(pair.a.state.session?.verdict == .counterpartWiped)
        #expect(pair.a.state.session?.owesAnswer == true)
        pair.b.state.receiveFirstPacket(answer: nil)
        #expect(pair.b.state.session?.verdict == nil)
        pair.confirm()
        #expect(pair.b.state.session?.verdict == .selfWiped)
        pair.talk()
        #expect(pair.a.state.image.history.isAbandoned(Ticket(rawValue: 101)))
        #expect(pair.meet() == 1)
        #expect(pair.a.state.session?.isKept == true)
    }

    /// Shows I-47.
    @Test("Every batch of the process counts, with and without a session; later openings do not")
    func positions() {
        var pair = Pair()
        #expect(pair.meet() == 1)
        pair.talk()
        let before = pair.a.state.image.position
        pair.a.state.endSession()
        for _ in 0..<3 { pair.a.form() }
        #expect(pair.a.state.image.position == before + 3)
        pair.a.commit()
        #expect(pair.a.image.position == before + 3)
        pair.a.restart()
        pair.a.form()
        pair.a.commit()
        #expect(pair.a.image.position == before + 3)
    }

    /// Shows I-60.
    @Test("A side that went back behind what it stated is recognised by its position")
    func wentBack() {
        var pair = Pair()
        #expect(pair.meet() == 1)
        pair.talk()
        let backup = pair.a.image
        pair.a.form()
        pair.a.commit()
        pair.talk()
        pair.a.restart(backup)
        let attempts = pair.meet()
        #expect(attempts == 1 || attempts == 2)
        #expect(pair.a.state.session?.verdict == .selfWentBack)
        #expect(pair.b.state.session?.verdict == .counterpartWentBack)
        #expect(pair.b.state.enter()?.counterpartLostState == true)
    }

    /// Shows I-27, I-28.
    @Test("After any number of restores a session takes at most two messages 1")
    func refusals() {
        for restores in 0..<4 {
            var pair = Pair()
            let empty = pair.a.image
            for _ in 0..<200 {
                #expect(pair.meet() != nil)
                pair.talk()
                if pair.a.state.hasEntries { pair.a.form() }
                pair.a.commit()
            }
            for _ in 0..<restores {
                pair.a.restart(empty)
                #expect(pair.meet().map { $0 <= 2 } == true)
            }
            pair.a.restart(TicketState.Image())
            #expect(pair.meet().map { $0 <= 2 } == true)
        }
    }

    /// Shows I-24, C-11.
    @Test("A crashed process gives no counter twice, and uses none before its block is durable")
    func counters() {
        var used: Set<UInt64> = []
        var image = TicketState.Image()
        for opening in 0..<50 {
            var state = TicketState(restoring: image, counterBlock: 8)
            #expect(state.open() == nil)
            for entry in state.formBatch(1) { image.apply(entry) }
            #expect(state.open() == nil)
            state.committed(through: 1)
            var batch: UInt64 = 1
            for _ in 0..<opening % 23 {
                guard let message = state.open() else {
                    Issue.record("no counter is left")
                    return
                }
                #expect(used.insert(message.counter).inserted)
                if state.hasEntries {
                    batch += 1
                    for entry in state.formBatch(batch) { image.apply(entry) }
                    state.committed(through: batch)
                }
            }
        }
    }

    /// Shows I-82.
    @Test("A refusal that names a counter without end traps nobody; such a message 1 is stale")
    func hostileCounters() {
        var pair = Pair()
        #expect(pair.a.state.open() != nil)
        pair.a.state.receiveRefusal(naming: .max)
        pair.a.form()
        pair.a.commit()
        #expect(pair.a.state.open() == nil)
        let claim = HandshakeClaim(
            tickets: TicketPresentation(), epoch: pair.a.epoch, counter: .max)
        #expect(pair.b.state.isStale(claim))
    }

    /// Shows I-42.
    @Test("A kept ticket that the initiator cannot keep is a violation, and changes nothing")
    func keepsAgainstTheRule() {
        var pair = Pair()
        guard let message = pair.a.state.open() else { return }
        let claim = HandshakeClaim(
            tickets: message.tickets, epoch: pair.b.epoch, counter: 0)
        let before = pair.a.state
        let accepts = pair.a.state.receiveMessage2(
            claim, answer: .held, keepsTicket: true, ticket: Ticket(rawValue: 9))
        #expect(!accepts)
        #expect(pair.a.state == before)
    }

    /// Shows I-80.
    @Test("The history holds 1,024 tickets, and never loses the common one")
    func historyBound() {
        var image = TicketState.Image()
        for entry in TicketState.Image.paired(Ticket(rawValue: 1)) { image.apply(entry) }
        for ticket in UInt64(2)...3000 {
            image.apply(
                .ticketEntered(
                    TicketEntry(
                        ticket: Ticket(rawValue: ticket), promotesPending: false, abandoned: [],
                        counterpartCounter: 0, counterpartLostState: false)))
        }
        #expect(image.history.tickets.count == 1024)
        #expect(image.history.hasDropped)
        #expect(image.common == Ticket(rawValue: 1))
        #expect(image.history.contains(Ticket(rawValue: 1)))
        #expect(image.history.contains(Ticket(rawValue: 3000)))
        #expect(!image.history.contains(Ticket(rawValue: 2)))
    }
}
