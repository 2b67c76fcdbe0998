import Testing

@testable import FormerCore

/// Acknowledgements, time-outs, parity: one side of a session on a carrier that can lose.
@Suite struct RepairTests {
    private var repair = Repair(
        limits: Limits(), initialTimeout: .milliseconds(500), interval: .zero)

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
            repair.sent(bytes: 100, at: now)
        }
    }

    // MARK: Acknowledgements

    @Test mutating func what_was_put_together_there_was_lost_all_the_same() throws {
        send(10, at: moment(0))
        let first = ArrivalFrame(microseconds: 5, restoredPackets: 2)
        let (confirmed, lost) = try repair.acknowledged(ack([0...9]), first, at: moment(100))
        #expect(confirmed.count == 10 && lost.isEmpty)
        // Before anything is known one of a hundred counts as lost.
        #expect(abs(repair.path.lossShare - 3.0 / 110) < 1e-12)
        send(10, at: moment(100))
        let second = ArrivalFrame(microseconds: 100_005, restoredPackets: 2)
        _ = try repair.acknowledged(ack([0...19]), second, at: moment(200))
        #expect(abs(repair.path.lossShare - 3.0 / 120) < 1e-12)
        // More than there were is not believed.
        send(1, at: moment(200))
        let third = ArrivalFrame(microseconds: 200_005, restoredPackets: 1 << 50)
        _ = try repair.acknowledged(ack([0...20]), third, at: moment(300))
        #expect(abs(repair.path.lossShare - 4.0 / 121) < 1e-12)
    }

    /// Five packets of 100 bytes in 40 ms; one of them was lost, and put together from others.
    @Test(arguments: [0, 1])
    mutating func what_was_put_together_there_crossed_no_path(restored: UInt64) throws {
        send(1, at: moment(0))
        _ = try repair.acknowledged(
            ack([0...0]), ArrivalFrame(microseconds: 1, restoredPackets: 0), at: moment(100))
        for _ in 0..<20 {
            repair.sent([.ping], at: moment(100))
            repair.sent(bytes: 1000, at: moment(100))
        }
        for (place, number) in [UInt64(5), 10, 15, 20].enumerated() {
            let arrival = UInt64(place + 1) * 40_000
            _ = try repair.acknowledged(
                ack([0...number]),
                ArrivalFrame(
                    microseconds: arrival, restoredPackets: UInt64(place + 1) * restored),
                at: moment(200 + arrival / 1000))
        }
        // 125,000 bytes a second with all five, a fifth less with four.
        let rate = try #require(repair.path.bytesPerSecond)
        #expect(abs(rate - (restored == 0 ? 125_000 : 100_000)) < 1500, "\(rate)")
    }

    @Test mutating func an_acknowledgement_tells_when_its_packet_came() throws {
        _ = repair.arrived(4, elicitsAck: true, at: moment(1000))
        let owed = repair.makeAck(at: moment(1003))
        let first = try #require(owed)
        #expect(first.0.delayMicroseconds == 3000)
        #expect(first.1 == ArrivalFrame(microseconds: 0, restoredPackets: 0))
        repair.keep(4, [1, 7])
        var encoder = ParityEncoder()
        encoder.add(5, [1, 9], isUrgent: false)
        _ = repair.arrived(6, elicitsAck: true, at: moment(1250))
        repair.take(encoder.frame(row: 0), in: 6)
        let restored = repair.takeRestored()
        #expect(restored.map { $0.number } == [5])
        #expect(restored.map { $0.frames } == [[1, 9]])
        // What was put together arrives like any other, and is counted.
        _ = repair.arrived(5, elicitsAck: true, at: moment(1250))
        let owedThen = repair.makeAck(at: moment(1250))
        let second = try #require(owedThen)
        #expect(second.0.packets.ranges == [4...6])
        #expect(second.1 == ArrivalFrame(microseconds: 250_000, restoredPackets: 1))
    }

    @Test mutating func a_parity_is_of_packets_before_it() {
        var encoder = ParityEncoder()
        encoder.add(10, [1, 9], isUrgent: false)
        encoder.add(11, [1, 8], isUrgent: false)
        repair.keep(10, [1, 9])
        _ = repair.arrived(10, elicitsAck: true, at: moment(1))
        for number in [UInt64(5), 10, 11] {
            repair.take(encoder.frame(row: 0), in: number)
            let restored = repair.takeRestored()
            #expect(restored.isEmpty, "in packet \(number)")
        }
        repair.take(encoder.frame(row: 0), in: 12)
        #expect(repair.takeRestored().map { $0.number } == [11])
    }

    // MARK: Time-outs

    @Test mutating func a_time_out_is_never_longer_than_two_seconds() throws {
        try timeOut(after: 30)
        // Where the round trip alone takes longer, so does the time-out, and no more.
        try timeOut(after: 700)
    }

    private mutating func timeOut(after trip: UInt64) throws {
        repair = Repair(
            limits: Limits(), initialTimeout: .milliseconds(500), interval: .zero)
        send(1, at: moment(0))
        _ = try repair.acknowledged(ack([0...0]), at: moment(trip))
        var now = moment(trip)
        var waits: [Duration] = []
        for _ in 0..<12 {
            send(1, at: now)
            let deadline = try #require(repair.lossDeadline)
            waits.append(now.duration(to: deadline))
            now = deadline
            let probes = repair.expire(at: now)
            #expect(!probes.isEmpty)
        }
        #expect(waits[0] >= .milliseconds(Int64(trip)))
        #expect(waits.allSatisfy { $0 <= .seconds(2) || $0 == waits[0] }, "\(waits)")
        for (before, after) in zip(waits, waits.dropFirst()) {
            #expect(after == min(before * 2, max(waits[0], .seconds(2))))
        }
        #expect(waits.last == max(.seconds(2), waits[0]))
    }

    @Test mutating func a_time_out_probes_with_the_oldest_two() throws {
        send(5, at: moment(0))
        let deadline = try #require(repair.lossDeadline)
        #expect(deadline == moment(500))
        #expect(repair.expire(at: moment(499)).isEmpty)
        #expect(repair.expire(at: deadline).count == 2)
        #expect(repair.lostPackets == 2)
        // The time-out is told by the next acknowledgement to have been one too many.
        _ = try repair.acknowledged(ack([0...4]), at: moment(501))
        #expect(!repair.isAwaitingAck)
        #expect(repair.reorderingWindow == .zero)
    }

    @Test mutating func an_acknowledgement_of_what_was_never_sent_is_refused() {
        send(2, at: moment(0))
        #expect(throws: WireError.self) { try repair.acknowledged(ack([2...2]), at: moment(1)) }
    }

    // MARK: Bounds

    @Test mutating func no_more_packets_are_in_flight_than_the_limit() throws {
        var limits = Limits()
        limits.packetsInFlight = 4
        repair = Repair(limits: limits, initialTimeout: .milliseconds(500), interval: .zero)
        send(3, at: moment(0))
        #expect(repair.mayTransmit(isUrgent: false, at: moment(0)))
        send(1, at: moment(0))
        #expect(!repair.mayTransmit(isUrgent: false, at: moment(0)))
        #expect(!repair.mayTransmit(isUrgent: true, at: moment(0)))
        #expect(repair.nextDeparture(isUrgent: true) == nil)
        _ = try repair.acknowledged(ack([1...1]), at: moment(9))
        #expect(repair.mayTransmit(isUrgent: false, at: moment(9)))
    }

    @Test mutating func many_losses_in_one_round_trip_are_an_overload() throws {
        send(100, at: moment(0))
        _ = try repair.acknowledged(ack([0...99]), at: moment(50))
        send(150, at: moment(50))
        #expect(repair.mayTransmit(isUrgent: false, at: moment(50)))
        // 141 of them were lost, and next to nothing is under way any more: what is left is the
        // least window.
        _ = try repair.acknowledged(ack([0...99, 241...249]), at: moment(100))
        #expect(repair.lostPackets == 141)
        send(119, at: moment(101))
        #expect(repair.mayTransmit(isUrgent: false, at: moment(101)))
        send(1, at: moment(101))
        #expect(!repair.mayTransmit(isUrgent: false, at: moment(101)))
    }

    // MARK: Redundancy

    private mutating func flight(_ count: Int, isUrgent: Bool) {
        for _ in 0..<count {
            send(1, at: moment(0))
            repair.protect([1, 2, 3], isUrgent: isUrgent)
        }
    }

    @Test mutating func what_parity_covers_waits_for_the_word_on_it() throws {
        flight(5, isUrgent: true)
        #expect(repair.isParityDue)
        let parity = repair.takeParity(limitBytes: 1000, at: moment(0))
        #expect(parity.map { $0.row } == [0])
        #expect(parity.map { $0.first } == [0] && parity.map { $0.count } == [5])
        #expect(!repair.isParityDue)
        // Three later ones have come, but not the parity.
        var result = try repair.acknowledged(ack([1...4]), at: moment(50))
        #expect(result.lost.isEmpty)
        // The packet of the parity has come: what it did not replace is lost.
        send(1, at: moment(50))
        result = try repair.acknowledged(ack([1...5]), at: moment(60))
        #expect(result.lost.count == 1)
    }

    @Test mutating func what_can_wait_is_worth_less_and_what_does_not_fit_nothing() {
        flight(1, isUrgent: false)
        #expect(repair.takeParity(limitBytes: 1000, at: moment(0)).isEmpty)
        flight(1, isUrgent: true)
        #expect(repair.takeParity(limitBytes: 1000, at: moment(0)).count == 1)
        flight(3, isUrgent: true)
        let tight = 5 + ParityEncoder.overhead(first: 2) - 2
        #expect(repair.takeParity(limitBytes: tight - 1, at: moment(0)).isEmpty)
        flight(3, isUrgent: true)
        #expect(repair.takeParity(limitBytes: tight, at: moment(0)).count == 1)
    }

    /// What redundancy may cost is used up, and comes back with time.
    @Test mutating func parity_ends_where_its_allowance_does() {
        var bytes = 0
        for _ in 0..<200 {
            send(1, at: moment(0))
            repair.protect([UInt8](repeating: 1, count: 400), isUrgent: true)
            bytes += repair.takeParity(limitBytes: 1000, at: moment(0)).reduce(0) {
                $0 + $1.bytes.count
            }
        }
        #expect(bytes > 7000 && bytes <= 8192)
        send(1, at: moment(1000))
        repair.protect([UInt8](repeating: 1, count: 400), isUrgent: true)
        let parity = repair.takeParity(limitBytes: 1000, at: moment(1000))
        #expect(!parity.isEmpty)
    }
}
