import Testing

@testable import WatchProtoCore

/// Packets that come late on a carrier that reorders are not lost (RFC 8985, 6.2). Without the
/// window, each of the 72 packets of one record was once sent some 290 times.
@Suite struct ReorderingTests {
    private var recovery = LossRecovery<TestReference>(
        limits: Limits(), initialTimeout: .seconds(1), sendInterval: .zero)
    private static let window: Duration = .milliseconds(90)

    private func moment(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    private func ack(_ numbers: [ClosedRange<UInt64>]) -> AckFrame {
        var packets = NumberRanges()
        for range in numbers { packets.insert(range) }
        return AckFrame(packets: packets, delayMicroseconds: 0)
    }

    private mutating func send(_ count: Int, at now: Instant) {
        for _ in 0..<count {
            recovery.sent([.plain(recovery.nextNumber)], at: now)
        }
    }

    /// Packets 0 to 9; 9 arrives at once, and seven count as lost, but arrive after 80 ms.
    private mutating func comeLate() throws {
        send(10, at: moment(0))
        let (acknowledged, lost) = try recovery.acknowledged(ack([9...9]), at: moment(2))
        #expect(acknowledged.count == 1 && lost.count == 7)
        #expect(recovery.reorderingWindow == .zero)
        _ = try recovery.acknowledged(ack([0...9]), at: moment(80))
        #expect(recovery.reorderingWindow == Self.window)
        #expect(recovery.lossDeadline == nil)
    }

    @Test("Packets that may be late get as much time as the late ones took")
    mutating func packetsThatMayBeLateGetAsMuch() throws {
        try comeLate()
        send(10, at: moment(100))
        let (_, lost) = try recovery.acknowledged(ack([19...19]), at: moment(101))
        #expect(lost.isEmpty)
        let deadline = moment(100).advanced(by: Self.window)
        #expect(recovery.lossDeadline == deadline)
        #expect(recovery.expire(at: moment(189)).isEmpty)
        // The packets that three later ones passed, and the two in front of 19: the window exceeds
        // a round trip and an eighth (RFC 9002, 6.1.2).
        #expect(recovery.expire(at: deadline).count == 9)
        #expect(recovery.lossDeadline == nil)
    }

    @Test("A late packet within the reordering window is not declared lost")
    mutating func aLatePacketWithinTheReorderingWindowIs() throws {
        try comeLate()
        send(10, at: moment(100))
        _ = try recovery.acknowledged(ack([19...19]), at: moment(101))
        let (acknowledged, lost) = try recovery.acknowledged(ack([10...19]), at: moment(150))
        #expect(acknowledged.count == 9 && lost.isEmpty)
        #expect(recovery.lostPackets == 7)
    }

    @Test("Sixteen true losses in a row halve the reordering window")
    mutating func sixteenTrueLossesInARowHalveThe() throws {
        try comeLate()
        var now: UInt64 = 100
        for _ in 0..<16 {
            let first = recovery.nextNumber
            send(10, at: moment(now))
            _ = try recovery.acknowledged(ack([(first + 7)...(first + 9)]), at: moment(now + 1))
            _ = recovery.expire(at: moment(now + 100))
            now += 1000
        }
        #expect(recovery.reorderingWindow == .zero)
    }

    /// Lost acknowledgements once raised the time-out of a link of 200 ms to 4 s.
    @Test("A lost acknowledgement opens no reordering window")
    mutating func aLostAcknowledgementOpensNoReorderingWindow() throws {
        var now: UInt64 = 0
        for _ in 0..<20 {
            send(1, at: moment(now))
            _ = try recovery.acknowledged(
                ack([0...(recovery.nextNumber - 1)]), at: moment(now + 200))
            now += 1000
        }
        let timeout = recovery.firstTimeout
        for _ in 0..<5 {
            send(1, at: moment(now))
            let deadline = try #require(recovery.lossDeadline)
            #expect(moment(now).duration(to: deadline) <= timeout)
            // Its acknowledgement was lost; that of the retransmission names both.
            #expect(recovery.expire(at: deadline).count == 1)
            send(1, at: deadline)
            _ = try recovery.acknowledged(
                ack([0...(recovery.nextNumber - 1)]),
                at: deadline.advanced(by: .milliseconds(200)))
            now += 3000
        }
        #expect(recovery.reorderingWindow == .zero)
        // The packets were not lost, either.
        #expect(recovery.path.lossShare <= 0.01)
    }

    @Test("Losses during an outage do not count as losses of the path")
    mutating func lossesDuringAnOutageDoNotCountAs() throws {
        send(20, at: moment(0))
        _ = try recovery.acknowledged(ack([0...19]), at: moment(100))
        let before = recovery.path.lossShare
        send(20, at: moment(200))
        var timeouts = 0
        while let deadline = recovery.lossDeadline, deadline < moment(10_000) {
            let lost = recovery.expire(at: deadline)
            #expect(!lost.isEmpty)
            send(lost.count, at: deadline)
            timeouts += 1
        }
        #expect(timeouts > 5)
        // Only the two packets of the first time-out count.
        #expect(recovery.path.lossShare < before + 0.02)
        _ = try recovery.acknowledged(ack([0...(recovery.nextNumber - 1)]), at: moment(10_100))
        #expect(recovery.path.lossShare <= before)
    }
}
