import Testing
import WatchSecurity

@testable import FormerCore

/// Whatever a counterpart says of arrivals and parity, it costs its own link at most.
@Suite struct HostileRepairTests {
    /// A packet of the other side, in clear.
    static func give(_ side: BoxSide, number: UInt64, _ frames: [UInt8], at now: Instant) {
        var packet = WireWriter()
        DatagramHeader(
            kind: .transport, hint: side.peer.hintToMe(of: side.peer.ids), number: number,
            largestAcknowledged: nil
        ).write(to: &packet)
        packet.append(frames)
        side.peer.receive(packet.bytes.span, at: now)
        side.drain(at: now)
    }

    static func bytes(_ frames: [Frame]) -> [UInt8] {
        var writer = WireWriter()
        for frame in frames { frame.write(to: &writer, limits: Limits()) }
        return writer.bytes
    }

    /// The next number that the counterpart of `side` would give a packet.
    static func next(_ side: BoxSide) -> UInt64 {
        (side.peer.repair?.largestReceived ?? 0) + 1
    }

    /// Arrivals may lie 2⁵⁰ µs apart, some 36 years: a rate of nothing at all.
    @Test(arguments: [false, true])
    func arrivals_that_are_lies_harm_nobody(_ isQueued: Bool) throws {
        var repair = Repair(limits: Limits(), initialTimeout: .seconds(1), interval: .zero)
        var arrivals: [UInt64] = [0, 1 << 49, 1 << 50]
        if isQueued {
            // A true measure first, then a queue that grows.
            arrivals = (0..<30).map { $0 * 10_000 } + (1..<30).map { $0 << 45 }
        }
        var now = Instant.zero
        for (place, arrival) in arrivals.enumerated() {
            let number = UInt64(place)
            repair.sent([.ping], at: now)
            // Enough to be measured by.
            repair.sent(bytes: isQueued ? 20 : 1200, at: now)
            now = now.advanced(by: .milliseconds(10))
            var packets = NumberRanges()
            packets.insert(0...number)
            _ = try repair.acknowledged(
                AckFrame(packets: packets, delayMicroseconds: 0),
                ArrivalFrame(microseconds: arrival, restoredPackets: 0), at: now)
            // Below this the arithmetic has no room for what follows.
            try #require(repair.path.bytesPerSecond ?? 1 >= 1)
        }
        #expect(isQueued || repair.path.bytesPerSecond == 1000)
        // A packet at a time, whatever the measure: no more than a second between them, and the
        // truth takes over from the lies.
        let start = now
        var arrived = arrivals.last ?? 0
        for place in 0..<200 {
            let urgent = repair.nextDeparture(isUrgent: true) ?? now
            let other = repair.nextDeparture(isUrgent: false) ?? now
            #expect(urgent <= other)
            #expect(other <= now.advanced(by: .seconds(1)))
            now = max(now, other)
            #expect(repair.mayTransmit(isUrgent: false, at: now))
            #expect((512...65_536).contains(repair.packetLimit(largest: 65_536, least: 512)))
            let number = UInt64(arrivals.count + place)
            repair.sent([.ping], at: now)
            repair.sent(bytes: 1200, at: now)
            arrived += 10_000
            now = now.advanced(by: .milliseconds(10))
            var packets = NumberRanges()
            packets.insert(0...number)
            _ = try repair.acknowledged(
                AckFrame(packets: packets, delayMicroseconds: 0),
                ArrivalFrame(microseconds: arrived, restoredPackets: 0), at: now)
        }
        #expect(start.duration(to: now) < .seconds(60))
        #expect((repair.path.bytesPerSecond ?? 0) > 10_000)
    }

    /// Parity is not combined itself: what is put together brings no further parity, or one packet
    /// would bring as many as fit into each other.
    @Test func parity_within_parity_is_not_solved() {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        let watch = box.watch
        let first = Self.next(watch) + 100
        var frames = Self.bytes([.ping(PingFrame(token: 1, isPong: false))])
        for depth in UInt64(0)..<40 {
            var encoder = ParityEncoder()
            encoder.add(first + depth, frames, isUrgent: false)
            frames = Self.bytes([.parity(encoder.frame(row: 0))])
        }
        Self.give(watch, number: first + 40, frames, at: box.now)
        #expect(watch.counters.packetsRestored <= 1)
        #expect(watch.activationState == .activated)
    }

    @Test func a_flood_of_parity_leaves_the_link_alone() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        var generator = SeededGenerator(seed: 21)
        var number = Self.next(box.watch) + 5
        for _ in 0..<300 {
            var bytes: [UInt8] = []
            for _ in 0..<generator.uniform(in: 2...900) {
                bytes.append(UInt8(truncatingIfNeeded: generator.next()))
            }
            // Of packets that came, of some that did not, of some yet to come.
            let frame = ParityFrame(
                first: number - min(number, generator.uniform(in: 0...90)),
                count: Int(generator.uniform(in: 20...128)),
                row: Int(generator.uniform(in: 0...31)), bytes: bytes)
            Self.give(box.watch, number: number, Self.bytes([.parity(frame)]), at: box.now)
            number += generator.uniform(in: 1...3)
        }
        #expect(box.watch.activationState == .activated)
    }

    /// What is put together and makes no sense is the fault of whoever sent the parity: where
    /// anybody may have sent it, it is dropped and counted.
    @Test func parity_of_what_was_never_sent_is_dropped_or_closes() {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        let number = Self.next(box.watch) + 3
        var encoder = ParityEncoder()
        encoder.add(number - 1, [0x20, 0x20], isUrgent: false)
        let frame = Self.bytes([.parity(encoder.frame(row: 0))])
        let dropped = box.watch.counters.packetsDropped
        Self.give(box.watch, number: number, frame, at: box.now)
        #expect(box.watch.counters.packetsDropped == dropped + 1)
        #expect(box.watch.activationState == .activated)
    }

    /// On carriers that cannot lose neither has a place.
    @Test func on_a_stream_parity_is_a_violation_and_arrival_says_nothing() {
        let box = PairInABox()
        box.connect()
        let arrival = Self.bytes([
            .arrival(ArrivalFrame(microseconds: 5, restoredPackets: 1))
        ])
        HostileFloodTests.give(box.watch, arrival)
        #expect(box.watch.activationState == .activated)
        let parity = Self.bytes([
            .parity(ParityFrame(first: 0, count: 1, row: 0, bytes: [1, 2, 3]))
        ])
        HostileFloodTests.give(box.watch, parity)
        #expect(
            HostileBytesTests.closeReason(box.watch)
                == .unexpected(frame: FrameType.parity.rawValue))
    }
}
