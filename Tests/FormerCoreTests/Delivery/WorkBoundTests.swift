import Testing
import WatchProtoRecords

@testable import FormerCore

/// What a few bytes of a counterpart make this side compute. Counted where there is something to
/// count; no test here looks at a clock.
@Suite struct WorkBoundTests {
    private func held(_ number: UInt64, after predecessor: UInt64) -> InboundLane.Held {
        let id = RecordID(
            epoch: EpochID(rawValue: 1), lane: .background, number: RecordNumber(number))
        return InboundLane.Held(
            address: RecordAddress(epochIndex: 0, number: number),
            predecessor: RecordAddress(epochIndex: 0, number: predecessor),
            record: InboundRecord(
                id: id, kind: .userInfo, key: nil, payload: [1], expectsReply: false,
                inReplyTo: nil))
    }

    @Test func a_record_held_back_is_found_once_and_by_what_it_waits_for() {
        var buffer = ReorderBuffer()
        for number in UInt64(2)...1000 { buffer.insert(held(number * 2, after: number * 2 - 2)) }
        #expect(buffer.count == 999 && buffer.bytes == 999)
        #expect(buffer.takeWaiting(on: 1, 1...5000).isEmpty)
        #expect(buffer.takeWaiting(on: 0, 1...1).isEmpty)
        #expect(buffer.takeWaiting(on: 0, 2...7).map(\.number) == [4, 6, 8])
        #expect(buffer.takeWaiting(on: 0, 1...9).map(\.number) == [10])
        #expect(buffer.takeWaiting(on: 0, 1...9).isEmpty)
        buffer.removeAll { $0.number <= 1000 }
        #expect(buffer.count == 500)
        #expect(buffer.takeWaiting(on: 0, 1...5000).map(\.number) == (501...1000).map { $0 * 2 })
    }

    @Test(arguments: UInt64(1)...20) func records_held_back_come_in_order(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [EpochRankTests.own(1)]
        inbox.begin(greeting)
        // Every third is taken back: those behind it name it all the same.
        var frames = (UInt64(1)...60).map { number in
            var head = RecordHead(
                lane: .background, address: RecordAddress(epochIndex: 0, number: number),
                kind: .userInfo)
            if number > 1 {
                head.predecessor = RecordAddress(epochIndex: 0, number: number - 1)
            }
            return RecordFrame(head: head, body: [])
        }
        while !frames.isEmpty {
            let place = Int(random.uniform(in: 0...UInt64(frames.count - 1)))
            let frame = frames.remove(at: place)
            if frame.head.address.number.isMultiple(of: 3) {
                try inbox.receive(
                    WithdrawFrame(
                        lane: .background, address: frame.head.address, isExpired: false))
            } else {
                try inbox.receive(frame)
            }
        }
        let expected = (UInt64(1)...60).filter { !$0.isMultiple(of: 3) }
        #expect(inbox.deliveries.map(\.id.number.rawValue) == expected)
        #expect(inbox.lanes[Int(Lane.background.rawValue)].held.isEmpty)
    }

    @Test func a_floor_that_moves_nothing_does_nothing() throws {
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [EpochRankTests.own(1)]
        inbox.begin(greeting)
        var moved: [Bool] = []
        for floor in [UInt64(9), 9, 5, 10] {
            moved.append(inbox.settle(.background, 0, below: floor))
        }
        #expect(moved == [true, false, false, true])
    }

    @Test func a_receipt_that_repeats_others_names_nothing_new() {
        var segment = OutboundSegment(floor: 1)
        for number in UInt64(1)...1000 {
            let id = RecordID(
                epoch: EpochID(rawValue: 1), lane: .background, number: RecordNumber(number))
            segment.append(
                OutboundItem(
                    record: OutboundRecord(id: id, draft: userInfo("x")), isDurableHere: true))
        }
        #expect(segment.reach(.received, 3...600) == [3...600])
        #expect(segment.reach(.received, 3...600).isEmpty)
        #expect(segment.reach(.received, 1...2000) == [1...2, 601...1000])
        #expect(segment.reach(.committed, 5...6) == [5...6])
        #expect(segment.reach(.committed, 1...9) == [1...4, 7...9])
        segment.forgetReached()
        #expect(segment.reach(.received, 3...600) == [3...600])
    }

