import Locks
import Testing
import WatchProtoCore

@testable import WatchProto

/// The questions of one device's exchange, and its answers.
@Suite struct LedgerQuestionTests {
    private let worker = ManualWorker()
    private let link = KeepingLink()
    private let ledger = FaultyLedger()

    private func exchange(_ role: DeviceRole, _ identities: [UInt128] = []) -> LedgerExchange {
        for event in identities.map({ DoseEvent.numbered($0) }) {
            ledger.ledger.inserted(event, (try? event.encoded()) ?? [])
        }
        let made = LedgerExchange(DeviceLedger(role, ledger, worker))
        made.begin(link, with: PairingID(rawValue: 1))
        worker.run()
        return made
    }

    private func answer(_ reply: LedgerReply?) {
        link.answer(reply)
        worker.run()
    }

    private func ask(_ exchange: LedgerExchange, _ request: LedgerRequest) {
        exchange.receiveQuestion(
            InboundRecord(
                id: KeepingLink.record(1, .interactive), kind: .ledger, key: nil,
                payload: request.bytes, expectsReply: true))
        worker.run()
    }

    /// Answers as a device with these events does.
    private func answer(having identities: [UInt128]) throws {
        try link.answer(having: identities.map { .numbered($0) })
        worker.run()
    }

    private static let compare = LedgerRequest.compare(
        LedgerDigest(), LedgerSalt(byte: 0), at: WallTime(milliseconds: 0))

    // MARK: Asking

    /// Shows D-18.
    @Test func a_lost_answer_is_asked_for_again_after_the_pause() {
        let exchange = exchange(.phone)
        for count in 1...20 {
            #expect(link.questions().count == count)
            answer(nil)
            #expect(link.questions().count == count, "asked again without a pause")
            #expect(!exchange.isSettled)
            #expect(worker.pass() == 1)
        }
    }

    /// Shows D-18.
    @Test func a_lost_call_is_called_again_after_the_pause() {
        let exchange = exchange(.watch)
        exchange.journalReopened()
        worker.run()
        answer(nil)
        #expect(worker.pass() == 1)
        #expect(link.questions() == [.call, .call])
        answer(.acknowledged)
        #expect(worker.pass() == 0 && exchange.isSettled)
    }

    /// Shows D-13, D-20.
    @Test func the_ledgers_are_compared_again_after_sending() throws {
        let exchange = exchange(.phone, [5])
        try answer(having: [])
        #expect(link.contents.withLock { $0.sent.count } == 1 && link.questions().count == 1)
        exchange.settled(KeepingLink.record(1), .applied)
        worker.run()
        #expect(link.questions().count == 2)
        answer(.equal)
        #expect(exchange.isSettled && worker.pass() == 0 && link.questions().count == 2)
    }

    /// Shows D-21.
    @Test func a_ledger_that_changed_meanwhile_is_compared_again() throws {
        let exchange = exchange(.phone, [5])
        // The watch has it, and one more.
        try answer(having: [5, 6])
        let event = DoseEvent.numbered(6)
        ledger.ledger.inserted(event, try event.encoded())
        try answer(having: [5, 6])
        #expect(!exchange.isSettled && worker.pass() == 1)
        #expect(try link.questions().last?.digest == ledger.digest())
    }

    @Test("An answer that does not fit its question ends the comparison (D-17)")
    func an_answer_that_does_not_fit() throws {
        let digests = LedgerReply.digests([UInt32](repeating: 0, count: 16))
        let none = LedgerReply.found(LedgerReply.Findings())
        for wrong in [LedgerReply.acknowledged, .digests([1]), none] {
            let exchange = exchange(.phone, [5])
            answer(wrong)
            #expect(exchange.isSettled && worker.pass() == 0)
            #expect(link.contents.withLock { $0.sent.isEmpty })
        }
        // The question names one event, so the answer has one bit.
        let two = LedgerReply.Findings(lacks: [Bool](repeating: true, count: 2))
        for wrong in [LedgerReply.equal, digests, none, .found(two)] {
            let exchange = exchange(.phone, [5])
            let node = try #require(try LedgerNode.root.children.first { $0.contains(try mark(5)) })
            var others = [UInt32](repeating: 0, count: 16)
            others[Int(node.first >> 60)] = 1
            answer(.digests(others))
            let asked = link.questions()
            #expect(asked.last?.asked.names == 1)
            answer(wrong)
            #expect(link.questions() == asked && exchange.isSettled)
            #expect(link.contents.withLock { $0.sent.isEmpty })
        }
    }

