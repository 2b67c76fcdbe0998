import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A receiver whose journal is slower than the link holds its sender back: what it has taken and
/// not written is bounded.
@Suite struct SlowJournalTests {
    private func offer(_ count: Int, of bytes: Int, in lane: Lane, _ box: PairInABox) throws {
        for number in 0..<count {
            var draft = RecordDraft(
                lane: lane, kind: .opaque,
                payload: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes))
            if lane == .context { draft.key = RecordKey(rawValue: UInt128(number)) }
            _ = try box.phone.send(draft, at: box.now)
        }
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
    }

    private func taken(_ box: PairInABox) -> (records: Int, bytes: Int) {
        let payloads = box.watch.host.delivered.map(\.payload.count)
        return (payloads.count, payloads.reduce(0, +))
    }

    private func goOn(_ box: PairInABox) {
        box.watch.commitsAtOnce = true
        box.watch.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(30))
    }

    @Test(
        arguments: [CarrierTraits.stream, .lossyDatagram],
        [
            (Lane.background, 3_000, 100), (.background, 150, 20_000), (.context, 3_000, 100),
            (.context, 150, 12_000), (.bulk, 100, 10), (.bulk, 4, 700_000),
        ])
    func a_window_is_all_that_waits_for_the_journal(
        _ carrier: CarrierTraits, _ offered: (lane: Lane, records: Int, bytes: Int)
    ) throws {
        let box = PairInABox(carrier)
        box.connect()
        box.watch.commitsAtOnce = false
        try offer(offered.records, of: offered.bytes, in: offered.lane, box)
        let traits = offered.lane.traits
        #expect(taken(box).records <= traits.offerWindow)
        // A record in parts is whole when its last one comes.
        #expect(taken(box).bytes <= traits.byteWindow + offered.bytes)
        #expect(taken(box).records > 0 && taken(box).records < offered.records)
        #expect(box.phone.activationState == .activated)
        goOn(box)
        #expect(taken(box).records == offered.records)
        #expect(box.phone.outstanding.isEmpty)
    }

    /// Each greeting gives a whole window: what former sessions left counts all the same.
    @Test(arguments: [CarrierTraits.stream, .lossyDatagram])
    func sessions_do_not_add_up(_ carrier: CarrierTraits) throws {
        let box = PairInABox(carrier)
        box.connect()
        box.watch.commitsAtOnce = false
        try offer(6_000, of: 10, in: .background, box)
        for _ in 1...6 {
            box.cut()
            box.reconnect()
            box.advance(by: .seconds(5))
        }
        #expect(taken(box).records <= 2 * Lane.background.traits.offerWindow)
        goOn(box)
        #expect(box.watch.host.delivered.map(\.id.number.rawValue) == Array(1...6_000))
        #expect(box.phone.outstanding.isEmpty)
    }

    /// Packets get lost and come twice, so that the two sides count differently.
    @Test(arguments: UInt64(1)...8) func an_honest_sender_is_never_at_fault(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.arrivals = { _, packet in
            random.chance(0.1) ? [] : random.chance(0.1) ? [packet, packet] : [packet]
        }
        for round in 0..<12 {
            box.watch.commitsAtOnce = !round.isMultiple(of: 3)
            box.watch.drain(at: box.now)
            try offer(600, of: 10, in: .background, box)
            try offer(8, of: 40_000, in: .bulk, box)
            box.settle()
        }
        goOn(box)
        box.advance(by: .seconds(60))
        #expect(box.phone.outstanding.isEmpty)
        #expect(taken(box).records == 12 * 608)
        let ends = (box.watch.host.events + box.phone.host.events).filter {
            if case .linkClosed(.violation) = $0 { true } else { false }
        }
        #expect(ends.isEmpty)
    }

    // MARK: One that does not keep to it

    private func inbox() throws -> Inbox {
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [EpochRankTests.own(1)]
        inbox.begin(greeting)
        return inbox
    }

    @Test func records_beyond_all_credit_are_not_taken_and_close_the_link() throws {
        var inbox = try inbox()
        #expect(throws: WireError.self) {
            for number in UInt64(1)...20_000 {
                let head = RecordHead(
                    lane: .background, address: RecordAddress(epochIndex: 0, number: number),
                    kind: .userInfo)
                try inbox.receive(RecordFrame(head: head, body: [1]))
                // Floors that follow at once free nothing.
                if number > 1 {
                    try inbox.receive(
                        FloorFrame(
                            lane: .background,
                            floor: RecordAddress(epochIndex: 0, number: number - 1)))
                }
            }
        }
        #expect(inbox.deliveries.count == 2 * Lane.background.traits.offerWindow)
    }

    @Test func floors_go_to_the_journal_one_at_a_time() throws {
        var inbox = try inbox()
        let first = RecordHead(
            lane: .background, address: RecordAddress(epochIndex: 0, number: 1), kind: .userInfo)
        try inbox.receive(RecordFrame(head: first, body: [1]))
        inbox.disposed(inbox.deliveries.removeFirst(), .applied)
        for floor in UInt64(2)...5_000 {
            try inbox.receive(
                FloorFrame(
                    lane: .background, floor: RecordAddress(epochIndex: 0, number: floor)))
        }
        var floors: [UInt64] = []
        while !inbox.commitActions.isEmpty {
            for entry in inbox.entries {
                if case .counterpartFloor(_, _, let floor) = entry { floors.append(floor.rawValue) }
            }
            inbox.entries = []
            let actions = inbox.commitActions
            inbox.commitActions = []
            for action in actions { inbox.committed(action) }
        }
        #expect(floors == [3, 5_000], "one below the second moved nothing")
    }

    @Test func what_is_taken_back_faster_than_it_is_written_closes_the_link() throws {
        var inbox = try inbox()
        #expect(throws: WireError.self) {
            for number in UInt64(1)...20_000 {
                try inbox.receive(
                    WithdrawFrame(
                        lane: .background, address: RecordAddress(epochIndex: 0, number: number),
                        isExpired: false))
            }
        }
        #expect(inbox.commitActions.count == Limits().exceptions)
    }
}