    @Test(arguments: UInt64(1)...20)
    func the_lowest_unheard_settlement_is_known_and_costs_a_step_each(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = UnheardQueue()
        var waiting: [RecordID] = []
        var heard: Set<RecordID> = []
        var steps = 0
        for turn in 1...2_000 {
            if random.chance(0.6) {
                let id = RecordID(
                    epoch: EpochID(rawValue: 1), lane: .background,
                    number: RecordNumber(random.uniform(in: 1...1_000_000)))
                waiting.append(id)
                if random.chance(0.2) { heard.insert(id) }
                queue.append(id, isUnheard: !heard.contains(id)) { left, right in
                    steps += 1
                    return left.number < right.number
                }
            } else if !waiting.isEmpty {
                queue.remove(waiting.removeFirst())
            }
            if turn.isMultiple(of: 500) {
                // The counterpart has forgotten some, and knows others now.
                heard = Set(waiting.filter { _ in random.chance(0.5) })
                queue.hear {
                    !heard.contains($0)
                } isBefore: {
                    $0.number < $1.number
                }
            }
            let unheard = waiting.filter { !heard.contains($0) }
            #expect(queue.lowest?.number == unheard.map(\.number).min())
        }
        #expect(steps <= 2 * 2_000)
    }

    @Test func an_outcome_settles_its_record_where_it_stands() throws {
        var bench = try RecordStageTests.Bench()
        for _ in 1...200 {
            _ = try bench.outbox.accept(
                userInfo("x"), isReachable: true, clock: WallTime(milliseconds: 0))
        }
        // Where the records stand in memory: settling one does not move the rest.
        func place() -> UInt {
            unsafe bench.outbox.lanes[2].segments[0].items.withUnsafeBufferPointer {
                UInt(bitPattern: $0.baseAddress)
            }
        }
        let before = place()
        try bench.outbox.receive(
            OutcomeFrame(
                lane: .background, address: RecordAddress(epochIndex: 0, number: 100),
                outcome: .rejected(code: 1), further: 0))
        #expect(place() == before)
        let number = bench.outbox.lanes[2].segments[0][100]
        #expect(number?.heldOutcome == .rejected(code: 1))
    }

    /// A counterpart that gives credit and settles nothing lets values of one key pile up.
    @Test func a_newer_value_looks_at_the_one_before_it_alone() throws {
        let key = RecordKey(rawValue: 1)
        var bench = try RecordStageTests.Bench(context(1, "1"))
        func write() {
            var writer = WireWriter()
            _ = bench.outbox.writeOffer(.context, to: &writer, room: 1_000, freshRoom: 1_000)
        }
        func send(_ text: String) throws {
            let id = try bench.outbox.accept(
                context(1, text), isReachable: true, clock: WallTime(milliseconds: 0))
            bench.outbox.queuedIsDurable(id)
            bench.persist()
            write()
        }
        write()
        for text in ["2", "3"] { try send(text) }
        #expect(bench.outbox.lanes[3].keys[key]?.live.count == 3)
        // A mark that is not there any more is not set again.
        bench.outbox.lanes[3].segments[0].modify(1) { $0.isSuperseded = false }
        try send("4")
        let marks = (UInt64(1)...4).map {
            bench.outbox.lanes[3].segments[0][$0]?.isSuperseded
        }
        #expect(marks == [false, true, true, false])
        var numbers = NumberRanges()
        numbers.insert(4)
        try bench.outbox.receive(
            ReceiptFrame(lane: .context, stage: .applied, epochIndex: 0, numbers: numbers))
        bench.persist()
        #expect(bench.outbox.outstanding.isEmpty)
        #expect(bench.outbox.lanes[3].keys[key]?.live == [])
        #expect(bench.outbox.lanes[3].keys[key]?.newestPayload == Array("4".utf8))
        #expect(bench.outbox.lanes[3].keys[key]?.held?.id.number == RecordNumber(4))
    }

