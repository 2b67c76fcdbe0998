import Testing

@testable import FormerCore

/// Packets that come late on a carrier that reorders are not lost: in the world's seed 137570 each
/// of the 72 packets of one record was sent some 290 times.
@Suite struct ReorderingTests {
    private var repair = Repair(limits: Limits(), initialTimeout: .seconds(1), interval: .zero)
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
            let key = RecordKey(rawValue: UInt128(repair.upcomingNumber))
            repair.sent([.valueQuery(.context, key, offset: 0)], at: now)
        }
    }

    /// Packets 0 to 9; 9 arrives at once, and seven count as lost, but arrive after 80 ms.
    private mutating func comeLate() throws {
        send(10, at: moment(0))
        let (confirmed, lost) = try repair.acknowledged(ack([9...9]), at: moment(2))
        #expect(confirmed.count == 1 && lost.count == 7)
        #expect(repair.reorderingWindow == .zero)
        _ = try repair.acknowledged(ack([0...9]), at: moment(80))
        #expect(repair.reorderingWindow == Self.window)
        #expect(repair.lossDeadline == nil)
    }

    @Test mutating func what_may_be_late_is_waited_for() throws {
        try comeLate()
        send(10, at: moment(100))
        let (_, lost) = try repair.acknowledged(ack([19...19]), at: moment(101))
        #expect(lost.isEmpty)
        let deadline = moment(100).advanced(by: Self.window)
        #expect(repair.lossDeadline == deadline)
        #expect(repair.expire(at: moment(189)).isEmpty)
        // Those that three later ones passed, and the two in front of 19: the window is longer than
        // a round trip and an eighth (RFC 9002, 6.1.2).
        #expect(repair.expire(at: deadline).count == 9)
        #expect(repair.lossDeadline == nil)
    }

    @Test mutating func what_arrives_meanwhile_is_not_given_up() throws {
        try comeLate()
        send(10, at: moment(100))
        _ = try repair.acknowledged(ack([19...19]), at: moment(101))
        let (confirmed, lost) = try repair.acknowledged(ack([10...19]), at: moment(150))
        #expect(confirmed.count == 9 && lost.isEmpty)
        #expect(repair.lostPackets == 7)
    }

    /// Where nothing comes late any more, losses are found as soon as before.
    @Test mutating func the_window_closes_when_what_was_given_up_stays_away() throws {
        try comeLate()
        var now: UInt64 = 100
        for _ in 0..<16 {
            let first = repair.upcomingNumber
            send(10, at: moment(now))
            _ = try repair.acknowledged(ack([(first + 7)...(first + 9)]), at: moment(now + 1))
            _ = repair.expire(at: moment(now + 100))
            now += 1000
        }
        #expect(repair.reorderingWindow == .zero)
    }

    /// An acknowledgement that was lost is none that came late: on a link of 200 ms each of five
    /// that were lost once took the time-out further up, to 4 s.
    @Test mutating func a_lost_acknowledgement_makes_nobody_wait_longer() throws {
        var now: UInt64 = 0
        for _ in 0..<20 {
            send(1, at: moment(now))
            _ = try repair.acknowledged(
                ack([0...(repair.upcomingNumber - 1)]), at: moment(now + 200))
            now += 1000
        }
        let timeout = repair.firstTimeout
        for _ in 0..<5 {
            send(1, at: moment(now))
            let deadline = try #require(repair.lossDeadline)
            #expect(moment(now).duration(to: deadline) <= timeout)
            // Its acknowledgement was lost; that of the packet sent again names both.
            #expect(repair.expire(at: deadline).count == 1)
            send(1, at: deadline)
            _ = try repair.acknowledged(
                ack([0...(repair.upcomingNumber - 1)]),
                at: deadline.advanced(by: .milliseconds(200)))
            now += 3000
        }
        #expect(repair.reorderingWindow == .zero)
        // They were not lost, either.
        #expect(repair.path.lossShare <= 0.01)
    }

    /// A link that is gone for a while tells nothing of what it loses while it is there.
    @Test mutating func an_outage_is_no_loss_of_the_path() throws {
        send(20, at: moment(0))
        _ = try repair.acknowledged(ack([0...19]), at: moment(100))
        let before = repair.path.lossShare
        send(20, at: moment(200))
        var timeouts = 0
        while let deadline = repair.lossDeadline, deadline < moment(10_000) {
            let lost = repair.expire(at: deadline)
            #expect(!lost.isEmpty)
            send(lost.count, at: deadline)
            timeouts += 1
        }
        #expect(timeouts > 5)
        // The two of the first time-out, which may have been lost as any other.
        #expect(repair.path.lossShare < before + 0.02)
        _ = try repair.acknowledged(ack([0...(repair.upcomingNumber - 1)]), at: moment(10_100))
        #expect(repair.path.lossShare <= before)
    }
}
