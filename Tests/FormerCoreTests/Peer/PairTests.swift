import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

@Suite struct PairTests {
    static let carriers: [CarrierTraits] = [.stream, .seqpacket, .lossyDatagram, .bleDatagram]

    @Test(arguments: carriers) func both_sides_become_reachable(_ carrier: CarrierTraits) {
        let box = PairInABox(carrier)
        box.connect()
        for side in [box.phone, box.watch] {
            #expect(side.activationState == .activated)
            #expect(side.isReachable)
            #expect(side.host.events.contains(.reachability(true, .heard)))
            #expect(side.host.events.contains(.counterpartChanged(.first)))
        }
        box.advance(by: .seconds(60))
        #expect(box.phone.nextDeadline == nil, "an idle link sets no timer")
    }

    @Test(arguments: carriers) func records_arrive_in_order_and_settle(_ carrier: CarrierTraits)
        throws
    {
        let box = PairInABox(carrier)
        box.connect()
        var ids: [RecordID] = []
        for number in 0..<500 {
            ids.append(try box.phone.peer.send(userInfo("item \(number)"), at: box.now))
        }
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(1))
        #expect(
            box.watch.host.delivered.map { $0.payload }
                == (0..<500).map { Array("item \($0)".utf8) })
        for id in ids { #expect(box.phone.status(of: id) == .settled(.applied)) }
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test(arguments: carriers) func a_message_is_answered(_ carrier: CarrierTraits) throws {
        let box = PairInABox(carrier)
        box.connect()
        let question = try box.phone.peer.send(
            RecordDraft(lane: .interactive, kind: .message, payload: [1], expectsReply: true),
            at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        let arrived = try #require(box.watch.host.delivered.first)
        #expect(arrived.expectsReply && arrived.payload == [1])
        _ = try box.watch.peer.send(
            RecordDraft(
                lane: .interactive, kind: .message, payload: [2], inReplyTo: arrived.id.number),
            at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        #expect(box.phone.host.delivered.first?.inReplyTo == question.number)
    }

    @Test(arguments: carriers) func the_newest_value_wins(_ carrier: CarrierTraits) throws {
        let box = PairInABox(carrier)
        for value in 0..<50 {
            _ = try box.phone.peer.send(context(7, "value \(value)"), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.connect()
        #expect(box.watch.host.delivered.map { $0.payload } == [Array("value 49".utf8)])
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test(arguments: carriers) func a_long_record_travels_in_parts(_ carrier: CarrierTraits) throws
    {
        let box = PairInABox(carrier)
        box.connect()
        let payload = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let id = try box.watch.peer.send(
            RecordDraft(lane: .bulk, kind: .file, payload: payload), at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.phone.host.delivered.first?.payload == payload)
        #expect(box.watch.status(of: id) == .settled(.applied))
    }

    @Test(arguments: carriers) func nothing_is_lost_or_repeated_when_the_link_is_cut(
        _ carrier: CarrierTraits
    ) throws {
        let box = PairInABox(carrier)
        box.connect()
        for round in 0..<20 {
            for number in 0..<10 {
                _ = try box.phone.peer.send(userInfo("\(round).\(number)"), at: box.now)
                _ = try box.watch.peer.send(userInfo("\(round).\(number)"), at: box.now)
            }
            box.phone.drain(at: box.now)
            box.watch.drain(at: box.now)
            // Only some of what is on the wire is carried over before the cut.
            box.carry(
                from: round.isMultiple(of: 2) ? box.phone : box.watch,
                to: round.isMultiple(of: 2) ? box.watch : box.phone)
            box.cut()
            box.reconnect()
        }
        box.advance(by: .seconds(30))
        let expected = (0..<20).flatMap { round in
            (0..<10).map { Array("\(round).\($0)".utf8) }
        }
        #expect(box.watch.host.delivered.map { $0.payload } == expected)
        #expect(box.phone.host.delivered.map { $0.payload } == expected)
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test(arguments: carriers) func restarts_with_a_journal_lose_nothing(
        _ carrier: CarrierTraits
    ) throws {
        let box = PairInABox(carrier)
        box.connect()
        for round in 0..<12 {
            for number in 0..<5 {
                _ = try box.phone.peer.send(userInfo("\(round).\(number)"), at: box.now)
                _ = try box.phone.peer.send(context(UInt128(number), "\(round)"), at: box.now)
            }
            box.phone.drain(at: box.now)
            if round.isMultiple(of: 3) { box.carry(from: box.phone, to: box.watch) }
            box.restart(
                round.isMultiple(of: 2) ? .phone : .watch, epoch: 0x9000 + UInt64(round))
            box.connect()
        }
        box.advance(by: .seconds(30))
        let expected = (0..<12).flatMap { round in
            (0..<5).map { Array("\(round).\($0)".utf8) }
        }
        let infos = box.watch.host.delivered.filter { $0.id.lane == .background }
        #expect(infos.map { $0.payload } == expected)
        for key in 0..<5 {
            let last = box.watch.host.delivered.last { $0.key == RecordKey(rawValue: UInt128(key)) }
            #expect(last?.payload == Array("11".utf8))
        }
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test(arguments: carriers) func a_wiped_watch_gets_everything_again(
        _ carrier: CarrierTraits
    ) throws {
        let box = PairInABox(carrier)
        box.connect()
        for key in 0..<20 {
            _ = try box.phone.peer.send(context(UInt128(key), "v\(key)"), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.delivered.count == 20)
        box.restart(.watch, epoch: 0x7777, keepsJournal: false)
        box.watch.host.delivered = []
        box.connect()
        #expect(box.phone.host.events.contains(.counterpartChanged(.lostItsState)))
        #expect(box.watch.host.delivered.count == 20)
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func a_lossy_carrier_is_repaired() throws {
        for seed in UInt64(1)...40 {
            var generator = SeededGenerator(seed: seed)
            let box = PairInABox(seed.isMultiple(of: 2) ? .lossyDatagram : .bleDatagram)
            var fates: [Bool] = []
            for _ in 0..<20_000 { fates.append(generator.chance(0.3)) }
            box.loses = { $0 < fates.count && fates[$0] }
            box.connect()
            for number in 0..<60 {
                _ = try box.phone.peer.send(userInfo("\(number)"), at: box.now)
                _ = try box.watch.peer.send(context(UInt128(number % 3), "\(number)"), at: box.now)
                box.phone.drain(at: box.now)
                box.watch.drain(at: box.now)
                box.settle()
                box.advance(by: .milliseconds(20))
            }
            box.advance(by: .seconds(120))
            #expect(
                box.watch.host.delivered.map { $0.payload } == (0..<60).map { Array("\($0)".utf8) },
                "seed \(seed)")
            #expect(box.phone.outstanding.isEmpty, "seed \(seed)")
            #expect(box.watch.outstanding.isEmpty, "seed \(seed)")
        }
    }
}
