import Locks
import Testing
import WatchProtoCore
import WatchProtoJournal
import WatchProtoRecords

@testable import WatchProto

/// Checks with other devices, and the comparisons that bring new ones.
@Suite struct LedgerCheckTests {
    private let worker = ManualWorker()
    private let links = [KeepingLink(), KeepingLink()]
    private let store = FaultyLedger()
    private let pairings = [PairingID(rawValue: 1), PairingID(rawValue: 2)]

    private let clock = TestClock()

    private func ledger(_ role: DeviceRole) -> DeviceLedger {
        DeviceLedger(role, store, worker) { [clock] in clock.time.withLock { $0 } }
    }

    private func exchange(_ ledger: DeviceLedger, _ place: Int = 0) -> LedgerExchange {
        let made = LedgerExchange(ledger)
        made.begin(links[place], with: pairings[place])
        worker.run()
        return made
    }

    private func answer(_ reply: LedgerReply, _ place: Int = 0) {
        links[place].answer(reply)
        worker.run()
    }

    private func ask(_ exchange: LedgerExchange, _ digest: LedgerDigest) {
        exchange.receiveQuestion(
            InboundRecord(
                id: KeepingLink.record(1, .interactive), kind: .ledger, key: nil,
                payload: LedgerRequest.compare(
                    digest, LedgerSalt(byte: 0), at: WallTime(milliseconds: 0)
                ).bytes,
                expectsReply: true))
        worker.run()
    }

    @Test("A phone records the minute of its question (D-23)")
    func a_phone_notes_equal_ledgers() throws {
        let phone = ledger(.phone)
        _ = exchange(phone)
        #expect(try phone.lastCheck(with: [pairings[0]]) == nil)
        // The device was asleep before it used the answer.
        clock.pass(minutes: 5)
        answer(.equal)
        #expect(try phone.lastCheck(with: [pairings[0]]) == WallMinute(minutes: 100))
        #expect(links[0].contents.withLock { $0.writes } == 1)
    }

    @Test("A watch records the minute of ten seconds before the question came (D-23)")
    func a_watch_notes_equal_ledgers() throws {
        let watch = ledger(.watch)
        let exchange = exchange(watch)
        var other = LedgerDigest()
        other.insert(1)
        ask(exchange, other)
        #expect(try watch.lastCheck(with: [pairings[0]]) == nil, "the ledgers differ")
        links[0].contents.withLock { $0.replyRefusal = .notReachable }
        ask(exchange, LedgerDigest())
        #expect(try watch.lastCheck(with: [pairings[0]]) == nil, "nothing was answered")
        links[0].contents.withLock { $0.replyRefusal = nil }
        ask(exchange, LedgerDigest())
        #expect(try watch.lastCheck(with: [pairings[0]]) == WallMinute(minutes: 99))
    }

    @Test("A comparison that finds a difference is no check (D-23)")
    func different_ledgers_are_no_check() throws {
        let phone = ledger(.phone)
        store.ledger.inserted(.numbered(1), try DoseEvent.numbered(1).encoded())
        _ = exchange(phone)
        try links[0].answer(having: [])
        worker.run()
        #expect(try phone.lastCheck(with: [pairings[0]]) == nil)
    }

    @Test("The earliest check counts, and one that is missing is never")
    func several_watches() throws {
        let phone = ledger(.phone)
        for place in 0..<2 { _ = exchange(phone, place) }
        answer(.equal)
        #expect(try phone.lastCheck(with: pairings) == nil)
        _ = store.checked(pairings[1], at: WallMinute(minutes: 7))
        #expect(try phone.lastCheck(with: pairings) == WallMinute(minutes: 7))
        answer(.equal, 1)
        #expect(try phone.lastCheck(with: pairings) == WallMinute(minutes: 100))
        _ = store.removeAll()
        #expect(try phone.lastCheck(with: [pairings[0]]) == nil, "another person's ledger")
    }

    @Test("A check of a clock that was ahead never counts again (D-23)")
    func a_clock_that_was_ahead() throws {
        let phone = ledger(.phone)
        _ = exchange(phone)
        clock.pass(minutes: 120)
        answer(.equal)
        let check = WallMinute(minutes: 220)
        #expect(try phone.lastCheck(with: [pairings[0]])?.minutes ?? 0 >= 100)
        let noted = try #require(try store.checks()[pairings[0]])
        #expect(try phone.lastCheck(with: [pairings[0]]) == noted)
        // A step of a minute is the clock's own.
        _ = store.checked(pairings[0], at: check)
        clock.pass(minutes: -1)
        #expect(try phone.lastCheck(with: [pairings[0]]) == check)
        clock.pass(minutes: -119)
        _ = store.checked(pairings[0], at: check)
        #expect(try phone.lastCheck(with: [pairings[0]]) == nil)
        worker.run()
        #expect(try store.checks().isEmpty)
        clock.pass(minutes: 200)
        #expect(try phone.lastCheck(with: [pairings[0]]) == nil)
        phone.check()
        worker.run()
        answer(.equal)
        #expect(try phone.lastCheck(with: [pairings[0]]) == WallMinute(minutes: 300))
    }

