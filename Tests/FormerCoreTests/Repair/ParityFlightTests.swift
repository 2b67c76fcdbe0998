import Testing

@testable import FormerCore

/// What is gathered of a flight, what is kept of what arrives, and what comes of it.
@Suite struct ParityFlightTests {
    /// Frames of packet `number`, of that many bytes.
    private static func frames(_ number: UInt64, bytes: Int = 5) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: number &* 31 &+ UInt64($0)) }
    }

    private static func flight(
        _ numbers: ClosedRange<UInt64>, bytes: Int = 5
    ) -> ParityEncoder {
        var encoder = ParityEncoder()
        for number in numbers {
            encoder.add(number, frames(number, bytes: bytes), isUrgent: false)
        }
        return encoder
    }

    private static func numbers(_ ranges: [ClosedRange<UInt64>]) -> NumberRanges {
        var numbers = NumberRanges()
        for range in ranges { numbers.insert(range) }
        return numbers
    }

    /// Bytes that a decoder keeps, looked up in it.
    private static func bytesKept(
        _ decoder: ParityDecoder
    ) throws -> (packets: Int, bytes: Int, parities: Int, parityBytes: Int) {
        var kept = (packets: 0, bytes: 0, parities: 0, parityBytes: 0)
        for child in Mirror(reflecting: decoder).children {
            switch child.label {
            case "packets":
                for packet in Mirror(reflecting: child.value).children {
                    let fields = Mirror(reflecting: packet.value).children
                    let source = try #require(fields.first { $0.label == "source" })
                    kept.packets += 1
                    kept.bytes += try #require(source.value as? [UInt8]).count
                }
            case "parities":
                let parities = try #require(child.value as? [ParityFrame])
                kept.parities = parities.count
                kept.parityBytes = parities.reduce(0) { $0 + $1.bytes.count }
            default: break
            }
        }
        return kept
    }

    // MARK: Encoding

    @Test func a_flight_of_one_is_sent_twice() {
        let frame = Self.flight(7...7).frame(row: 0)
        #expect(frame.first == 7 && frame.count == 1 && frame.row == 0)
        var decoder = ParityDecoder()
        let isTaken = decoder.arrived(frame, received: NumberRanges())
        let restored = decoder.restored(received: NumberRanges())
        #expect(isTaken)
        #expect(restored.map { $0.number } == [7])
        #expect(restored.map { $0.frames } == [Self.frames(7)])
        #expect(!decoder.isWaiting)
    }

    @Test func a_gap_begins_a_flight_anew() {
        var encoder = Self.flight(4...6)
        #expect(encoder.first == 4 && encoder.count == 3)
        encoder.add(8, [1], isUrgent: true)
        #expect(encoder.first == 8 && encoder.count == 1 && encoder.bytes == 3)
        #expect(encoder.longest == 3 && encoder.isUrgent)
        encoder.removeAll()
        #expect(encoder.count == 0 && encoder.bytes == 0 && !encoder.isUrgent)
    }

    @Test func a_flight_has_an_end() {
        var encoder = Self.flight(0...126)
        #expect(encoder.hasRoom(for: 5))
        encoder.add(127, [1], isUrgent: false)
        #expect(encoder.count == ParityFrame.largestCount && !encoder.hasRoom(for: 1))
        encoder.add(128, [1], isUrgent: false)
        #expect(encoder.first == 128 && encoder.count == 1)

        var long = Self.flight(0...0, bytes: 60_000)
        #expect(long.hasRoom(for: 65_536 - 60_002 - 2))
        #expect(!long.hasRoom(for: 65_536 - 60_002 - 1))
        long.add(1, Self.frames(1, bytes: 60_000), isUrgent: false)
        #expect(long.first == 1 && long.count == 1)
        // A length of more than two bytes cannot be told.
        long.add(2, Self.frames(2, bytes: 65_535), isUrgent: false)
        #expect(long.count == 0)
    }

    /// It fits a packet whose own frames were kept shorter by this.
    @Test(arguments: [UInt64(0), 127, 128, 1 << 40])
    func a_parity_is_no_longer_than_is_reckoned(_ first: UInt64) {
        var encoder = ParityEncoder()
        for place in 0..<UInt64(128) {
            encoder.add(first + place, Self.frames(place, bytes: 500), isUrgent: false)
        }
        var writer = WireWriter()
        encoder.frame(row: 31).write(to: &writer)
        #expect(writer.count <= 500 + ParityEncoder.overhead(first: first))
        #expect(writer.count <= 502 + ParityFrame.overheadBytes)
    }

    // MARK: Decoding

    @Test(arguments: [[3], [3, 7], [3, 4, 5], [3, 5, 8]] as [[UInt64]])
    func what_is_lost_comes_back_whichever_arrives_last(_ lost: [UInt64]) {
        let encoder = Self.flight(3...8)
        let parities = lost.indices.map { encoder.frame(row: $0) }
        let arrived = (UInt64(3)...8).filter { !lost.contains($0) }
        // What arrives: a packet, or else a parity; each turn begins with another.
        let all = arrived.map { Optional($0) } + parities.map { _ in UInt64?.none }
        for turn in all.indices {
            var decoder = ParityDecoder()
            var received = NumberRanges()
            var rows = parities
            var found: [(number: UInt64, frames: [UInt8])] = []
            for event in all[turn...] + all[..<turn] {
                if let number = event {
                    received.insert(number)
                    decoder.arrived(number, Self.frames(number))
                } else {
                    let isTaken = decoder.arrived(rows.removeFirst(), received: received)
                    #expect(isTaken)
                }
                #expect(found.isEmpty, "too early in turn \(turn)")
                found += decoder.restored(received: received)
            }
            #expect(found.map { $0.number } == lost, "turn \(turn)")
            #expect(found.map { $0.frames } == lost.map { Self.frames($0) }, "turn \(turn)")
        }
    }

    @Test func what_helps_nobody_is_not_kept() {
        let encoder = Self.flight(3...8)
        var decoder = ParityDecoder()
        let needless = decoder.arrived(encoder.frame(row: 0), received: Self.numbers([0...9]))
        #expect(!needless)
        let received = Self.numbers([3...6])
        let isNew = (0..<2).map { _ in decoder.arrived(encoder.frame(row: 0), received: received) }
        #expect(isNew == [true, false])
        // Once the packets have come, the parity goes.
        #expect(decoder.isWaiting)
        let found = decoder.restored(received: Self.numbers([3...8]))
        #expect(found.isEmpty && !decoder.isWaiting)
    }

    /// Of packets that came and are not kept any more nothing can be solved, and nothing is told.
    @Test func packets_that_are_gone_restore_nothing() {
        let encoder = Self.flight(0...3)
        var decoder = ParityDecoder()
        var received = Self.numbers([0...2])
        for number in UInt64(0)...2 { decoder.arrived(number, Self.frames(number)) }
        for number in UInt64(10)..<10 + 256 {
            received.insert(number)
            decoder.arrived(number, [1])
        }
        _ = decoder.arrived(encoder.frame(row: 0), received: received)
        let found = decoder.restored(received: received)
        // It waits for as many as were forgotten and lost; then only what is new is told.
        #expect(found.isEmpty && decoder.isWaiting)
        for row in 1..<4 {
            let isNew = decoder.arrived(encoder.frame(row: row), received: received)
            #expect(isNew)
        }
        let solved = decoder.restored(received: received)
        #expect(solved.map { $0.number } == [3])
        #expect(solved.map { $0.frames } == [Self.frames(3)])
    }

    @Test func a_flood_of_parities_is_kept_in_bounds() throws {
        var decoder = ParityDecoder()
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<3000 {
            let bytes = Int(generator.uniform(in: 2...UInt64(9000)))
            _ = decoder.arrived(
                ParityFrame(
                    first: generator.uniform(in: 0...(1 << 62)),
                    count: Int(generator.uniform(in: 2...128)),
                    row: Int(generator.uniform(in: 0...31)),
                    bytes: [UInt8](repeating: 7, count: bytes)), received: NumberRanges())
        }
        let kept = try Self.bytesKept(decoder)
        #expect(kept.parities > 1 && kept.parities <= ParityFrame.largestRows)
        #expect(kept.parityBytes <= 2 * ParityEncoder.byteLimit)
        let huge = ParityFrame(
            first: 0, count: 2, row: 0,
            bytes: [UInt8](repeating: 7, count: ParityEncoder.byteLimit + 1))
        let isTaken = decoder.arrived(huge, received: NumberRanges())
        #expect(!isTaken)
        // The newest is among them.
        let last = Self.flight(9...9).frame(row: 0)
        _ = decoder.arrived(last, received: NumberRanges())
        let found = decoder.restored(received: NumberRanges())
        #expect(found.contains { $0.number == 9 && $0.frames == Self.frames(9) })
    }

    @Test func a_flood_of_packets_is_kept_in_bounds() throws {
        var decoder = ParityDecoder()
        var generator = SeededGenerator(seed: 5)
        for number in UInt64(0)..<1000 {
            decoder.arrived(number, [1, 2, 3])
            // Repeated, and out of order.
            decoder.arrived(generator.uniform(in: 0...number), [1, 2, 3])
        }
        var kept = try Self.bytesKept(decoder)
        #expect(kept.packets == 2 * ParityFrame.largestCount)
        #expect(kept.bytes == kept.packets * 5)
        for number in UInt64(1000)..<1100 {
            decoder.arrived(number, [UInt8](repeating: 1, count: 40_000))
        }
        kept = try Self.bytesKept(decoder)
        #expect(kept.packets >= 1 && kept.bytes <= 2 * ParityEncoder.byteLimit)
        decoder.arrived(2000, [UInt8](repeating: 1, count: ParityEncoder.byteLimit))
        let after = try Self.bytesKept(decoder)
        #expect(after.packets == kept.packets && after.bytes == kept.bytes)
    }

    /// A counterpart that combined something else harms nobody: what comes out is anything.
    @Test func combinations_of_something_else_give_what_fits_or_nothing() {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<500 {
            var decoder = ParityDecoder()
            var received = NumberRanges()
            let count = Int(generator.uniform(in: 1...6))
            for number in UInt64(0)..<UInt64(count) where generator.unitInterval() < 0.5 {
                received.insert(number)
                decoder.arrived(number, Self.frames(number, bytes: Int(number)))
            }
            for row in 0..<count {
                let length = Int(generator.uniform(in: 2...12))
                let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
                _ = decoder.arrived(
                    ParityFrame(first: 0, count: count, row: row, bytes: bytes),
                    received: received)
            }
            for packet in decoder.restored(received: received) {
                #expect(!received.contains(packet.number) && packet.number < UInt64(count))
                #expect(packet.frames.count <= 10)
            }
        }
        // A length of more than there is.
        var decoder = ParityDecoder()
        let source: [UInt8] = [9, 0, 1]
        let bytes = ParityCode.combine([source], row: 0)
        _ = decoder.arrived(
            ParityFrame(first: 0, count: 1, row: 0, bytes: bytes), received: NumberRanges())
        let found = decoder.restored(received: NumberRanges())
        #expect(found.isEmpty && !decoder.isWaiting)
    }
}
