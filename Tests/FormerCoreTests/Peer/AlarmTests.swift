import Articles
import Testing

@testable import FormerCore

/// The alarm over the oldest record that the counterpart has not committed.
@Suite struct AlarmTests {
    private func box(_ age: Duration? = .seconds(60)) -> PairInABox {
        PairInABox { $0.overdueAge = age }
    }

    @discardableResult
    private func send(_ text: String, _ box: PairInABox) throws -> RecordID {
        let id = try box.phone.peer.send(userInfo(text), at: box.now)
        box.phone.drain(at: box.now)
        return id
    }

    /// What the phone's application was told of the alarm in this life.
    private func told(_ box: PairInABox) -> [PeerEvent] {
        box.phone.host.events.filter {
            switch $0 {
            case .overdue, .overdueEnded: true
            default: false
            }
        }
    }

    @Test func it_is_raised_once_for_the_oldest_when_it_comes_of_age() throws {
        let box = box()
        let oldest = try send("a", box)
        box.advance(by: .seconds(10))
        try send("b", box)
        box.advance(by: .seconds(49))
        #expect(told(box) == [])
        box.advance(by: .seconds(1))
        #expect(told(box) == [.overdue(oldest, age: .seconds(60))])
        // The second comes of age while the alarm stands.
        box.advance(by: .seconds(600))
        #expect(told(box).count == 1)
        box.connect()
        #expect(told(box) == [.overdue(oldest, age: .seconds(60)), .overdueEnded])
        // Of a committed record nothing more is to be feared, taken over or not.
        box.watch.host.disposition = { _ in .pending }
        try send("c", box)
        box.settle()
        box.advance(by: .seconds(600))
        #expect(told(box).count == 2)
    }

    @Test func it_is_off_where_no_age_is_set() throws {
        let box = box(nil)
        try send("a", box)
        box.advance(by: .seconds(86_400))
        #expect(told(box) == [])
    }

    @Test func a_records_age_survives_a_restart() throws {
        let box = box()
        let id = try send("a", box)
        box.advance(by: .seconds(50))
        box.restart(.phone, epoch: 0x3333)
        box.phone.drain(at: box.now)
        #expect(told(box) == [])
        box.advance(by: .seconds(9))
        #expect(told(box) == [])
        box.advance(by: .seconds(1))
        #expect(told(box) == [.overdue(id, age: .seconds(60))])
        // What is overdue when the process starts is told at once, in each life.
        box.advance(by: .seconds(40))
        box.restart(.phone, epoch: 0x4444)
        box.phone.drain(at: box.now)
        #expect(told(box) == [.overdue(id, age: .seconds(100))])
    }

    @Test func a_clock_that_is_set_changes_no_age_while_the_process_runs() throws {
        let box = box()
        let id = try send("a", box)
        for days in [Int64(30), -30] {
            box.phone.peer.wallClockChanged(
                WallClock(time: WallTime(milliseconds: days * 86_400_000)), at: box.now)
            box.phone.drain(at: box.now)
        }
        #expect(told(box) == [])
        box.advance(by: .seconds(60))
        #expect(told(box) == [.overdue(id, age: .seconds(60))])
    }

    @Test func a_clock_set_back_between_two_processes_makes_nothing_younger_than_new() throws {
        let box = box()
        box.advance(by: .seconds(100))
        let id = try send("a", box)
        let fresh = BoxSide(
            box.phone.configuration, epoch: 0x3333, image: box.phone.host.image,
            clock: WallTime(milliseconds: -86_400_000), at: .zero)
        box.now = .zero
        box.phone = fresh
        box.advance(by: .seconds(60))
        #expect(told(box) == [.overdue(id, age: .seconds(60))])
    }

    @Test func what_a_wiped_counterpart_no_longer_holds_waits_again_from_its_beginning() throws {
        let box = box()
        box.connect()
        box.watch.host.disposition = { _ in .pending }
        let id = try send("a", box)
        box.settle()
        #expect(box.phone.status(of: id) == .underWay(.committed))
        box.advance(by: .seconds(100))
        #expect(told(box) == [])
        box.restart(.watch, epoch: 0x4444, keepsJournal: false)
        // The watch says hello, and then nothing it is sent arrives.
        for side in [box.phone, box.watch] {
            side.peer.activate(at: box.now)
            side.drain(at: box.now)
            side.peer.linkUp(box.carrier, at: box.now)
            side.drain(at: box.now)
        }
        box.carry(from: box.watch, to: box.phone)
        #expect(told(box) == [.overdue(id, age: .seconds(100))])
    }