    /// Answers every question of a comparison as a device with these events does.
    private func compare(having events: [DoseEvent]) throws {
        for _ in 0..<2 {
            try links[0].answer(having: events)
            worker.run()
        }
    }

    @Test("A watch that lacks nothing and has no more is asked again, eight times (D-15, D-21)")
    func the_last_difference_may_be_gone() throws {
        _ = exchange(ledger(.phone))
        for count in 1...8 {
            #expect(links[0].questions().count == 2 * count - 1)
            try links[0].answer(having: [.numbered(5)])
            worker.run()
            // The watch's event is withheld: two names may be the same.
            answer(.found(LedgerReply.Findings()))
            #expect(worker.pass() == 1)
        }
        #expect(links[0].questions().count == 16, "a ninth comparison in a row")
    }

    @Test("Two events of one identity are sent once in a period, and asked for twice (D-15, D-16)")
    func a_pair() throws {
        let phone = ledger(.phone)
        store.ledger.inserted(.numbered(5), try DoseEvent.numbered(5).encoded())
        let exchange = exchange(phone)
        let other = DoseEvent.numbered(5, medication: 9)
        try compare(having: [other])
        #expect(links[0].identities() == [5])
        exchange.settled(KeepingLink.record(1), .rejected(code: 65_533))
        worker.run()
        try compare(having: [other])
        #expect(worker.pass() == 0 && exchange.isSettled)
        #expect(links[0].identities() == [5] && links[0].questions().count == 4)
    }

    @Test("A watch that has more events calls, and is not asked (D-21)")
    func a_watch_with_more_is_not_asked() throws {
        _ = exchange(ledger(.phone))
        try compare(having: [.numbered(5)])
        #expect(worker.pass() == 0)
        #expect(links[0].questions().count == 2)
    }

    @Test("An application asks for a comparison once a minute (D-24)")
    func check_compares_anew() throws {
        let phone = ledger(.phone)
        let exchange = exchange(phone)
        for count in 1...20 {
            #expect(links[0].questions().count == count)
            answer(.equal)
            #expect(exchange.isSettled)
            phone.check()
            #expect(exchange.isSettled, "asked again in the same minute")
            clock.pass(minutes: 1)
            phone.check()
            worker.run()
        }
        answer(.equal)
        exchange.reachable(false)
        clock.pass(minutes: 1)
        phone.check()
        worker.run()
        #expect(links[0].questions().count == 21, "the watch cannot answer")
    }

    @Test("Without an answer a device asks once a minute as well (D-24)")
    func check_is_bounded() throws {
        let phone = ledger(.phone)
        _ = exchange(phone)
        for _ in 0..<50 {
            phone.check()
            try links[0].answer(having: [.numbered(5)])
            worker.run()
            answer(.found(LedgerReply.Findings()))
            worker.pass()
        }
        #expect(links[0].questions().count <= 2 * (8 + 8), "a row of D-15, and one more")
    }

    @Test("A watch calls once a minute (D-24)")
    func a_watch_calls() {
        let watch = ledger(.watch)
        _ = exchange(watch)
        #expect(links[0].questions().isEmpty)
        for _ in 0..<20 {
            watch.check()
            worker.run()
        }
        #expect(links[0].questions() == [.call])
        clock.pass(minutes: 1)
        watch.check()
        worker.run()
        #expect(links[0].questions() == [.call, .call])
    }

    @Test("A check is in the file, and goes with the ledger")
    func checks_are_durable() throws {
        let folder = try Folder()
        func open() throws -> LedgerTables {
            LedgerTables(
                try JournalFile(
                    path: folder.file("j"), options: JournalOptions(stores: [LedgerTables.schema])))
        }
        var tables = try open()
        try tables.write(tables.checked(pairings[0], at: WallMinute(minutes: 5)))
        try tables.write(tables.checked(pairings[0], at: WallMinute(minutes: 6)))
        try tables.write(tables.checked(pairings[1], at: WallMinute(minutes: -1)))
        tables.file.close()
        tables = try open()
        #expect(
            try tables.checks() == [
                pairings[0]: WallMinute(minutes: 6), pairings[1]: WallMinute(minutes: -1),
            ])
        try tables.write(tables.checked(pairings[1], at: nil))
        #expect(try tables.checks() == [pairings[0]: WallMinute(minutes: 6)])
        try tables.write(tables.removeAll())
        #expect(try tables.checks().isEmpty)
        tables.file.close()
    }
}

/// A wall clock that starts 100 minutes and 9 seconds after the beginning of 2020.
private final class TestClock: Sendable {
    let time = Mutex(
        WallTime(milliseconds: WallMinute(minutes: 100).wallTime.milliseconds + 9_000))

    func pass(minutes: Int64) {
        time.withLock { $0 = WallTime(milliseconds: $0.milliseconds + minutes * 60_000) }
    }
}
