import Testing

@testable import WatchProtoCore

@Suite("The log of packets")
struct PacketLogTests {
    private struct Name: Hashable {
        var session: PacketLog.Session
        var number: UInt64
    }

    private func logging(_ conditions: PeerPair.Conditions, limit: Int = 1000) -> PeerPair {
        let pair = PeerPair(conditions)
        for side in [pair.phone, pair.watch] {
            side.peer?.packetLog = PacketLog(limit: limit, at: pair.now)
        }
        return pair
    }

    private func log(_ side: PeerPair.Side) throws -> PacketLog {
        let log = side.peer?.packetLog
        return try #require(log)
    }

    private func sent(_ log: PacketLog) -> [Name] {
        log.sent.map { Name(session: log.sessions[$0.session], number: $0.number) }
    }

    private func arrived(_ log: PacketLog) -> [Name] {
        log.arrivals.map { Name(session: log.sessions[$0.session], number: $0.number) }
    }

    @Test("Without a request nothing is kept")
    func nothing() throws {
        let pair = PeerPair()
        pair.activate()
        _ = try pair.send(pair.phone, [1])
        #expect(pair.run { pair.phone.isQuiet })
        let log = pair.phone.peer?.packetLog
        #expect(log?.limit == nil)
    }

    @Test("Both sides name a packet alike", arguments: [false, true])
    func bothSides(isLossy: Bool) throws {
        let pair = logging(isLossy ? .datagrams() : .init())
        let early = try pair.send(pair.phone, [1])
        pair.activate()
        #expect(pair.run { pair.isActive && pair.phone.isQuiet })
        let id = try pair.send(pair.phone, [2])
        let moment = pair.now
        let value = try pair.write(pair.phone, 7, [3])
        #expect(pair.run { pair.phone.isQuiet })
        pair.run(for: .seconds(1))
        let (phone, watch) = (try log(pair.phone), try log(pair.watch))
        #expect(sent(phone) == arrived(watch) && sent(watch) == arrived(phone))
        #expect(phone.omitted == 0 && !watch.sent.isEmpty && watch.carried.isEmpty)
        #expect(phone.sessions.contains { $0.receiver == nil }, "early packets")
        #expect(phone.carried.map { $0.record } == [early, id, value])
        #expect(phone.carried.allSatisfy { $0.offset == nil })
        let packet = phone.sent[phone.carried[1].packet]
        #expect(packet.at == moment && packet.frames.contains(.record))
        #expect(pair.phone.packetsSent.contains(packet.bytes))
        #expect(watch.sent.contains { $0.frames.contains(.acknowledgement) })
        #expect(watch.sent.contains { $0.frames.contains(.ack) } == isLossy)
    }

    @Test("A fragment is logged with its offset")
    func fragments() throws {
        let pair = logging(.datagrams(bytes: 244))
        pair.activate()
        #expect(pair.run { pair.isActive })
        _ = try pair.send(pair.phone, [UInt8](repeating: 1, count: 1000))
        #expect(pair.run { pair.phone.isQuiet })
        let offsets = try log(pair.phone).carried.map { $0.offset }
        #expect(offsets.first == 0 && offsets.count > 4)
        #expect(offsets.compactMap { $0 }.max() ?? 0 > 600)
    }

    @Test("A ticket answer that is not acknowledged yet fills no packets of its own")
    func ticketAnswer() throws {
        let pair = PeerPair(.datagrams())
        pair.activate()
        #expect(pair.run { pair.isActive })
        pair.run(for: .seconds(1))
        let backup = pair.phone.image
        for _ in 0..<2 {
            pair.crash(pair.phone)
            #expect(pair.run { pair.isActive })
            pair.run(for: .seconds(1))
        }
        pair.restore(pair.phone, backup)
        pair.phone.peer?.packetLog = PacketLog(limit: 1000, at: pair.now)
        #expect(pair.run { pair.isActive })
        pair.run(for: .seconds(1))
        let packets = try log(pair.phone).sent
        #expect(packets.contains { $0.frames.contains(.ticketAnswer) })
        #expect(packets.count { $0.frames == [.ticketAnswer] } <= 2)
    }

    @Test("Lines that find no room are counted")
    func limit() throws {
        let pair = logging(.datagrams(), limit: 2)
        pair.activate()
        #expect(pair.run { pair.isActive })
        for number in 0..<6 as Range<UInt8> {
            _ = try pair.send(pair.phone, [number])
            pair.run(for: .milliseconds(100))
        }
        let log = try log(pair.phone)
        #expect(log.sent.count == 2 && log.arrivals.count == 2 && log.carried.count <= 2)
        #expect(log.omitted >= 8 && pair.watch.payloads.count == 6)
    }
}