    private func mark(_ identity: UInt128) throws -> LedgerMark {
        let encoding = try DoseEvent.numbered(identity).encoded()
        return LedgerMark(identity: identity, fingerprint: LedgerDigest.fingerprint(encoding))
    }

    /// Shows D-15.
    @Test func a_rejected_event_is_not_sent_again_in_a_period() throws {
        let exchange = exchange(.phone, [5])
        try answer(having: [])
        exchange.settled(KeepingLink.record(1), .rejected(code: 65_532))
        worker.run()
        try answer(having: [])
        #expect(link.contents.withLock { $0.sent.count } == 1 && exchange.isSettled)
        exchange.reachable(true)
        worker.run()
        try answer(having: [])
        #expect(link.contents.withLock { $0.sent.count } == 2)
    }

    /// Shows D-1, D-3, D-5.
    @Test func a_new_act_goes_before_the_backlog() throws {
        let exchange = exchange(.phone, (1...1_000).map { UInt128($0) })
        try answer(having: [])
        #expect(link.contents.withLock { $0.sent.count } == 48)
        exchange.ledger.add([.numbered(5_000)]) { _ in }
        worker.run()
        #expect(link.identities().last == 5_000)
        #expect(link.contents.withLock { $0.sent.last?.draft.idempotencyKey } == 5_000)
    }

    @Test func an_event_that_cannot_be_read_is_sent_later() throws {
        let exchange = exchange(.watch, [5])
        exchange.state.withLock { $0.sendMissing([5]) }
        ledger.faults.withLock { $0.reading = true }
        exchange.proceed()
        worker.run()
        #expect(link.contents.withLock { $0.sent.isEmpty })
        ledger.faults.withLock { $0.reading = false }
        #expect(worker.pass() == 1 && link.contents.withLock { $0.sent.count } == 1)
    }

    /// Shows D-15.
    @Test func a_watch_that_differs_for_ever_is_not_asked_for_ever() throws {
        let exchange = exchange(.phone, [5])
        for number in 1...50 {
            try answer(having: [])
            // It says that it applied the event, and lacks it afterwards.
            exchange.settled(KeepingLink.record(number), .applied)
            worker.run()
            worker.pass()
        }
        #expect(link.questions().count == 8 && exchange.isSettled)
    }

    @Test("A question about nodes waits until the backlog is short (D-19)")
    func a_question_about_nodes_waits() throws {
        let exchange = exchange(.phone, (1...1_500).map { UInt128($0) })
        // The watch has one event, so only one node is not empty there.
        try answer(having: [5_000])
        #expect(link.questions().count == 1)
        for number in 1...600 {
            exchange.settled(KeepingLink.record(number), .applied)
            worker.run()
        }
        #expect(link.questions().count == 2)
        guard case .nodes(_, let parts)? = link.questions().last else {
            Issue.record("no question about nodes")
            return
        }
        let mark = try mark(5_000)
        #expect(parts.count == 1 && parts.first?.node.contains(mark) == true)
    }

    // MARK: Answering

    /// Shows D-7.
    @Test func a_ledger_that_cannot_be_read_gives_no_answer() throws {
        let exchange = exchange(.watch, [5])
        ledger.faults.withLock { $0.reading = true }
        ask(exchange, Self.compare)
        #expect(link.contents.withLock { $0.replies.isEmpty })
    }

    /// Shows D-7.
    @Test func only_the_newest_question_waits_for_reachability() throws {
        let exchange = exchange(.watch)
        link.contents.withLock { $0.replyRefusal = .notReachable }
        for _ in 0..<1_000 {
            ask(exchange, Self.compare)
        }
        link.contents.withLock { $0.replyRefusal = nil }
        exchange.reachable(true)
        worker.run()
        #expect(link.contents.withLock { $0.replies } == [LedgerReply.equal.bytes])
    }

