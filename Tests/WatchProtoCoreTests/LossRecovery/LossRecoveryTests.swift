import Testing

@testable import WatchProtoCore

/// Acknowledgements, time-outs, FEC: one side of a session on a carrier that can lose.
@Suite struct LossRecoveryTests {
    private var recovery = LossRecovery<TestReference>(
        limits: Limits(), initialTimeout: .milliseconds(500), sendInterval: .zero)

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
            recovery.sent(bytes: 100, at: now)
        }
    }

    // MARK: Acknowledgements

    @Test("A packet that the counterpart recovered counts as lost")
    mutating func aPacketThatTheCounterpartRecoveredCountsAs() throws {
        send(10, at: moment(0))
        let first = ArrivalFrame(microseconds: 5, recoveredPackets: 2)
        let (acknowledged, lost) = try recovery.acknowledged(ack([0...9]), first, at: moment(100))
        #expect(acknowledged.count == 10 && lost.isEmpty)
        // The prior is one lost packet of a hundred.
        #expect(abs(recovery.path.lossShare - 3.0 / 110) < 1e-12)
        send(10, at: moment(100))
        let second = ArrivalFrame(microseconds: 100_005, recoveredPackets: 2)
        _ = try recovery.acknowledged(ack([0...19]), second, at: moment(200))
        #expect(abs(recovery.path.lossShare - 3.0 / 120) < 1e-12)
        // At most the packets of this acknowledgement were recovered.
        send(1, at: moment(200))
        let third = ArrivalFrame(microseconds: 200_005, recoveredPackets: 1 << 50)
        _ = try recovery.acknowledged(ack([0...20]), third, at: moment(300))
        #expect(abs(recovery.path.lossShare - 4.0 / 121) < 1e-12)
    }

    /// Five packets of 100 bytes in 40 ms; one of them was lost, and recovered from others.
    @Test("A recovered packet is in no rate sample", arguments: [0, 1])
    mutating func aRecoveredPacketIsInNoRateSample(recovered: UInt64) throws {
        send(1, at: moment(0))
        _ = try recovery.acknowledged(
            ack([0...0]), ArrivalFrame(microseconds: 1, recoveredPackets: 0), at: moment(100))
        for _ in 0..<20 {
            recovery.sent([.plain(0)], at: moment(100))
            recovery.sent(bytes: 1000, at: moment(100))
        }
        for (place, number) in [UInt64(5), 10, 15, 20].enumerated() {
            let arrival = UInt64(place + 1) * 40_000
            _ = try recovery.acknowledged(
                ack([0...number]),
                ArrivalFrame(
                    microseconds: arrival, recoveredPackets: UInt64(place + 1) * recovered),
                at: moment(200 + arrival / 1000))
        }
        // 125,000 bytes a second with all five, a fifth less with four.
        let rate = try #require(recovery.path.bytesPerSecond)
        #expect(abs(rate - (recovered == 0 ? 125_000 : 100_000)) < 1500, "\(rate)")
    }

    /// LR-6, LR-10.
    @Test("An acknowledgement reports the delay and the arrival of its largest packet")
    mutating func anAcknowledgementReportsTheDelayAndTheArrival() throws {
        _ = recovery.arrived(4, elicitsAck: true, at: moment(1000))
        let owed = recovery.received.makeAck(at: moment(1003))
        let first = try #require(owed)
        #expect(first.0.delayMicroseconds == 3000)
        #expect(first.1 == ArrivalFrame(microseconds: 0, recoveredPackets: 0))
        recovery.received.store(4, [1, 7])
        var encoder = RepairEncoder()
        encoder.add(5, [1, 9], isUrgent: false)
        _ = recovery.arrived(6, elicitsAck: true, at: moment(1250))
        recovery.received.take(encoder.frame(index: 0), in: 6)
        let recovered = recovery.received.takeRecovered()
        #expect(recovered.map { $0.number } == [5])
        #expect(recovered.map { $0.frames } == [[1, 9]])
        // A recovered packet arrives like any other, and is counted.
        _ = recovery.arrived(5, elicitsAck: true, at: moment(1250))
        let owedThen = recovery.received.makeAck(at: moment(1250))
        let second = try #require(owedThen)
        #expect(second.0.packets.ranges == [4...6])
        #expect(second.1 == ArrivalFrame(microseconds: 250_000, recoveredPackets: 1))
    }

    /// LR-9.
    @Test("A repair packet that covers its own number or later ones is ignored")
    mutating func aRepairPacketThatCoversItsOwnNumber() {
        var encoder = RepairEncoder()
        encoder.add(10, [1, 9], isUrgent: false)
        encoder.add(11, [1, 8], isUrgent: false)
        recovery.received.store(10, [1, 9])
        _ = recovery.arrived(10, elicitsAck: true, at: moment(1))
        for number in [UInt64(5), 10, 11] {
            recovery.received.take(encoder.frame(index: 0), in: number)
            let recovered = recovery.received.takeRecovered()
            #expect(recovered.isEmpty, "in packet \(number)")
        }
        recovery.received.take(encoder.frame(index: 0), in: 12)
        #expect(recovery.received.takeRecovered().map { $0.number } == [11])
    }

    // MARK: Time-outs

    @Test("Probe time-outs double up to 2 s, or up to the first where that is longer")
    mutating func probeTimeOutsDoubleUpTo2S() throws {
        try timeOut(after: 30)
        // A longer round trip makes the first time-out longer, and it does not double.
        try timeOut(after: 700)
    }

    private mutating func timeOut(after trip: UInt64) throws {
        recovery = LossRecovery<TestReference>(
            limits: Limits(), initialTimeout: .milliseconds(500), sendInterval: .zero)
        send(1, at: moment(0))
        _ = try recovery.acknowledged(ack([0...0]), at: moment(trip))
        var now = moment(trip)
        var waits: [Duration] = []
        for _ in 0..<12 {
            send(1, at: now)
            let deadline = try #require(recovery.lossDeadline)
            waits.append(now.duration(to: deadline))
            now = deadline
            let probes = recovery.expire(at: now)
            #expect(!probes.isEmpty)
        }
        #expect(waits[0] >= .milliseconds(Int64(trip)))
        #expect(waits.allSatisfy { $0 <= .seconds(2) || $0 == waits[0] }, "\(waits)")
        for (before, after) in zip(waits, waits.dropFirst()) {
            #expect(after == min(before * 2, max(waits[0], .seconds(2))))
        }
        #expect(waits.last == max(.seconds(2), waits[0]))
    }

    /// LR-7.
    @Test("A probe time-out retransmits the oldest two packets")
    mutating func aProbeTimeOutRetransmitsTheOldestTwo() throws {
        send(5, at: moment(0))
        let deadline = try #require(recovery.lossDeadline)
        #expect(deadline == moment(500))
        #expect(recovery.expire(at: moment(499)).isEmpty)
        #expect(recovery.expire(at: deadline).count == 2)
        #expect(recovery.lostPackets == 2)
        // The next acknowledgement shows that the time-out was spurious.
        _ = try recovery.acknowledged(ack([0...4]), at: moment(501))
        #expect(recovery.inFlight.isEmpty)
        #expect(recovery.reorderingWindow == .zero)
    }

    /// LR-15.
    @Test("An acknowledgement of a packet never sent is refused")
    mutating func anAcknowledgementOfAPacketNeverSentIs() {
        send(2, at: moment(0))
        #expect(throws: WireError.self) { try recovery.acknowledged(ack([2...2]), at: moment(1)) }
    }

    // MARK: Bounds

    @Test("No more packets are in flight than the limit allows")
    mutating func noMorePacketsAreInFlightThanThe() throws {
        var limits = Limits()
        limits.packetsInFlight = 4
        recovery = LossRecovery<TestReference>(
            limits: limits, initialTimeout: .milliseconds(500), sendInterval: .zero)
        send(3, at: moment(0))
        #expect(recovery.mayTransmit(isUrgent: false, at: moment(0)))
        send(1, at: moment(0))
        #expect(!recovery.mayTransmit(isUrgent: false, at: moment(0)))
        #expect(!recovery.mayTransmit(isUrgent: true, at: moment(0)))
        #expect(recovery.nextDeparture(isUrgent: true) == nil)
        _ = try recovery.acknowledged(ack([1...1]), at: moment(9))
        #expect(recovery.mayTransmit(isUrgent: false, at: moment(9)))
    }

    @Test("Many losses in one round trip limit the bytes in flight")
    mutating func manyLossesInOneRoundTripLimitThe() throws {
        send(100, at: moment(0))
        _ = try recovery.acknowledged(ack([0...99]), at: moment(50))
        send(150, at: moment(50))
        #expect(recovery.mayTransmit(isUrgent: false, at: moment(50)))
        // 141 of them were lost and almost none is in flight: the least window is left.
        _ = try recovery.acknowledged(ack([0...99, 241...249]), at: moment(100))
        #expect(recovery.lostPackets == 141)
        send(119, at: moment(101))
        #expect(recovery.mayTransmit(isUrgent: false, at: moment(101)))
        send(1, at: moment(101))
        #expect(!recovery.mayTransmit(isUrgent: false, at: moment(101)))
    }

    // MARK: Redundancy

    private mutating func block(_ count: Int, isUrgent: Bool) {
        for _ in 0..<count {
            send(1, at: moment(0))
            recovery.protect([1, 2, 3], carrying: [isUrgent ? .urgent : .protected])
        }
    }

    @Test("A covered packet is not lost before its repair packet is acknowledged")
    mutating func aCoveredPacketIsNotLostBeforeIts() throws {
        block(5, isUrgent: true)
        #expect(recovery.isBlockOpen)
        let repairs = recovery.takeRepairs(limitBytes: 1000, at: moment(0))
        #expect(repairs.map { $0.index } == [0])
        #expect(repairs.map { $0.first } == [0] && repairs.map { $0.count } == [5])
        #expect(!recovery.isBlockOpen)
        // Three later ones have come, but not the repair packet.
        var result = try recovery.acknowledged(ack([1...4]), at: moment(50))
        #expect(result.lost.isEmpty)
        // The repair packet has come: what it did not recover is lost.
        send(1, at: moment(50))
        result = try recovery.acknowledged(ack([1...5]), at: moment(60))
        #expect(result.lost.count == 1)
    }

    @Test("Urgent blocks get more redundancy, and what does not fit gets none")
    mutating func urgentBlocksGetMoreRedundancyAndWhatDoes() {
        block(1, isUrgent: false)
        #expect(recovery.takeRepairs(limitBytes: 1000, at: moment(0)).isEmpty)
        block(1, isUrgent: true)
        #expect(recovery.takeRepairs(limitBytes: 1000, at: moment(0)).count == 1)
        block(3, isUrgent: true)
        let tight = 5 + RepairEncoder.overhead(first: 2) - 2
        #expect(recovery.takeRepairs(limitBytes: tight - 1, at: moment(0)).isEmpty)
        block(3, isUrgent: true)
        #expect(recovery.takeRepairs(limitBytes: tight, at: moment(0)).count == 1)
    }

    @Test("Redundancy ends with its budget, which time refills")
    mutating func redundancyEndsWithItsBudgetWhichTimeRefills() {
        var bytes = 0
        for _ in 0..<200 {
            send(1, at: moment(0))
            recovery.protect([UInt8](repeating: 1, count: 400), carrying: [.urgent])
            bytes += recovery.takeRepairs(limitBytes: 1000, at: moment(0)).reduce(0) {
                $0 + $1.bytes.count
            }
        }
        #expect(bytes > 7000 && bytes <= 8192)
        send(1, at: moment(1000))
        recovery.protect([UInt8](repeating: 1, count: 400), carrying: [.urgent])
        let repairs = recovery.takeRepairs(limitBytes: 1000, at: moment(1000))
        #expect(!repairs.isEmpty)
    }
}