    @Test func sums_that_would_be_too_many_are_not_formed() throws {
        var bench = try RecordStageTests.Bench(context(0, "0"))
        for key in UInt128(1)...12 {
            _ = try bench.outbox.accept(
                context(key, "v"), isReachable: true, clock: WallTime(milliseconds: 0))
        }
        let last = RecordKey(rawValue: 12)
        let live = try #require(bench.outbox.lanes[3].keys[last]?.live.first)
        bench.outbox.lanes[3].keys.modify(last) {
            $0.live = Array(repeating: live, count: 8_192)
        }
        let explanation = bench.outbox.explanation(.context, 5, known: [])
        #expect(explanation.isFound && explanation.sums <= 4_096)
        #expect(explanation.isDoubtful, "nobody has added it up")
    }

    @Test func a_listing_is_told_by_place_and_whole_only_once() {
        func piece(_ total: Int, _ start: Int, _ keys: [UInt128]) -> HeldFrame {
            HeldFrame(
                lane: .context, total: total, start: start,
                entries: keys.map {
                    HeldFrame.Entry(
                        key: RecordKey(rawValue: $0), kind: .medication, fingerprintLow: 1)
                })
        }
        var listing = HeldListing()
        #expect(listing.take(piece(5, 3, [3, 4])) == nil)
        #expect(listing.take(piece(5, 3, [3, 4])) == nil)
        #expect(listing.told.count == 2, "what is not told yet takes no place")
        #expect(listing.take(piece(5, 0, [0])) == nil)
        #expect(listing.take(piece(5, 1, [1, 2]))?.map(\.key.rawValue) == [0, 1, 2, 3, 4])
        #expect(listing.take(piece(16_000, 1, [1])) == nil)
        #expect(listing.told.count == 1)
        #expect(listing.take(piece(0, 0, []))?.isEmpty == true)
    }

    @Test func however_often_it_is_asked_for_a_listing_is_made_once() {
        var comparison = SetComparison()
        for _ in 0..<9 { comparison.answer(.context) }
        #expect(comparison.answersDue.count == 1)
        #expect(comparison.answersDue[0].isAskedAgain == false)
        comparison.answersDue[0].entries = []
        comparison.answersDue[0].start = 7
        for _ in 0..<9 { comparison.answer(.context) }
        #expect(comparison.answersDue.count == 1 && comparison.answersDue[0].start == 7)
        comparison.answered()
        #expect(comparison.answersDue.map(\.start) == [0])
        comparison.answered()
        #expect(comparison.answersDue.isEmpty)
    }

    /// A listing of many datagrams waits for acknowledgements as records do, and stays what it was
    /// when its first piece was told.
    @Test func a_listing_on_a_datagram_carrier_keeps_to_what_may_be_in_flight() throws {
        let box = PairInABox(.bleDatagram) { $0.limits.packetsInFlight = 4 }
        box.connect()
        for key in UInt128(1)...200 {
            _ = try box.phone.peer.send(context(key, "value"), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.outstandingCount == 0)
        box.phone.peer.comparison.ask(.context)
        box.phone.drain(at: box.now)
        box.carry(from: box.phone, to: box.watch)
        #expect(box.watch.host.wire.count <= 5)
        #expect(box.watch.peer.comparison.answersDue.first?.entries?.count == 200)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.peer.comparison.answersDue.isEmpty)
    }
}

extension PairInABox {
    fileprivate var outstandingCount: Int { phone.outstanding.count + watch.outstanding.count }
}
