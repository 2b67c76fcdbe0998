import Locks
import Testing
import WatchProtoCore

@testable import WatchProto
@testable import WatchProtoJournal

/// A phone's ledger with exchanges with two watches at once.
@Suite(.timeLimit(.minutes(1))) struct SeveralExchangesTests {
    private let worker = ManualWorker()
    private let ledger = FaultyLedger()
    private let phone: DeviceLedger
    private let links = [KeepingLink(), KeepingLink()]
    private let exchanges: [LedgerExchange]

    init() {
        phone = DeviceLedger(.phone, ledger, worker)
        exchanges = [LedgerExchange(phone), LedgerExchange(phone)]
        for (place, exchange) in exchanges.enumerated() {
            exchange.begin(links[place], with: PairingID(rawValue: UInt128(place + 1)))
        }
        worker.run()
    }

    /// The identities of the events that were sent to a watch.
    private func sent(to watch: Int) -> [UInt128] {
        links[watch].identities()
    }

    private func receive(_ numbers: ClosedRange<Int>, from watch: Int) throws {
        for number in numbers {
            let payload = try DoseEvent.numbered(UInt128(number)).encoded()
            exchanges[watch].receive(
                InboundRecord(
                    id: KeepingLink.record(number), kind: .doseEvent, key: nil, payload: payload),
                at: .zero)
        }
        worker.run()
    }

    private func answer(_ reply: LedgerReply, from watch: Int) {
        links[watch].answer(reply)
        worker.run()
    }

    @Test func an_act_goes_to_every_watch() {
        phone.add([.numbered(1)]) { _ in }
        worker.run()
        #expect(sent(to: 0) == [1] && sent(to: 1) == [1])
    }

    @Test("A new event of one watch goes to the other one, and not back (D-22)")
    func noEcho() throws {
        try receive(1...1, from: 0)
        #expect(sent(to: 0).isEmpty && sent(to: 1) == [1])
        // The other watch has it already: nothing is new.
        try receive(1...1, from: 1)
        #expect(sent(to: 0).isEmpty && sent(to: 1) == [1])
    }

    @Test("An event goes to the other watch when it is durable (D-22)") func durable() throws {
        ledger.faults.withLock { faults in
            faults.writing = true
            faults.keepsFailed = true
        }
        try receive(1...1, from: 0)
        #expect(sent(to: 1).isEmpty)
        ledger.faults.withLock { $0.writing = false }
        exchanges[0].journalReopened()
        worker.run()
        #expect(sent(to: 0).isEmpty && sent(to: 1) == [1])
    }

    @Test("An act goes before the events of years that another watch brings (D-22)")
    func years() throws {
        try receive(1...1_000, from: 0)
        phone.add([.numbered(5_000)]) { _ in }
        worker.run()
        #expect(sent(to: 1).count == 64)
        for number in 1...40 { exchanges[1].settled(KeepingLink.record(number), .applied) }
        worker.run()
        #expect(sent(to: 1).contains(5_000))
        #expect(exchanges[1].state.withLock { $0.backlog.count } > 800)
    }

    @Test("A tap goes before the doses of a file, and before those of a large act (D-22)")
    func file() throws {
        var events = EncodedEvents()
        for number in 1...1_000 { events.append(try DoseEvent.numbered(UInt128(number)).encoded()) }
        phone.add(events, isPartial: false) { _ in }
        worker.run()
        #expect(sent(to: 0).count == 48)
        phone.add([.numbered(5_000)]) { _ in }
        worker.run()
        #expect(sent(to: 0).last == 5_000 && sent(to: 1).last == 5_000)
        // Of an act of 64 events all are fresh, and go before the rest of the file.
        phone.add((6_001...6_065).map { DoseEvent.numbered(UInt128($0)) }) { _ in }
        phone.add((7_001...7_064).map { DoseEvent.numbered(UInt128($0)) }) { _ in }
        worker.run()
        for watch in 0...1 {
            #expect(Array(sent(to: watch).suffix(15)) == (7_001...7_015).map { UInt128($0) })
            let (fresh, rest) = exchanges[watch].state.withLock {
                ($0.fresh.count, $0.backlog.count)
            }
            #expect(fresh == 64 - 15 && rest == 1_000 - 48 + 65)
        }
    }

    @Test func the_period_of_one_watch_leaves_the_other_comparison() throws {
        try receive(1...1, from: 0)
        exchanges[1].settled(KeepingLink.record(1), .applied)
        exchanges[1].reachable(true)
        worker.run()
        let asked = links[1].questions().count
        exchanges[0].reachable(false)
        exchanges[0].reachable(true)
        try links[1].answer(having: [])
        worker.run()
        // The answer of the other watch counts: it lacks the event.
        #expect(sent(to: 1) == [1, 1] && links[1].questions().count == asked)
    }

    @Test func the_end_of_one_session_leaves_the_other() throws {
        exchanges[0].end()
        phone.add([.numbered(1)]) { _ in }
        worker.run()
        #expect(sent(to: 0).isEmpty && sent(to: 1) == [1])
        #expect(!phone.isSettled)
        exchanges[1].settled(KeepingLink.record(1), .applied)
        answer(.equal, from: 1)
        #expect(phone.isSettled)
    }

    @Test func every_session_learns_of_a_failed_journal() {
        ledger.faults.withLock { $0.writing = true }
        phone.add([.numbered(1)]) { _ in }
        worker.run()
        for link in links { #expect(link.contents.withLock { $0.writes } == 1) }
        // Nobody opens the journal beside the sessions.
        #expect(ledger.faults.withLock { $0.reopenings } == 0)
    }
}