    @Test("A watch sends the events that the question does not name, and calls (D-11, D-12)")
    func a_watch_with_more_calls() throws {
        let exchange = exchange(.watch, [5, 6])
        ask(exchange, .naming)
        #expect(link.identities().sorted() == [5, 6] && link.questions().isEmpty)
        #expect(
            link.contents.withLock { $0.replies }
                == [LedgerReply.found(LedgerReply.Findings(hasMore: true)).bytes])
        exchange.settled(KeepingLink.record(1), .applied)
        worker.run()
        #expect(link.questions().isEmpty)
        exchange.settled(KeepingLink.record(2), .rejected(code: 65_532))
        worker.run()
        #expect(link.questions() == [.call])
    }

    /// Shows D-11.
    @Test func an_event_under_way_is_not_sent_twice() {
        let exchange = exchange(.watch)
        exchange.ledger.add([.numbered(5)]) { _ in }
        worker.run()
        ask(exchange, .naming)
        #expect(link.contents.withLock { $0.sent.count } == 1)
    }

    /// The thread of the ledger is late: the event was missing when the question was asked, and is
    /// applied when it is answered. Shows D-11.
    @Test func an_event_applied_before_the_answer_is_not_sent_twice() {
        let exchange = exchange(.watch)
        exchange.ledger.add([.numbered(5)]) { _ in }
        worker.run()
        let question = LedgerRequest.naming
        exchange.receiveQuestion(
            InboundRecord(
                id: KeepingLink.record(1, .interactive), kind: .ledger, key: nil,
                payload: question.bytes, expectsReply: true))
        exchange.settled(KeepingLink.record(1), .applied)
        ask(exchange, question)
        // That question can be as old, too.
        ask(exchange, question)
        #expect(link.identities() == [5])
        // Since another connection began, the device may have lost the event. It may ask before it
        // counts as reachable.
        exchange.connected()
        ask(exchange, question)
        #expect(link.identities() == [5, 5])
        exchange.settled(KeepingLink.record(2), .applied)
        exchange.reachable(true)
        ask(exchange, question)
        #expect(link.identities() == [5, 5, 5])
    }

    /// The question was asked before the event left. Shows D-11.
    @Test func an_event_that_the_asker_sent_is_not_sent_back() throws {
        let exchange = exchange(.watch, [4])
        try receive(5, exchange)
        ask(exchange, .naming)
        #expect(link.identities() == [4])
    }

    /// The question was answered before the event left. Shows D-10, D-11.
    @Test func an_event_that_the_answering_device_sent_is_not_sent_back() throws {
        let exchange = exchange(.phone, [4])
        try receive(5, exchange)
        answer(.digests([UInt32](repeating: 0, count: 16)))
        #expect(link.identities() == [4])
    }

    private func receive(_ identity: UInt128, _ exchange: LedgerExchange) throws {
        let event = DoseEvent.numbered(identity)
        exchange.receive(
            InboundRecord(
                id: KeepingLink.record(1), kind: .doseEvent, key: nil,
                payload: try event.encoded()),
            at: .zero)
        worker.run()
        #expect(try ledger.event(identity) != nil)
    }

    /// Shows D-11.
    @Test func an_event_applied_before_the_answer_is_read_is_not_sent_twice() throws {
        let exchange = exchange(.phone, [4])
        exchange.ledger.add([.numbered(5)]) { _ in }
        worker.run()
        let question = try #require(link.contents.withLock { $0.questions.last })
        exchange.settled(KeepingLink.record(1), .applied)
        // A call is no question about events.
        ask(exchange, .call)
        let none = [UInt32](repeating: 0, count: 16)
        question.answered(LedgerReply.digests(none).bytes)
        worker.run()
        #expect(link.identities() == [5, 4])
    }

    /// The journal kept an event in the queue. It is applied between a question and the answer.
    /// Shows D-11.
    @Test(arguments: [true, false])
    func an_event_that_the_journal_kept_is_not_sent_twice(isRestart: Bool) {
        let exchange = exchange(.watch, [5, 6])
        let kept: [RecordID: UInt128] = [KeepingLink.record(7): 5, KeepingLink.record(8): 6]
        link.contents.withLock { $0.kept = kept }
        if isRestart {
            exchange.end()
            exchange.begin(link, with: PairingID(rawValue: 1))
        } else {
            exchange.journalReopened()
        }
        worker.run()
        exchange.receiveQuestion(
            InboundRecord(
                id: KeepingLink.record(1, .interactive), kind: .ledger, key: nil,
                payload: LedgerRequest.naming.bytes,
                expectsReply: true))
        exchange.settled(KeepingLink.record(7), .applied)
        worker.run()
        #expect(link.identities().isEmpty)
        // The journal lost the others with the failed commit.
        link.contents.withLock { $0.kept = [:] }
        exchange.journalReopened()
        ask(exchange, .naming)
        #expect(link.identities().sorted() == [5, 6])
    }

    /// Shows D-5.
    @Test func a_backlog_of_many_is_queued_once() throws {
        let exchange = exchange(.watch, (1...1_000).map { UInt128($0) })
        ask(exchange, .naming)
        for number in 1...1_000 {
            exchange.settled(KeepingLink.record(number), .applied)
            worker.run()
        }
        #expect(link.identities().sorted() == (1...1_000).map { UInt128($0) })
    }
}
