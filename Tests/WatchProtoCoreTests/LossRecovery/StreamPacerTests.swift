import Testing

@testable import WatchProtoCore

/// Bulk and urgent records on a stream with large buffers.
@Suite struct StreamPacerTests {
    /// A stream in virtual time: bytes leave one after the other, each direction takes `way`.
    private struct Stream {
        var pacer: StreamPacer?
        var bytesPerSecond: Double
        var way: Duration
        var now = Instant(nanoseconds: 1_000_000_000)
        let buffer = 4 << 20
        /// When all that was written has left.
        var freeAt = Instant.zero
        /// Pongs that are due, oldest first.
        var pongs: [(token: UInt64, at: Instant)] = []
        var bulkWritten = 0
        var pings = 0

        init(
            _ bytesPerSecond: Double, way: Duration, pacer: StreamPacer? = StreamPacer()
        ) {
            self.bytesPerSecond = bytesPerSecond
            self.way = way
            self.pacer = pacer
        }

        /// Bytes in the buffer of the carrier.
        var buffered: Double {
            let rest = max(.zero, now.duration(to: freeAt))
            return Double(rest.nanosecondsClamped) / 1e9 * bytesPerSecond
        }

        /// Writes bytes; gives when the last of them arrives.
        mutating func write(_ bytes: Int) -> Instant {
            let time = Int64(Double(bytes) * 1e9 / bytesPerSecond)
            freeAt = max(freeAt, now).advanced(by: .nanoseconds(time))
            return freeAt.advanced(by: way)
        }

        /// Writes as much bulk as pacer and buffer allow, in packets of at most 16 KB.
        mutating func writeBulk() {
            while buffered + 16_384 < Double(buffer) {
                let allowed = pacer?.bulkAllowance(at: now) ?? .max
                guard allowed > 0 else { return }
                let bytes = min(allowed, 16_384)
                _ = write(bytes)
                bulkWritten += bytes
                guard let token = pacer?.sentBulk(bytes: bytes, at: now) else { continue }
                pings += 1
                pongs.append((token, write(30).advanced(by: way)))
            }
        }

        /// Moves to `end`; pongs arrive, and bulk is written as soon as it may.
        mutating func run(until end: Instant, hasBulk: Bool = true) {
            if hasBulk { writeBulk() }
            while let pong = pongs.first, pong.at <= end {
                now = max(now, pong.at)
                pongs.removeFirst()
                let isKnown = pacer?.pong(token: pong.token, at: now)
                #expect(isKnown != false)
                if hasBulk { writeBulk() }
            }
            now = max(now, end)
            // Without a pacer the buffer alone limits.
            if hasBulk { writeBulk() }
        }
    }

    /// The longest time from the writing of an urgent record of 200 bytes to its arrival, over a
    /// minute of bulk.
    private static func longestUrgent(_ stream: inout Stream, seed: UInt64) -> Duration {
        var generator = SeededGenerator(seed: seed)
        var longest = Duration.zero
        let end = stream.now.advanced(by: .seconds(60))
        while stream.now < end {
            let wait = Int64(generator.uniform(in: 1...300_000_000))
            stream.run(until: stream.now.advanced(by: .nanoseconds(wait)))
            longest = max(longest, stream.now.duration(to: stream.write(200)))
        }
        return longest
    }

    /// Issue 21, point 7: 200 kbit/s, a buffer of 4 MB.
    @Test(
        "An urgent record beside bulk arrives within a second at 200 kbit/s",
        arguments: [1, 20, 100, 300])
    func urgentBesideBulk(way: Int) {
        for seed in UInt64(1)...5 {
            var stream = Stream(25_000, way: .milliseconds(way))
            let longest = Self.longestUrgent(&stream, seed: seed)
            #expect(longest < .milliseconds(600 + way), "\(longest)")
            #expect(stream.bulkWritten > 100_000)
        }
    }

    @Test("The same record waits for the whole buffer where nothing limits bulk")
    func withoutPacer() {
        var stream = Stream(25_000, way: .milliseconds(20), pacer: nil)
        #expect(Self.longestUrgent(&stream, seed: 1) > .seconds(8))
    }

    @Test(
        "Bulk fills the line where the round trip is short",
        arguments: [25_000, 250_000, 2_500_000] as [Double])
    func throughput(rate: Double) {
        var stream = Stream(rate, way: .milliseconds(10))
        stream.run(until: stream.now.advanced(by: .seconds(10)))
        let before = stream.bulkWritten
        stream.run(until: stream.now.advanced(by: .seconds(60)))
        #expect(Double(stream.bulkWritten - before) > 0.9 * rate * 60)
        let measured = stream.pacer?.bytesPerSecond ?? 0
        #expect(measured > rate * 0.8 && measured < rate * 1.3, "\(measured)")
    }