    @Test func records_that_came_through_are_not_kept_behind_one_that_waits() throws {
        let box = box(.seconds(3_600))
        box.connect()
        // A file that the watch never has room for would stand in front of all that follows.
        box.watch.host.disposition = { $0.id.lane == .background ? .applied : .pending }
        for _ in 0..<2_000 {
            try send("x", box)
            box.settle()
        }
        #expect(box.phone.outstanding.isEmpty)
        box.cut()
        let id = try send("last", box)
        box.advance(by: .seconds(3_600))
        #expect(told(box) == [.overdue(id, age: .seconds(3_600))])
    }

    /// Record 2 was committed; the next greeting speaks of nothing from number 1 on.
    @Test(arguments: [false, true])
    func a_greeting_that_cannot_name_a_committed_record_does_not_unsay_it(
        firstWasCommitted: Bool
    ) throws {
        var outbox = Outbox(
            limits: Limits(), freshEpoch: EpochID(rawValue: 9), image: JournalImage())
        outbox.listedEpochs = 1
        var greeting = RecordStageTests.Bench.greeting
        _ = outbox.begin(greeting, isLossless: true)
        for _ in 1...2 {
            let id = try outbox.accept(
                userInfo("x"), isReachable: true, clock: WallTime(milliseconds: 0))
            outbox.noteAge(of: id, at: .zero)
            outbox.queuedIsDurable(id)
        }
        var numbers = NumberRanges()
        numbers.insert(firstWasCommitted ? 1...2 : 2...2)
        try outbox.receive(
            ReceiptFrame(lane: .background, stage: .committed, epochIndex: 0, numbers: numbers))
        #expect(outbox.oldestWaiting()?.id.number == (firstWasCommitted ? nil : RecordNumber(1)))
        outbox.endSession()
        greeting.knownEpochs = [
            Greeting.KnownEpoch(
                id: EpochID(rawValue: 9), receivedThrough: [1, 1, 1, 1, 1])
        ]
        _ = outbox.begin(greeting, isLossless: true)
        #expect(outbox.oldestWaiting()?.id.number == RecordNumber(1))
        var first = NumberRanges()
        first.insert(1)
        try outbox.receive(
            ReceiptFrame(lane: .background, stage: .committed, epochIndex: 0, numbers: first))
        // Who lacks a record it had lacks those above, too; a gap says nothing of them.
        let left = firstWasCommitted ? RecordNumber(2) : nil
        #expect(outbox.oldestWaiting()?.id.number == left)
    }

    // MARK: The article's table

    private func cell(_ state: String, _ input: String) throws -> String {
        let box = box()
        box.watch.host.disposition = { _ in .pending }
        if state == "raised" {
            try send("first", box)
            box.advance(by: .seconds(60))
        }
        switch input {
        case "comes of age":
            try send("another", box)
            box.advance(by: .seconds(60))
        case "committed": box.connect()
        case "taken back":
            for id in box.phone.outstanding { box.phone.peer.cancel(id, at: box.now) }
            box.phone.drain(at: box.now)
        case "restarted":
            box.restart(.phone, epoch: 0x3333)
            box.phone.drain(at: box.now)
        default: Issue.record("unknown input \(input)")
        }
        let last = told(box).last
        let now =
            switch last {
            case .overdue: "raised"
            case .overdueEnded, nil: "calm"
            default: "?"
            }
        let times = told(box).count
        if state == now { return input == "restarted" && times == 1 ? "\(now), told" : "–" }
        return "\(now), told"
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "The alarm over the oldest record",
                in: "Sources/FormerCore/FormerCore.docc/state-machines.md"))
        let inputs = ["comes of age", "committed", "taken back", "restarted"]
        #expect(table.header == ["state"] + inputs)
        let rows = try ["calm", "raised"].map { state in
            [state] + (try inputs.map { try cell(state, $0) })
        }
        #expect(table.rows == rows)
    }
}
