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
        /// The part of the writes that arrive a round trip late, and hold up all behind them.
        var lossRate = 0.0
        var generator = SeededGenerator(seed: 1)
        /// When all that was written has left, and when it has arrived.
        var freeAt = Instant.zero
        var arrivesAt = Instant.zero
        /// Pongs that are due, oldest first.
        var pongs: [(token: UInt64, at: Instant)] = []
        var bulkWritten = 0
        /// Bytes of bulk that are to be written.
        var bulkLimit = Int.max
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
            let delay = generator.chance(lossRate) ? way * 3 : way
            arrivesAt = max(arrivesAt, freeAt.advanced(by: delay))
            return arrivesAt
        }

        /// Writes as much bulk as pacer and buffer allow, in packets of at most 16 KB.
        mutating func writeBulk() {
            while buffered + 16_384 < Double(buffer), bulkWritten < bulkLimit {
                let allowed = pacer?.bulkAllowance(at: now) ?? .max
                guard allowed > 0 else { return }
                let bytes = min(allowed, 16_384, bulkLimit - bulkWritten)
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
        arguments: [1, 20, 100, 250])
    func urgentBesideBulk(way: Int) {
        for seed in UInt64(1)...5 {
            var stream = Stream(25_000, way: .milliseconds(way))
            let longest = Self.longestUrgent(&stream, seed: seed)
            #expect(longest < .milliseconds(600 + way), "\(longest)")
            #expect(stream.bulkWritten > 100_000)
        }
    }

    @Test(
        "Once bulk flows, an urgent record queues for 300 ms at most, however long the round trip",
        arguments: [1, 20, 100, 250, 400, 750])
    func queue(way: Int) {
        for seed in UInt64(1)...5 {
            var stream = Stream(25_000, way: .milliseconds(way))
            stream.run(until: stream.now.advanced(by: .seconds(20)))
            let longest = Self.longestUrgent(&stream, seed: seed)
            #expect(longest < .milliseconds(300 + way), "\(longest)")
        }
    }

    @Test("The same record waits for the whole buffer where nothing limits bulk")
    func withoutPacer() {
        var stream = Stream(25_000, way: .milliseconds(20), pacer: nil)
        #expect(Self.longestUrgent(&stream, seed: 1) > .seconds(8))
    }

    @Test(
        "Bulk fills the line, however long the round trip",
        arguments: [25_000, 250_000, 2_500_000] as [Double], [10, 150, 400])
    func throughput(rate: Double, way: Int) {
        var stream = Stream(rate, way: .milliseconds(way))
        stream.run(until: stream.now.advanced(by: .seconds(10)))
        let before = stream.bulkWritten
        stream.run(until: stream.now.advanced(by: .seconds(60)))
        #expect(Double(stream.bulkWritten - before) > 0.85 * rate * 60)
        let measured = stream.pacer?.bytesPerSecond ?? 0
        #expect(measured > rate * 0.8 && measured < rate * 1.3, "\(measured)")
    }

    @Test("Nothing limits bulk on a line of 1 Gbit/s", arguments: [50, 15_000])
    func fastLine(microseconds: Int) {
        var stream = Stream(125_000_000, way: .microseconds(microseconds))
        stream.run(until: stream.now.advanced(by: .seconds(2)))
        let before = stream.bulkWritten
        stream.run(until: stream.now.advanced(by: .seconds(2)))
        #expect(Double(stream.bulkWritten - before) > 0.9 * 125_000_000 * 2)
    }

    /// When so many bytes have arrived, in seconds of the line.
    private static func time(of bytes: Int, _ stream: Stream) -> Double {
        var stream = stream
        stream.bulkLimit = bytes
        let begin = stream.now
        stream.run(until: begin.advanced(by: .seconds(300)))
        #expect(stream.bulkWritten == bytes)
        let time = Double(begin.duration(to: stream.arrivesAt).nanosecondsClamped) / 1e9
        return time * stream.bytesPerSecond / Double(bytes)
    }

    @Test("300 KB over edge take little more than the time of the line")
    func edge() {
        let stream = Stream(30_000, way: .milliseconds(400))
        #expect(Self.time(of: 300_000, stream) < 1.3)
    }

    /// A loss delays a stream by a round trip: that is neither a queue nor a lower rate.
    @Test("Losses that the carrier repairs do not make bulk slow")
    func repairedLosses() {
        for seed in UInt64(1)...5 {
            var edge = Stream(25_000, way: .milliseconds(250))
            (edge.lossRate, edge.generator) = (0.05, SeededGenerator(seed: seed))
            #expect(Self.time(of: 300_000, edge) < 2)
            var threeG = Stream(125_000, way: .milliseconds(150))
            (threeG.lossRate, threeG.generator) = (0.02, SeededGenerator(seed: seed))
            #expect(Self.time(of: 400_000, threeG) < 2)
        }
    }

    /// A rate of an idle line would be too low, and none better could follow.
    @Test("The rate follows a line that becomes slower, and faster again", arguments: [20, 400])
    func changingLine(way: Int) {
        var stream = Stream(250_000, way: .milliseconds(way))
        stream.run(until: stream.now.advanced(by: .seconds(20)))
        stream.bytesPerSecond = 50_000
        stream.freeAt = stream.now.advanced(by: .seconds(4))
        stream.run(until: stream.now.advanced(by: .seconds(30)))
        let slow = stream.pacer?.bytesPerSecond ?? 0
        #expect(slow > 40_000 && slow < 75_000, "\(slow)")
        stream.bytesPerSecond = 250_000
        stream.run(until: stream.now.advanced(by: .seconds(10)))
        let before = stream.bulkWritten
        stream.run(until: stream.now.advanced(by: .seconds(10)))
        let fast = stream.pacer?.bytesPerSecond ?? 0
        #expect(fast > 200_000 && fast < 325_000, "\(fast)")
        #expect(stream.bulkWritten - before > 2_000_000)
    }

    @Test("A round trip that becomes longer slows bulk for a short time only")
    func longerRoundTrip() {
        var stream = Stream(25_000, way: .milliseconds(50))
        stream.run(until: stream.now.advanced(by: .seconds(30)))
        stream.way = .milliseconds(300)
        stream.run(until: stream.now.advanced(by: .seconds(20)))
        let before = stream.bulkWritten
        stream.run(until: stream.now.advanced(by: .seconds(20)))
        #expect(stream.bulkWritten - before > 425_000)
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
        var now = Instant(nanoseconds: 5)
        #expect(pacer.bulkAllowance(at: now) == 4096)
        let part = pacer.sentBulk(bytes: 1000, at: now)
        #expect(part == nil && pacer.bulkAllowance(at: now) == 3096)
        // Less than 512 bytes would be left of the chunk.
        let first = pacer.sentBulk(bytes: 2600, at: now)
        #expect(first == 1)
        let second = pacer.sentBulk(bytes: 4000, at: now)
        #expect(second == 3)
        #expect(pacer.bulkAllowance(at: now) == 0)
        now = now.advanced(by: .milliseconds(100))
        let isKnown = [7, 2, 1, 1].map { pacer.pong(token: $0, at: now) }
        #expect(isKnown == [false, false, true, false])
        #expect(pacer.bulkAllowance(at: now) > 0 && pacer.bytesPerSecond == nil)
        // Both chunks were on the line at the same time, so the second shows the rate.
        now = now.advanced(by: .milliseconds(40))
        let isSecondKnown = pacer.pong(token: 3, at: now)
        #expect(isSecondKnown && pacer.bytesPerSecond == 100_000)
    }

    @Test("A pong to another's ping answers the chunks before that ping, and no others")
    func otherPings() {
        var pacer = StreamPacer()
        let now = Instant(nanoseconds: 5)
        let later = now.advanced(by: .milliseconds(100))
        pacer.sentOtherPing()
        let tokens = (0..<2).map { _ in pacer.sentBulk(bytes: 4096, at: now) }
        #expect(tokens == [1, 3])
        pacer.otherPong(sentAt: now, at: later)
        #expect(pacer.bulkAllowance(at: later) == 0)
        pacer.sentOtherPing()
        pacer.otherPong(sentAt: now, at: later)
        let isKnown = [1, 3].map { pacer.pong(token: $0, at: later) }
        #expect(isKnown == [false, false] && pacer.bulkAllowance(at: later) > 0)
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
            #expect(allowed > 0 || !tokens.isEmpty)
            #expect(tokens.count < 64 || allowed == 0)
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
        let pacer = StreamPacer(bytesPerSecond: 1_000_000)
        #expect(pacer.bytesPerSecond == 1_000_000)
        #expect(pacer.bulkAllowance(at: .zero) == 4096)
    }
}