    /// With two unanswered chunks of 100 ms the line idles; the rate must not fall for that.
    @Test("A long round trip does not lower the rate")
    func longRoundTrip() {
        var stream = Stream(250_000, way: .milliseconds(400))
        stream.run(until: stream.now.advanced(by: .seconds(60)))
        let measured = stream.pacer?.bytesPerSecond ?? 0
        #expect(measured > 200_000 && measured < 325_000, "\(measured)")
        let before = stream.bulkWritten
        stream.run(until: stream.now.advanced(by: .seconds(60)))
        #expect(stream.bulkWritten - before > 2_500_000)
    }

    @Test("The rate follows a line that becomes slower, and faster again")
    func changingLine() {
        var stream = Stream(1_000_000, way: .milliseconds(20))
        stream.run(until: stream.now.advanced(by: .seconds(20)))
        stream.bytesPerSecond = 50_000
        stream.freeAt = stream.now.advanced(by: .seconds(4))
        stream.run(until: stream.now.advanced(by: .seconds(30)))
        let slow = stream.pacer?.bytesPerSecond ?? 0
        #expect(slow < 75_000, "\(slow)")
        stream.bytesPerSecond = 1_000_000
        stream.run(until: stream.now.advanced(by: .seconds(30)))
        let fast = stream.pacer?.bytesPerSecond ?? 0
        #expect(fast > 700_000, "\(fast)")
    }

    @Test("Without bulk no ping leaves and nothing waits")
    func withoutBulk() {
        var stream = Stream(25_000, way: .milliseconds(20))
        stream.run(until: stream.now.advanced(by: .seconds(60)), hasBulk: false)
        #expect(stream.pings == 0 && stream.bulkWritten == 0)
    }

    @Test("The first chunk is 4 KB, and two unanswered pings stop bulk")
    func firstChunks() {
        var pacer = StreamPacer()
        let now = Instant(nanoseconds: 5)
        #expect(pacer.bulkAllowance(at: now) == 4096)
        let part = pacer.sentBulk(bytes: 1000, at: now)
        #expect(part == nil && pacer.bulkAllowance(at: now) == 3096)
        // Less than 512 bytes would be left of the chunk.
        let first = pacer.sentBulk(bytes: 2600, at: now)
        #expect(first == 1)
        let second = pacer.sentBulk(bytes: 9000, at: now)
        #expect(second == 3)
        #expect(pacer.bulkAllowance(at: now) == 0)
        let isKnown = [7, 2, 1, 1].map { pacer.pong(token: $0, at: now) }
        #expect(isKnown == [false, false, true, false])
        // The rate is unknown: the chunk doubles.
        #expect(pacer.bulkAllowance(at: now) == 8192 && pacer.bytesPerSecond == nil)
    }

    @Test("Chunks stay between 1 KB and 256 KB and at most double, whatever is answered")
    func chunkBounds() {
        var generator = SeededGenerator(seed: 8)
        var pacer = StreamPacer()
        var now = Instant.zero
        var tokens: [UInt64] = []
        for _ in 0..<4000 {
            let before = pacer.chunkBytes
            let allowed = pacer.bulkAllowance(at: now)
            #expect(allowed == 0 || allowed >= StreamPacer.leastAllowance)
            #expect(tokens.count < 2 || allowed == 0)
            if allowed > 0 {
                let bytes = Int(generator.uniform(in: 1...UInt64(allowed)))
                if let token = pacer.sentBulk(bytes: bytes, at: now) { tokens.append(token) }
            }
            let wait = generator.uniform(in: 0...(1 << generator.uniform(in: 0...32)))
            now = now.advanced(by: .nanoseconds(Int64(wait)))
            if generator.chance(0.3), !tokens.isEmpty {
                let place = Int(generator.uniform(in: 0...UInt64(tokens.count - 1)))
                let isKnown = pacer.pong(token: tokens[place], at: now)
                #expect(isKnown)
                tokens.removeFirst(place + 1)
            }
            #expect(pacer.chunkBytes >= 1024 && pacer.chunkBytes <= 1 << 18)
            #expect(pacer.chunkBytes <= before * 2)
        }
    }

    @Test("A new session keeps the rate and begins with a small chunk")
    func newSession() {
        var stream = Stream(1_000_000, way: .milliseconds(5))
        stream.run(until: stream.now.advanced(by: .seconds(10)))
        let rate = stream.pacer?.bytesPerSecond
        #expect((stream.pacer?.chunkBytes ?? 0) > 50_000)
        stream.pacer?.beginSession()
        #expect(stream.pacer?.bytesPerSecond == rate && rate != nil)
        #expect(stream.pacer?.bulkAllowance(at: stream.now) == 4096)
    }
}
