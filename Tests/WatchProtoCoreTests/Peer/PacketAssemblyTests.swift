import Testing

@testable import WatchProtoCore

/// The packets that a peer makes of what waits: none is wasted, and no record starves.
@Suite("Packet assembly")
struct PacketAssemblyTests {
    private func connected(bytes: Int = 1200, loss: Double = 0) -> PeerPair {
        let pair = PeerPair(.datagrams(loss: loss, bytes: bytes))
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        return pair
    }

    /// A repair packet has a head, so that records which fill a datagram leave no room for it.
    @Test("Records of every length arrive in the smallest datagrams", arguments: [150...220])
    func fills(lengths: ClosedRange<Int>) throws {
        let pair = connected(bytes: 244)
        for length in lengths {
            _ = try pair.send(pair.phone, [UInt8](repeating: 1, count: length))
        }
        let isDone = pair.run { pair.watch.delivered.count == lengths.count }
        #expect(isDone, "\(pair.watch.delivered.count)")
        #expect(!pair.isSpinning)
    }

    /// A fragment without a length ends with its packet: nothing may be written behind it.
    @Test("Bulk of both directions arrives as it was sent", arguments: [244, 600, 1200, 9000])
    func exchangesBulk(bytes: Int) throws {
        let pair = connected(bytes: bytes, loss: 0.02)
        var random = SeededGenerator(seed: 1)
        let content = (0..<200_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        for side in [pair.phone, pair.watch] { _ = try pair.send(side, content, .bulk) }
        for number in 0..<100 {
            _ = try pair.send(pair.watch, [UInt8](repeating: UInt8(number), count: 900))
        }
        let isDone = pair.run {
            pair.watch.delivered.count == 1 && pair.phone.delivered.count == 101
        }
        #expect(isDone)
        for side in [pair.phone, pair.watch] {
            let isSame = side.delivered.contains { $0.payload == content }
            #expect(isSame)
        }
    }

    @Test("Long values of both directions arrive as they were sent", arguments: [244, 600, 1200])
    func exchangesLongValues(bytes: Int) throws {
        let pair = connected(bytes: bytes, loss: 0.02)
        var random = SeededGenerator(seed: 2)
        let content = (0..<6_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        for key in UInt128(1)...20 {
            for side in [pair.phone, pair.watch] { try pair.write(side, key, content) }
            pair.run(for: .milliseconds(15))
        }
        let isDone = pair.run { pair.phone.isQuiet && pair.watch.isQuiet }
        #expect(isDone)
        for side in [pair.phone, pair.watch] {
            #expect(side.delivered.count == 20)
            let isSame = side.delivered.allSatisfy { $0.payload == content }
            #expect(isSame)
        }
    }

    @Test("An acknowledgement waits for company or its time")
    func acknowledges() throws {
        let pair = connected()
        let before = (pair.phone.packetsSent.count, pair.watch.packetsSent.count)
        _ = try pair.send(pair.phone, [1])
        pair.run(for: .seconds(1))
        #expect(pair.watch.payloads == [[1]])
        // The record, its answer, and what that settles leave twice each; acknowledgements of the
        // record and of the answer join them, and only the last one leaves alone.
        #expect(pair.phone.packetsSent.count - before.0 <= 4)
        #expect(pair.watch.packetsSent.count - before.1 <= 3)
    }

    @Test("Packets that pacing delays share their repair packets")
    func shares() throws {
        let pair = connected(loss: 0.05)
        for number in 0..<400 {
            _ = try pair.send(pair.phone, [UInt8](repeating: UInt8(number & 255), count: 200))
        }
        let isDone = pair.run { pair.watch.delivered.count == 400 }
        #expect(isDone)
        let before = pair.phone.peer?.counters.repairPacketsSent ?? 0
        let packets = pair.phone.packetsSent.count
        for number in 0..<400 {
            _ = try pair.send(pair.phone, [UInt8](repeating: UInt8(number & 255), count: 200))
        }
        let isDoneAgain = pair.run { pair.watch.delivered.count == 800 }
        #expect(isDoneAgain)
        let repairs = (pair.phone.peer?.counters.repairPacketsSent ?? 0) - before
        let sent = UInt64(pair.phone.packetsSent.count - packets)
        #expect(repairs > 0 && repairs * 3 < sent, "\(repairs) of \(sent)")
    }

    /// Nothing else wakes the two. (Seed 216252, where the answer was a value that was asked for.)
    @Test("An answer that pacing delays leaves when the line is free")
    func pacedAnswer() throws {
        let pair = PeerPair.connected(.datagrams())
        let memory = PathMemory(
            bytesPerSecond: 10_000, roundTripMicroseconds: 20_000, lossPerTenThousand: 0)
        var path = PathEstimate(remembering: try #require(memory))
        path.sent(9_000, roundTrip: nil, at: pair.now)
        #expect(!path.mayLeave(isUrgent: true, inFlightBytes: 0, roundTrip: nil, at: pair.now))
        pair.watch.peer?.session?.recovery?.path = path
        pair.phone.peer?.session?.requestPing()
        pair.drain(pair.phone)
        #expect(pair.phone.peer?.session?.pingSentAt != nil)
        pair.run(for: .milliseconds(300))
        #expect(pair.phone.peer?.session?.pingSentAt != nil, "the line is busy")
        pair.run(for: .milliseconds(900))
        #expect(pair.phone.peer?.session?.pingSentAt == nil)
    }
}
