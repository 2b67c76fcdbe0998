import Locks
import Testing
import WatchProtoCore

@testable import WatchProto
@testable import WatchProtoJournal

/// One device's exchange, without a session: over a link that keeps what it is given, and a ledger
/// whose disk fails on purpose.
@Suite(.timeLimit(.minutes(1))) struct LedgerExchangeTests {
    private let worker = ManualWorker()
    private let link = KeepingLink()
    private let ledger = FaultyLedger()

    /// An exchange whose session is open.
    private func exchange(_ role: DeviceRole) -> LedgerExchange {
        let made = LedgerExchange(DeviceLedger(role, ledger, worker))
        made.begin(link, with: PairingID(rawValue: 1))
        worker.run()
        return made
    }

    private func add(
        _ events: [DoseEvent], to exchange: LedgerExchange
    ) -> Result<Void, DoseRefusal>? {
        let result = Mutex<Result<Void, DoseRefusal>?>(nil)
        exchange.ledger.add(events) { answer in result.withLock { $0 = answer } }
        worker.run()
        return result.withLock { $0 }
    }

    private func arrival(_ event: DoseEvent, _ number: Int = 1) throws -> InboundRecord {
        InboundRecord(
            id: KeepingLink.record(number), kind: .doseEvent, key: nil,
            payload: try event.encoded())
    }

    private func question(_ request: LedgerRequest) -> InboundRecord {
        InboundRecord(
            id: KeepingLink.record(1, .interactive), kind: .ledger, key: nil,
            payload: request.bytes, expectsReply: true)
    }

    // MARK: Failures of the journal

    /// Shows D-2.
    @Test func a_failed_read_leaves_the_outcome_unknown() {
        let exchange = exchange(.watch)
        ledger.faults.withLock { $0.reading = true }
        guard case .failure(let refusal) = add([.numbered(1)], to: exchange) else {
            Issue.record("recorded, although the ledger cannot be read")
            return
        }
        #expect(refusal.isOutcomeUnknown)
    }

    /// Shows D-2.
    @Test(arguments: [true, false])
    func events_of_a_failed_commit_are_looked_for_when_the_journal_works_again(
        _ isDurable: Bool
    ) async throws {
        let exchange = exchange(.watch)
        let reader = exchange.ledger.changes()
        ledger.faults.withLock { faults in
            faults.writing = true
            faults.keepsFailed = isDurable
        }
        guard case .failure(let refusal) = add([.numbered(1)], to: exchange) else {
            Issue.record("recorded, although the commit failed")
            return
        }
        #expect(refusal.isOutcomeUnknown && link.contents.withLock { $0.sent.isEmpty })
        // The session learns of the failure, and opens the journal again.
        #expect(link.contents.withLock { $0.writes } == 1)
        ledger.faults.withLock { $0.writing = false }
        exchange.journalReopened()
        worker.run()
        #expect(link.contents.withLock { $0.sent.count } == (isDurable ? 1 : 0))
        reader.finish()
        #expect(await reader.next() == (isDurable ? 1 : nil))
    }

    @Test("A repeated act of a failed journal, which names no device, is the same one")
    func a_repeated_act_without_a_device() {
        let exchange = exchange(.watch)
        func event(_ device: UInt32?) -> DoseEvent {
            var time = DoseTime(WallTime(milliseconds: 1_767_225_600_000))
            time.device = device
            return DoseEvent(
                id: DoseEventID(rawValue: 1), medication: MedicationID(rawValue: 7), planned: nil,
                status: .taken, time: time)
        }
        func isRecorded(_ device: UInt32?) -> Bool {
            if case .success = add([event(device)], to: exchange) { true } else { false }
        }
        #expect(isRecorded(5) && isRecorded(nil) && isRecorded(5))
        #expect(!isRecorded(6), "another device drew the same identity")
        #expect(ledger.ledger.digests().reduce(0) { $0 + $1.count } == 1)
    }

    @Test("A record that was cancelled makes a comparison due, and a call (D-6)")
    func a_cancelled_record() throws {
        for role in [DeviceRole.phone, .watch] {
            for outcome in [Outcome.cancelled, .unknown] {
                let link = KeepingLink()
                let exchange = LedgerExchange(DeviceLedger(role, FaultyLedger(), worker))
                exchange.begin(link, with: PairingID(rawValue: 1))
                worker.run()
                link.answer(.equal)
                _ = add([.numbered(1)], to: exchange)
                let asked = link.questions().count
                exchange.settled(KeepingLink.record(1), outcome)
                worker.run()
                #expect(link.questions().count == asked + 1, "\(role), \(outcome)")
                let digest = try exchange.store.digest()
                switch link.questions().last {
                case .compare(let sent, _, at: _): #expect(role == .phone && sent == digest)
                case .call: #expect(role == .watch)
                default: Issue.record("\(role), \(outcome): no question")
                }
            }
        }
    }

    @Test func a_device_without_a_session_opens_its_journal_again() {
        let exchange = LedgerExchange(DeviceLedger(.watch, ledger, worker))
        _ = add([.numbered(1)], to: exchange)
        #expect(ledger.faults.withLock { $0.reopenings } == 1)
        exchange.begin(link, with: PairingID(rawValue: 1))
        _ = add([.numbered(2)], to: exchange)
        #expect(ledger.faults.withLock { $0.reopenings } == 1)
    }

    /// Shows D-6.
    @Test func a_reopened_journal_frees_the_places_under_way() throws {
        let exchange = exchange(.phone)
        // Of an act of so many events all belong to the backlog, which leaves places for new ones.
        let first = (1...100).map { DoseEvent.numbered(UInt128($0)) }
        _ = add(first, to: exchange)
        #expect(link.contents.withLock { $0.sent.count } == 48)
        // The records of the failed commit are gone, and none of them is ever settled.
        exchange.journalReopened()
        worker.run()
        #expect(exchange.state.withLock { $0.underWay.isEmpty && $0.backlog.isEmpty })
        let digest = try ledger.digest()
        #expect(link.questions().last?.digest == digest)
    }

    @Test func a_session_reports_that_its_journal_was_opened_again() async throws {
        let folder = try Folder()
        let (phone, watch) = try await pairOfSessions(
            folder, tables: ["CREATE TABLE seen(byte INTEGER UNIQUE)"])
        watch.apply(UserInfo.self) { info, transaction in
            transaction.run("INSERT INTO seen VALUES(?)", .integer(Int64(info.value.bytes[0])))
        }
        watch.ledger.exchanges[0].state.withLock { $0.underWay[KeepingLink.record(9)] = 9 }
        // The second statement fails, and the journal with it.
        for _ in 0..<2 { _ = try await phone.send(UserInfo([1])).outcome() }
        #expect(watch.ledger.exchanges[0].state.withLock { $0.underWay.isEmpty })
        await phone.close()
        await watch.close()
    }

    /// Shows D-12, D-20.
    @Test func a_watch_calls_when_its_journal_was_opened_again() {
        let exchange = exchange(.watch)
        #expect(link.questions().isEmpty)
        exchange.journalReopened()
        worker.run()
        #expect(link.questions() == [.call])
    }

    // MARK: Events of the other device

    /// Shows D-4.
    @Test func an_event_counts_only_if_the_session_took_the_answer() async throws {
        let exchange = exchange(.phone)
        let reader = exchange.ledger.changes()
        link.contents.withLock { $0.isOpen = false }
        exchange.receive(try arrival(.numbered(1)), at: .zero)
        worker.run()
        reader.finish()
        #expect(await reader.next() == nil)
    }

    @Test func an_event_is_published_only_if_it_is_durable() async throws {
        let exchange = exchange(.phone)
        let reader = exchange.ledger.changes()
        ledger.faults.withLock { $0.writing = true }
        exchange.receive(try arrival(.numbered(1)), at: .zero)
        worker.run()
        ledger.faults.withLock { $0.writing = false }
        exchange.receive(try arrival(.numbered(2), 2), at: .zero)
        worker.run()
        reader.finish()
        #expect(await reader.next() == 2)
        #expect(await reader.next() == nil)
    }

    /// The session has no answer to lose: it does not deliver the event again.
    @Test(arguments: [true, false])
    func an_event_of_a_failed_commit_is_published_if_it_is_durable(
        _ isDurable: Bool
    ) async throws {
        let exchange = exchange(.phone)
        let reader = exchange.ledger.changes()
        ledger.faults.withLock { faults in
            faults.writing = true
            faults.keepsFailed = isDurable
        }
        exchange.receive(try arrival(.numbered(1)), at: .zero)
        worker.run()
        ledger.faults.withLock { $0.writing = false }
        exchange.journalReopened()
        worker.run()
        // Delivered again, it is published once at most.
        exchange.receive(try arrival(.numbered(1)), at: .zero)
        worker.run()
        reader.finish()
        #expect(await reader.next() == 1)
        #expect(await reader.next() == nil)
    }

    /// Shows D-4.
    @Test func an_event_waits_while_the_ledger_cannot_be_read() throws {
        let exchange = exchange(.phone)
        link.answer(.equal)
        worker.run()
        ledger.faults.withLock { $0.reading = true }
        exchange.receive(try arrival(.numbered(1)), at: .zero)
        worker.run()
        #expect(link.contents.withLock { $0.applied.isEmpty && $0.rejected.isEmpty })
        #expect(worker.pass() == 1 && link.contents.withLock { $0.applied.isEmpty })
        ledger.faults.withLock { $0.reading = false }
        worker.pass()
        #expect(link.contents.withLock { $0.applied.count } == 1)
        // The other device may have lost the event since it sent it.
        let digest = try ledger.digest()
        #expect(link.questions().last?.digest == digest)
    }

    /// It came in a former period: the other device may have lost it since then. Shows D-4, D-11.
    @Test func an_event_that_waited_for_the_ledger_is_sent_back_if_it_lacks_there() throws {
        let exchange = exchange(.phone)
        link.answer(.equal)
        worker.run()
        ledger.faults.withLock { $0.reading = true }
        exchange.receive(try arrival(.numbered(1)), at: .zero)
        worker.run()
        exchange.reachable(false)
        exchange.reachable(true)
        worker.run()
        ledger.faults.withLock { $0.reading = false }
        worker.pass()
        link.answer(.digests([UInt32](repeating: 0, count: 16)))
        worker.run()
        #expect(link.identities() == [1])
    }

    @Test func of_the_events_that_the_other_device_has_the_newest_are_known() {
        let exchange = exchange(.watch)
        exchange.state.withLock { state in
            for identity in 1...1_025 as ClosedRange<UInt128> { state.holds(identity) }
            // The first one came again, and then once more.
            for _ in 0..<3 { state.holds(1) }
            state.sendMissing([1, 2, 3, 1_025])
            #expect(state.backlog.count == 1 && state.backlog.first() == 2)
        }
    }

    @Test func an_event_that_is_durable_after_a_failure_is_published_once() async throws {
        let exchange = exchange(.phone)
        let reader = exchange.ledger.changes()
        ledger.faults.withLock { faults in
            faults.writing = true
            faults.keepsFailed = true
        }
        exchange.receive(try arrival(.numbered(1)), at: .zero)
        worker.run()
        ledger.faults.withLock { $0.writing = false }
        exchange.journalReopened()
        // The journal delivers it again, as its answer was not durable.
        exchange.receive(try arrival(.numbered(1), 2), at: .zero)
        worker.run()
        reader.finish()
        #expect(await reader.next() == 1)
        #expect(await reader.next() == nil)
    }

    @Test func a_repeated_event_of_a_failed_commit_is_published_once() async {
        let exchange = LedgerExchange(DeviceLedger(.watch, ledger, worker))
        let reader = exchange.ledger.changes()
        ledger.faults.withLock { $0.writing = true }
        _ = add([.numbered(1)], to: exchange)
        ledger.faults.withLock { $0.writing = false }
        _ = add([.numbered(1)], to: exchange)
        reader.finish()
        #expect(await reader.next() == 1)
        #expect(await reader.next() == nil)
    }

    /// Shows D-4, D-16.
    @Test("Another event of a known identity is rejected (rule 1 of doses)")
    func another_form_of_an_event_is_rejected() throws {
        let exchange = exchange(.phone)
        exchange.receive(try arrival(.numbered(1)), at: .zero)
        exchange.receive(try arrival(.numbered(1, medication: 9), 2), at: .zero)
        worker.run()
        #expect(link.contents.withLock { $0.applied.count } == 1)
        #expect(link.contents.withLock { $0.rejected } == [65_533])
    }

    @Test func a_reader_opened_after_the_end_ends() async {
        let exchange = exchange(.phone)
        exchange.ledger.finish()
        #expect(await exchange.ledger.changes().next() == nil)
    }
}
