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

    /// The digests of a ledger with these events.
    private func digests(_ identities: [UInt128]) throws -> [LedgerDigest] {
        let other = MemoryLedger()
        for event in identities.map({ DoseEvent.numbered($0) }) {
            other.inserted(event, try event.encoded())
        }
        return other.digests()
    }

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
        answer(.buckets(try digests([])))
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
        answer(.buckets(try digests([5, 6])))
        let event = DoseEvent.numbered(6)
        ledger.ledger.inserted(event, try event.encoded())
        answer(.lacks([]))
        #expect(!exchange.isSettled && worker.pass() == 1)
        #expect(try link.questions().last?.digest == ledger.digest())
    }

    /// Each of these answers would end a comparison as equal, or name events that nobody asked for.
    /// Shows D-17.
    @Test func an_answer_that_does_not_fit_its_question_ends_the_comparison() throws {
        for wrong in [LedgerReply.acknowledged, .lacks([5])] {
            let exchange = exchange(.phone, [5])
            answer(wrong)
            #expect(exchange.isSettled && worker.pass() == 0)
            #expect(link.contents.withLock { $0.sent.isEmpty })
        }
        // To a question about a range only `lacks` is an answer, and only of named events.
        for wrong in [LedgerReply.equal, .buckets(try digests([])), .lacks([7])] {
            let exchange = exchange(.phone, [5])
            answer(.buckets(try digests([6])))
            let asked = link.questions().count
            answer(wrong)
            #expect(link.questions().count == asked && exchange.isSettled)
        }
    }

    /// Shows D-15.
    @Test func a_rejected_event_is_not_sent_again_in_a_period() throws {
        let exchange = exchange(.phone, [5])
        answer(.buckets(try digests([])))
        exchange.settled(KeepingLink.record(1), .rejected(code: 65_532))
        worker.run()
        answer(.buckets(try digests([])))
        #expect(link.contents.withLock { $0.sent.count } == 1 && exchange.isSettled)
        exchange.reachable(true)
        worker.run()
        answer(.buckets(try digests([])))
        #expect(link.contents.withLock { $0.sent.count } == 2)
    }

    /// Shows D-1, D-3, D-5.
    @Test func a_new_act_goes_before_the_backlog() throws {
        let exchange = exchange(.phone, (1...1_000).map { UInt128($0) })
        answer(.buckets(try digests([])))
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
            answer(.buckets(try digests([])))
            // It says that it applied the event, and lacks it afterwards.
            exchange.settled(KeepingLink.record(number), .applied)
            worker.run()
            worker.pass()
        }
        #expect(link.questions().count == 8 && exchange.isSettled)
    }

    /// Shows D-19.
    @Test func a_range_waits_until_the_backlog_is_short() throws {
        let exchange = exchange(.phone, (1...1_500).map { UInt128($0) })
        answer(.buckets(try digests([5 << 120])))
        #expect(link.questions().count == 1)
        for number in 1...600 {
            exchange.settled(KeepingLink.record(number), .applied)
            worker.run()
        }
        #expect(link.questions().count == 2)
        guard case .range(let first, _, _)? = link.questions().last else {
            Issue.record("no range was asked for")
            return
        }
        #expect(first == 5 << 120)
    }

    // MARK: Answering

    /// Shows D-7.
    @Test func a_ledger_that_cannot_be_read_gives_no_answer() throws {
        let exchange = exchange(.watch, [5])
        ledger.faults.withLock { $0.reading = true }
        ask(exchange, .compare(LedgerDigest(), at: WallTime(milliseconds: 0)))
        #expect(link.contents.withLock { $0.replies.isEmpty })
    }

    /// Shows D-7.
    @Test func only_the_newest_question_waits_for_reachability() throws {
        let exchange = exchange(.watch)
        link.contents.withLock { $0.replyRefusal = .notReachable }
        for _ in 0..<1_000 {
            ask(exchange, .compare(LedgerDigest(), at: WallTime(milliseconds: 0)))
        }
        link.contents.withLock { $0.replyRefusal = nil }
        exchange.reachable(true)
        worker.run()
        #expect(link.contents.withLock { $0.replies } == [LedgerReply.equal.bytes])
    }

    /// Shows D-11.
    @Test func an_event_under_way_is_not_sent_twice() {
        let exchange = exchange(.watch)
        exchange.ledger.add([.numbered(5)]) { _ in }
        worker.run()
        ask(exchange, .range(first: 0, last: 1 << 120 - 1, []))
        #expect(link.contents.withLock { $0.sent.count } == 1)
    }

    /// The thread of the ledger is late: the event was missing when the question was asked, and is
    /// applied when it is answered. Shows D-11.
    @Test func an_event_applied_before_the_answer_is_not_sent_twice() {
        let exchange = exchange(.watch)
        exchange.ledger.add([.numbered(5)]) { _ in }
        worker.run()
        let question = LedgerRequest.range(first: 0, last: 1 << 120 - 1, [])
        exchange.receiveQuestion(
            InboundRecord(
                id: KeepingLink.record(1, .interactive), kind: .ledger, key: nil,
                payload: question.bytes, expectsReply: true))
        exchange.settled(KeepingLink.record(1), .applied)
        // A later question tells that the device has lost it since then.
        ask(exchange, question)
        #expect(link.identities() == [5, 5])
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
        question.answered(LedgerReply.buckets(try digests([])).bytes)
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
                payload: LedgerRequest.range(first: 0, last: 1 << 120 - 1, []).bytes,
                expectsReply: true))
        exchange.settled(KeepingLink.record(7), .applied)
        worker.run()
        #expect(link.identities().isEmpty)
        // The journal lost the others with the failed commit.
        link.contents.withLock { $0.kept = [:] }
        exchange.journalReopened()
        ask(exchange, .range(first: 0, last: 1 << 120 - 1, []))
        #expect(link.identities() == [5, 6])
    }

    /// Shows D-5.
    @Test func a_backlog_of_many_is_queued_in_order() throws {
        let exchange = exchange(.watch, (1...1_000).map { UInt128($0) })
        ask(exchange, .range(first: 0, last: 1 << 120 - 1, []))
        for number in 1...1_000 {
            exchange.settled(KeepingLink.record(number), .applied)
            worker.run()
        }
        #expect(link.identities() == (1...1_000).map { UInt128($0) })
    }
}
