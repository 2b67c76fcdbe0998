import Testing

@testable import WatchProtoCore

/// False reports of arrivals cost a counterpart its own link at most.
@Suite struct HostileArrivalTests {
    /// Arrivals may lie 2⁵⁰ µs apart, some 36 years: a rate of nothing at all.
    @Test("False arrivals delay nothing for more than a second", arguments: [false, true])
    func falseArrivals(isQueued: Bool) throws {
        var recovery = LossRecovery<TestReference>(
            limits: Limits(), initialTimeout: .seconds(1), sendInterval: .zero)
        var arrivals: [UInt64] = [0, 1 << 49, 1 << 50]
        if isQueued {
            // True arrivals first, then a queue that grows.
            arrivals = (0..<30).map { $0 * 10_000 } + (1..<30).map { $0 << 45 }
        }
        var now = Instant.zero
        func acknowledge(_ number: UInt64, _ arrival: UInt64) throws {
            var packets = NumberRanges()
            packets.insert(0...number)
            _ = try recovery.acknowledged(
                AckFrame(packets: packets, delayMicroseconds: 0),
                ArrivalFrame(microseconds: arrival, recoveredPackets: 0), at: now)
        }
        for (place, arrival) in arrivals.enumerated() {
            recovery.sent([.plain(0)], at: now)
            // Enough bytes for a sample.
            recovery.sent(bytes: isQueued ? 20 : 1200, at: now)
            now = now.advanced(by: .milliseconds(10))
            try acknowledge(UInt64(place), arrival)
            try #require(recovery.path.bytesPerSecond ?? 1000 >= 1000)
        }
        #expect(isQueued || recovery.path.bytesPerSecond == 1000)
        // One packet at a time: the true rate returns.
        let start = now
        var arrived = arrivals.last ?? 0
        for place in 0..<200 {
            let urgent = recovery.nextDeparture(isUrgent: true) ?? now
            let other = recovery.nextDeparture(isUrgent: false) ?? now
            #expect(urgent <= other)
            #expect(other <= now.advanced(by: .seconds(1)))
            now = max(now, other)
            #expect(recovery.mayTransmit(isUrgent: false, at: now))
            #expect((512...65_536).contains(recovery.packetLimit(largest: 65_536, least: 512)))
            recovery.sent([.plain(0)], at: now)
            recovery.sent(bytes: 1200, at: now)
            arrived += 10_000
            now = now.advanced(by: .milliseconds(10))
            try acknowledge(UInt64(arrivals.count + place), arrived)
        }
        #expect(start.duration(to: now) < .seconds(60))
        #expect((recovery.path.bytesPerSecond ?? 0) > 10_000)
    }

    @Test("Random acknowledgements and arrivals never trap")
    func randomAcknowledgements() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            var recovery = LossRecovery<TestReference>(
                limits: Limits(), initialTimeout: .milliseconds(500),
                sendInterval: generator.chance(0.3) ? .milliseconds(30) : .zero)
            var now = Instant(nanoseconds: generator.next() >> generator.uniform(in: 1...60))
            for _ in 0..<60 {
                recovery.sent([.plain(0)], at: now)
                recovery.sent(
                    bytes: Int(generator.uniform(in: 1...65_536)),
                    isBulk: generator.chance(0.3), at: now)
                let wait = generator.uniform(in: 0...5_000_000_000) >> generator.uniform(in: 0...30)
                now = now.advanced(by: .nanoseconds(Int64(wait)))
                _ = recovery.expire(at: now)
                var packets = NumberRanges()
                let first = generator.uniform(in: 0...(recovery.nextNumber - 1))
                packets.insert(first...generator.uniform(in: first...(recovery.nextNumber - 1)))
                let shift = generator.uniform(in: 14...60)
                let arrival = ArrivalFrame(
                    microseconds: generator.next() >> shift,
                    recoveredPackets: generator.next() >> shift)
                let ack = AckFrame(packets: packets, delayMicroseconds: generator.next() >> 24)
                _ = try? recovery.acknowledged(
                    ack, generator.chance(0.8) ? arrival : nil, at: now)
                _ = recovery.nextDeparture(isUrgent: true)
                #expect(recovery.inFlight.bytes >= 0 && recovery.inFlight.count >= 0)
            }
        }
    }
}
