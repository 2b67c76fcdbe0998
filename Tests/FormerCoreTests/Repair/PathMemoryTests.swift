import Testing

@testable import FormerCore

/// What is known of a path outlives the process: it goes with what has to be durable anyhow.
@Suite struct PathMemoryTests {
    private static func memory(_ rate: UInt64 = 100_000) throws -> PathMemory {
        try #require(
            PathMemory(
                bytesPerSecond: rate, roundTripMicroseconds: 300_000, lossPerTenThousand: 250))
    }

    /// A session that has measured `memory`: nothing takes time in the box.
    private static func measure(_ memory: PathMemory, in side: BoxSide) {
        side.peer.repair?.path = Path(remembering: memory)
        side.peer.repair?.roundTrip = RoundTripEstimate()
    }

    private static func noted(_ side: BoxSide) -> [PathMemory] {
        side.host.entries.flatMap { $0.1 }.compactMap {
            if case .pathMeasured(let memory) = $0 { memory } else { nil }
        }
    }

    @Test func it_goes_with_the_next_batch_and_causes_none() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.advance(by: .seconds(1))
        let phone = box.phone
        phone.commitsAtOnce = false
        Self.measure(try Self.memory(), in: phone)
        phone.drain(at: box.now)
        #expect(phone.host.entries.isEmpty, "nothing else was to be written")
        _ = try phone.send(userInfo("a"), at: box.now)
        phone.drain(at: box.now)
        #expect(Self.noted(phone) == [try Self.memory()])
        #expect(phone.host.entries.count == 1)
        // Once: until it has changed by much.
        _ = try phone.send(userInfo("b"), at: box.now)
        phone.drain(at: box.now)
        Self.measure(try Self.memory(110_000), in: phone)
        _ = try phone.send(userInfo("c"), at: box.now)
        phone.drain(at: box.now)
        #expect(Self.noted(phone).count == 1)
        Self.measure(try Self.memory(200_000), in: phone)
        _ = try phone.send(userInfo("d"), at: box.now)
        phone.drain(at: box.now)
        #expect(Self.noted(phone) == [try Self.memory(), try Self.memory(200_000)])
    }

    @Test func the_next_life_begins_with_it() throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.advance(by: .seconds(1))
        Self.measure(try Self.memory(), in: box.phone)
        _ = try box.phone.send(userInfo("a"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        let kept = box.phone.host.image.path
        #expect(kept == (try Self.memory()))
        box.restart(.phone, epoch: 0x3333)
        let rate = box.phone.peer.path.bytesPerSecond
        let trip = box.phone.peer.path.lastRoundTrip
        let timeout = box.phone.peer.firstTimeout
        #expect(rate == 100_000 && trip == .milliseconds(300) && timeout == .milliseconds(450))
        // Without its journal it knows as little as at first.
        box.restart(.phone, epoch: 0x4444, keepsJournal: false)
        let none = box.phone.peer.path.bytesPerSecond
        #expect(none == nil)
    }
}
