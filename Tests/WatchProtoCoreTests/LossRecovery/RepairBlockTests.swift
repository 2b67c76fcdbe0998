import Testing

@testable import WatchProtoCore

/// FEC blocks: what the encoder gathers, what the decoder stores, what it recovers.
@Suite struct RepairBlockTests {
    /// Frames of packet `number`, of that many bytes.
    private static func frames(_ number: UInt64, bytes: Int = 5) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: number &* 31 &+ UInt64($0)) }
    }

    private static func block(
        _ numbers: ClosedRange<UInt64>, bytes: Int = 5
    ) -> RepairEncoder {
        var encoder = RepairEncoder()
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

    // MARK: Encoding

    @Test("The repair packet of a block of one is a copy")
    func theRepairPacketOfABlockOfOne() {
        let frame = Self.block(7...7).frame(index: 0)
        #expect(frame.first == 7 && frame.count == 1 && frame.index == 0)
        var decoder = RepairDecoder()
        let isTaken = decoder.arrived(frame, received: NumberRanges())
        let recovered = decoder.recovered(received: NumberRanges())
        #expect(isTaken)
        #expect(recovered.map { $0.number } == [7])
        #expect(recovered.map { $0.frames } == [Self.frames(7)])
        #expect(!decoder.isWaiting)
    }

    @Test("A gap in the numbers begins a new block")
    func aGapInTheNumbersBeginsANew() {
        var encoder = Self.block(4...6)
        #expect(encoder.first == 4 && encoder.count == 3)
        encoder.add(8, [1], isUrgent: true)
        #expect(encoder.first == 8 && encoder.count == 1 && encoder.bytes == 3)
        #expect(encoder.longest == 3 && encoder.isUrgent)
        encoder.removeAll()
        #expect(encoder.count == 0 && encoder.bytes == 0 && !encoder.isUrgent)
    }

    /// LR-8.
    @Test("A block is bounded in packets and bytes")
    func aBlockIsBoundedInPacketsAndBytes() {
        var encoder = Self.block(0...126)
        #expect(encoder.hasRoom(for: 5))
        encoder.add(127, [1], isUrgent: false)
        #expect(encoder.count == RepairFrame.mostPackets && !encoder.hasRoom(for: 1))
        encoder.add(128, [1], isUrgent: false)
        #expect(encoder.first == 128 && encoder.count == 1)

        var long = Self.block(0...0, bytes: 60_000)
        #expect(long.hasRoom(for: 65_536 - 60_002 - 2))
        #expect(!long.hasRoom(for: 65_536 - 60_002 - 1))
        long.add(1, Self.frames(1, bytes: 60_000), isUrgent: false)
        #expect(long.first == 1 && long.count == 1)
        // A length of more than two bytes has no encoding.
        long.add(2, Self.frames(2, bytes: 65_535), isUrgent: false)
        #expect(long.count == 0)
    }

    @Test(
        "A repair frame is no longer than its stated overhead",
        arguments: [UInt64(0), 127, 128, 1 << 40])
    func aRepairFrameIsNoLongerThanIts(_ first: UInt64) {
        var encoder = RepairEncoder()
        for place in 0..<UInt64(128) {
            encoder.add(first + place, Self.frames(place, bytes: 500), isUrgent: false)
        }
        var writer = WireWriter()
        encoder.frame(index: 31).write(to: &writer)
        #expect(writer.count <= 500 + RepairEncoder.overhead(first: first))
    }

    // MARK: Decoding

    @Test(
        "Lost packets are recovered whichever packet arrives last",
        arguments: [[3], [3, 7], [3, 4, 5], [3, 5, 8]] as [[UInt64]])
    func lostPacketsAreRecoveredWhicheverPacketArrivesLast(_ lost: [UInt64]) {
        let encoder = Self.block(3...8)
        let repairs = lost.indices.map { encoder.frame(index: $0) }
        let arrived = (UInt64(3)...8).filter { !lost.contains($0) }
        // The events: packets, or nil for a repair packet; each turn begins with another.
        let all = arrived.map { Optional($0) } + repairs.map { _ in UInt64?.none }
        for turn in all.indices {
            var decoder = RepairDecoder()
            var received = NumberRanges()
            var rows = repairs
            var found: [RepairDecoder.Recovered] = []
            for event in all[turn...] + all[..<turn] {
                if let number = event {
                    received.insert(number)
                    decoder.arrived(number, Self.frames(number))
                } else {
                    let isTaken = decoder.arrived(rows.removeFirst(), received: received)
                    #expect(isTaken)
                }
                #expect(found.isEmpty, "too early in turn \(turn)")
                found += decoder.recovered(received: received)
            }
            #expect(found.map { $0.number } == lost, "turn \(turn)")
            #expect(found.map { $0.frames } == lost.map { Self.frames($0) }, "turn \(turn)")
        }
    }

    @Test("A repair packet that recovers nothing is not stored")
    func aRepairPacketThatRecoversNothingIsNot() {
        let encoder = Self.block(3...8)
        var decoder = RepairDecoder()
        let needless = decoder.arrived(encoder.frame(index: 0), received: Self.numbers([0...9]))
        #expect(!needless)
        let received = Self.numbers([3...6])
        let isNew = (0..<2).map { _ in decoder.arrived(encoder.frame(index: 0), received: received)
        }
        #expect(isNew == [true, false])
        // Once the packets have come, the repair packet goes.
        #expect(decoder.isWaiting)
        let found = decoder.recovered(received: Self.numbers([3...8]))
        #expect(found.isEmpty && !decoder.isWaiting)
    }

    /// It solves for the forgotten packets as well, and reports only the lost one.
    @Test("A block with packets no longer stored waits for more repair packets")
    func aBlockWithPacketsNoLongerStoredWaits() {
        let encoder = Self.block(0...3)
        var decoder = RepairDecoder()
        var received = Self.numbers([0...2])
        for number in UInt64(0)...2 { decoder.arrived(number, Self.frames(number)) }
        for number in UInt64(10)..<10 + 256 {
            received.insert(number)
            decoder.arrived(number, [1])
        }
        _ = decoder.arrived(encoder.frame(index: 0), received: received)
        let found = decoder.recovered(received: received)
        // It waits for as many as were forgotten and lost; then it reports only the lost one.
        #expect(found.isEmpty && decoder.isWaiting)
        for row in 1..<4 {
            let isNew = decoder.arrived(encoder.frame(index: row), received: received)
            #expect(isNew)
        }
        let solved = decoder.recovered(received: received)
        #expect(solved.map { $0.number } == [3])
        #expect(solved.map { $0.frames } == [Self.frames(3)])
    }

    /// LR-11.
    @Test("A flood of repair packets stays within the bounds")
    func aFloodOfRepairPacketsStaysWithinThe() throws {
        var decoder = RepairDecoder()
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<3000 {
            let bytes = Int(generator.uniform(in: 2...UInt64(9000)))
            _ = decoder.arrived(
                RepairFrame(
                    first: generator.uniform(in: 0...(1 << 62)),
                    count: Int(generator.uniform(in: 2...128)),
                    index: Int(generator.uniform(in: 0...31)),
                    bytes: [UInt8](repeating: 7, count: bytes)), received: NumberRanges())
        }
        let kept = decoder.stored
        #expect(kept.repairs > 1 && kept.repairs <= RepairFrame.mostRepairs)
        #expect(kept.repairBytes <= 2 * RepairEncoder.byteLimit)
        let huge = RepairFrame(
            first: 0, count: 2, index: 0,
            bytes: [UInt8](repeating: 7, count: RepairEncoder.byteLimit + 1))
        let isTaken = decoder.arrived(huge, received: NumberRanges())
        #expect(!isTaken)
        // The newest is among them.
        let last = Self.block(9...9).frame(index: 0)
        _ = decoder.arrived(last, received: NumberRanges())
        let found = decoder.recovered(received: NumberRanges())
        #expect(found.contains { $0.number == 9 && $0.frames == Self.frames(9) })
    }

    /// LR-11.
    @Test("A flood of packets stays within the bounds")
    func aFloodOfPacketsStaysWithinTheBounds() throws {
        var decoder = RepairDecoder()
        var generator = SeededGenerator(seed: 5)
        for number in UInt64(0)..<1000 {
            decoder.arrived(number, [1, 2, 3])
            // Repeated, and out of order.
            decoder.arrived(generator.uniform(in: 0...number), [1, 2, 3])
        }
        var kept = decoder.stored
        #expect(kept.packets == 2 * RepairFrame.mostPackets)
        #expect(kept.packetBytes == kept.packets * 5)
        for number in UInt64(1000)..<1100 {
            decoder.arrived(number, [UInt8](repeating: 1, count: 40_000))
        }
        kept = decoder.stored
        #expect(kept.packets >= 1 && kept.packetBytes <= 2 * RepairEncoder.byteLimit)
        decoder.arrived(2000, [UInt8](repeating: 1, count: RepairEncoder.byteLimit))
        let after = decoder.stored
        #expect(after.packets == kept.packets && after.packetBytes == kept.packetBytes)
    }

    /// A counterpart that combined something else harms nobody.
    @Test("Repair packets of something else recover what fits or nothing")
    func repairPacketsOfSomethingElseRecoverWhatFits() {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<500 {
            var decoder = RepairDecoder()
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
                    RepairFrame(first: 0, count: count, index: row, bytes: bytes),
                    received: received)
            }
            for packet in decoder.recovered(received: received) {
                #expect(!received.contains(packet.number) && packet.number < UInt64(count))
                #expect(packet.frames.count <= 10)
            }
        }
        // A length of more than there is.
        var decoder = RepairDecoder()
        let source: [UInt8] = [9, 0, 1]
        let bytes = ErasureCode.combine([source], index: 0)
        _ = decoder.arrived(
            RepairFrame(first: 0, count: 1, index: 0, bytes: bytes), received: NumberRanges())
        let found = decoder.recovered(received: NumberRanges())
        #expect(found.isEmpty && !decoder.isWaiting)
    }
}
