import Testing
import WatchSecurity

@testable import FormerCore

/// The list of packets that a peer keeps where its host asks for one.
@Suite struct PacketLogTests {
    private static func pair(_ carrier: CarrierTraits, limit: Int = 1000) -> PairInABox {
        let box = PairInABox(carrier)
        box.connect()
        for side in [box.phone, box.watch] { side.log = PacketLog(limit: limit, at: box.now) }
        return box
    }

    private struct Name: Hashable {
        var session: PacketLog.Session
        var number: UInt64
    }

    private static func sent(_ log: PacketLog) -> [Name] {
        log.sent.map { Name(session: log.sessions[Int($0.session)], number: $0.number) }
    }

    private static func arrived(_ log: PacketLog) -> [Name] {
        log.arrivals.map { Name(session: log.sessions[Int($0.session)], number: $0.number) }
    }

    @Test func nothing_is_kept_unless_it_is_asked_for() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        try box.send([userInfo("one")])
        #expect(box.phone.log == nil && box.watch.log == nil)
    }

    @Test(arguments: [.stream, .seqpacket, .lossyDatagram] as [CarrierTraits])
    func both_sides_call_a_packet_alike(_ carrier: CarrierTraits) throws {
        let box = Self.pair(carrier)
        var lengths: [Int] = []
        box.arrivals = { role, bytes in
            if role == .phone { lengths.append(bytes.count) }
            return [bytes]
        }
        box.advance(by: .milliseconds(5))
        let id = try box.phone.send(userInfo("one"), at: box.now)
        let moment = box.now
        box.phone.drain(at: box.now)
        box.settle()
        try box.send([context(1, "two"), context(2, "three")])
        box.advance(by: .seconds(1))
        let (phone, watch) = (try #require(box.phone.log), try #require(box.watch.log))
        #expect(phone.sent.count >= 2 && watch.sent.count >= 1)
        #expect(Self.sent(phone) == Self.arrived(watch))
        #expect(Self.sent(watch) == Self.arrived(phone))
        #expect(phone.omitted == 0 && watch.omitted == 0)
        #expect(phone.sent.map { Int($0.bytes) } == lengths)
        let first = try #require(phone.sent.first)
        #expect(first.at == moment && first.frames.names.contains("record"))
        #expect(watch.arrivals.first?.at == moment)
        let record = try #require(phone.carried.first)
        #expect(phone.epochs[Int(record.epoch)] == id.epoch)
        #expect(record.lane == id.lane && record.number == id.number.rawValue)
        #expect(record.packet == 0 && record.offset == -1)
        #expect(phone.carried.count == 3)
        #expect(watch.sent.contains { $0.frames.contains(.receipt) } && watch.carried.isEmpty)
        let acks = watch.sent.contains { $0.frames.contains(.ack) }
        #expect(acks == carrier.isLossy)
    }

    @Test func a_record_that_was_lost_stands_in_two_packets() throws {
        let box = Self.pair(.lossyDatagram)
        let lost = box.carried + 1
        box.loses = { $0 == lost }
        try box.send([userInfo("one")])
        box.advance(by: .seconds(5))
        #expect(box.watch.texts == ["one"])
        let (phone, watch) = (try #require(box.phone.log), try #require(box.watch.log))
        let missing = Set(Self.sent(phone)).subtracting(Self.arrived(watch))
        #expect(missing == [try #require(Self.sent(phone).first)])
        #expect(phone.carried.count == 2)
        #expect(Set(phone.carried.map(\.packet)).count == 2)
        #expect(Set(phone.carried.map(\.number)).count == 1)
    }

    @Test func a_packet_that_comes_twice_stands_there_twice() throws {
        let box = Self.pair(.lossyDatagram)
        box.arrivals = { role, bytes in role == .phone ? [bytes, bytes] : [bytes] }
        try box.send([userInfo("one")])
        let (phone, watch) = (try #require(box.phone.log), try #require(box.watch.log))
        #expect(Self.arrived(watch) == Self.sent(phone).flatMap { [$0, $0] })
    }

    @Test func early_packets_have_a_session_of_their_own() throws {
        for carrier in earlyCarriers {
            let box = try SealedPair.apart(carrier)
            for side in [box.phone, box.watch] { side.log = PacketLog(limit: 1000, at: box.now) }
            _ = try box.send(userInfo("early"), from: .phone)
            box.open()
            box.goOn(for: .seconds(5))
            let (phone, watch) = (try #require(box.phone.log), try #require(box.watch.log))
            let early = Self.sent(phone).filter { $0.session.receiver == 0 }
            #expect(early.map(\.number) == Array(0..<box.phone.counters.earlyPacketsSent))
            #expect(!early.isEmpty && phone.carried.first?.packet == 0)
            #expect(Set(Self.sent(phone)) == Set(Self.arrived(watch)))
            #expect(phone.sessions.count >= 3, "early, and both ways of the session")
        }
    }

    @Test func what_finds_no_room_is_counted() throws {
        let box = Self.pair(.lossyDatagram, limit: 2)
        for number in 0..<6 {
            try box.send([userInfo("\(number)")])
            box.advance(by: .milliseconds(100))
        }
        let log = try #require(box.phone.log)
        #expect(log.sent.count == 2 && log.arrivals.count == 2 && log.carried.count <= 2)
        #expect(log.omitted >= 8)
        #expect(box.watch.texts.count == 6)
    }

    @Test func pages_are_the_whole_in_parts() throws {
        let box = Self.pair(.stream)
        for number in 0..<10 { try box.send([userInfo("\(number)"), context(1, "\(number)")]) }
        let log = try #require(box.phone.log)
        #expect(log.sent.count >= 10 && log.carried.count == 20)
        for limit in [1, 3, 7, 1000] {
            var (sent, arrivals, carried) = (
                [PacketLog.Sent](), [PacketLog.Arrival](), [PacketLog.Carried]()
            )
            var next: Int? = 0
            while let first = next {
                let page = log.page(from: first, limit: limit)
                #expect(page.sent.count <= limit && page.arrivals.count <= limit)
                sent += page.sent
                arrivals += page.arrivals
                carried += page.carried
                next = page.next
                #expect(next ?? .max > first)
            }
            #expect(sent == log.sent && arrivals == log.arrivals && carried == log.carried)
        }
        let beyond = log.page(from: 1000, limit: 5)
        #expect(beyond.sent.isEmpty && beyond.carried.isEmpty && beyond.next == nil)
    }

    @Test func each_type_of_frame_has_its_own_place_and_name() {
        for type in FrameType.allCases where type != .furtherPart {
            var kinds = FrameKinds()
            kinds.insert(type)
            #expect(kinds.names == [type.name])
        }
        var kinds = FrameKinds()
        kinds.insert(.furtherPart)
        #expect(kinds.names == ["part"])
        #expect(Set(FrameType.allCases.map(\.name)).count == FrameType.allCases.count)
    }
}

extension SideInABox {
    fileprivate var log: PacketLog? {
        get { peer.packetLog }
        set { peer.packetLog = newValue }
    }
}
