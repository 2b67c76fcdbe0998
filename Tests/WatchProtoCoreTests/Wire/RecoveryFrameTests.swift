import Testing

@testable import WatchProtoCore

/// The frames of loss recovery, liveness and early data: round trips, vectors, refusals.
@Suite struct RecoveryFrameTests {
    private static func ranges(_ ranges: [ClosedRange<UInt64>]) -> NumberRanges {
        var numbers = NumberRanges()
        for range in ranges { numbers.insert(range) }
        return numbers
    }

    private static func bytes(_ write: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter()
        write(&writer)
        return writer.bytes
    }

    /// A frame, or the error that reading it gave.
    private static func read(_ bytes: [UInt8]) -> Result<Frame, WireError> {
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            let frame = try Frame.read(&reader).frame
            try reader.finish("end of the frame")
            return .success(frame)
        } catch {
            return .failure(error)
        }
    }

    private static let frames: [(Frame, [UInt8])] = [
        (
            .ack(AckFrame(packets: ranges([3...5, 9...10]), delayMicroseconds: 300)),
            [0x04, 0xAC, 0x02, 10, 2, 1, 2, 2]
        ),
        (.ack(AckFrame(packets: ranges([0...0]), delayMicroseconds: 0)), [0x04, 0, 0, 1, 0]),
        (
            .arrival(ArrivalFrame(microseconds: 300, recoveredPackets: 2)),
            [0x42, 3, 0xAC, 0x02, 2]
        ),
        (
            .repair(RepairFrame(first: 5, count: 3, index: 31, bytes: [7, 8, 9])),
            [0x43, 6, 5, 3, 31, 7, 8, 9]
        ),
        (.ping(PingFrame(token: 128, isPong: false)), [0x01, 0x80, 0x01]),
        (.ping(PingFrame(token: 7, isPong: true)), [0x02, 7]),
        (.close(CloseFrame(code: .stalled)), [0x03, 5]),
        (.close(CloseFrame(code: CloseCode(rawValue: 200))), [0x03, 200]),
        (
            .earlyData(EarlyDataFrame(counter: 9, answer: .accepted(NumberRanges()))),
            [0x05, 9, 0]
        ),
        (
            .earlyData(EarlyDataFrame(counter: 9, answer: .accepted(ranges([0...2])))),
            [0x05, 9, 1, 2, 1, 2]
        ),
        (.earlyData(EarlyDataFrame(counter: 300, answer: .rejected)), [0x05, 0xAC, 0x02, 2]),
    ]

    /// LR-12, LR-13, LR-14 (the frames alone).
    @Test("Frames have the bytes of the wire format and read back")
    func bytesAndBack() {
        for (frame, bytes) in Self.frames {
            #expect(WireFixture.bytes(frame) == bytes)
            #expect(Self.read(bytes) == .success(frame))
        }
    }

    @Test("Every truncation of a frame is refused")
    func truncations() {
        for (frame, bytes) in Self.frames {
            for length in 1..<bytes.count {
                guard case .failure = Self.read(Array(bytes[..<length])) else {
                    Issue.record("\(frame) in \(length) bytes")
                    continue
                }
            }
        }
    }

    @Test(
        "Values outside their range are refused",
        arguments: [
            // LR-3: no range, more ranges than 32, a range below 0, a gap below 0.
            [0x04, 0, 9, 0], [0x04, 0, 200, 1, 33], [0x04, 0, 3, 1, 4], [0x04, 0, 9, 2, 3, 5, 0],
            // LR-6: more bytes than the numbers have.
            [0x42, 3, 1, 2, 0],
            // LR-8: no packets, 129 packets, index 32, a combination of one byte.
            [0x43, 5, 0, 0, 0, 1, 2], [0x43, 6, 0, 0x81, 1, 0, 1, 2], [0x43, 5, 0, 1, 32, 1, 2],
            [0x43, 4, 0, 1, 0, 1],
            // LR-12: an unknown verdict, an early packet number of 512.
            [0x05, 0, 3], [0x05, 0, 1, 0x80, 4, 1, 0],
        ] as [[UInt8]])
    func outOfRange(_ bytes: [UInt8]) {
        guard case .failure = Self.read(bytes) else {
            Issue.record("\(bytes) was read")
            return
        }
    }

    @Test("Random bytes are refused or read back to the same bytes")
    func randomBytes() {
        var generator = SeededGenerator(seed: 77)
        let types: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x42, 0x43]
        var read = 0
        for _ in 0..<20_000 {
            var bytes = [types[Int(generator.uniform(in: 0...6))]]
            for _ in 0..<generator.uniform(in: 0...12) {
                bytes.append(
                    UInt8(generator.uniform(in: generator.chance(0.7) ? 0...6 : 0...255)))
            }
            guard case .success(let frame) = Self.read(bytes) else { continue }
            read += 1
            #expect(WireFixture.bytes(frame) == bytes)
        }
        #expect(read > 500, "only \(read) were read")
    }

    @Test("An acknowledgement of any packets fits, with the longest delay, or holds one range")
    func anyAckFits() throws {
        var generator = SeededGenerator(seed: 78)
        for _ in 0..<2000 {
            var numbers = NumberRanges()
            let shift = generator.uniform(in: 0...61)
            for _ in 0..<generator.uniform(in: 1...40) {
                let first = generator.next() >> (63 - shift)
                let length = generator.next() >> generator.uniform(in: 32...63)
                numbers.insert(first...min(first + length, 1 << 62 - 1))
            }
            numbers.keepNewest(Limits().ackRanges)
            let delay = min(
                AckFrame.longestDelay, generator.next() >> generator.uniform(in: 0...63))
            var frame = AckFrame(packets: numbers, delayMicroseconds: delay)
            var single = frame
            single.packets.keepNewest(1)
            let least = Self.bytes { single.write(to: &$0) }.count
            let room = Int(generator.uniform(in: 0...200)) - 20
            frame.fit(room)
            let bytes = Self.bytes { frame.write(to: &$0) }
            #expect(bytes.count <= max(room, least), "\(numbers) in \(room)")
            #expect(frame.packets.last == numbers.last)
            #expect(
                frame.packets.ranges == Array(numbers.ranges.suffix(frame.packets.ranges.count)))
            let body = Array(bytes.dropFirst())
            var reader = WireReader(body.span)
            #expect(try AckFrame.read(&reader) == frame)
        }
    }

    @Test("An acknowledgement fits the bytes it is given, and the newest range stays")
    func ackFits() {
        var numbers = NumberRanges()
        for place in UInt64(0)..<32 { numbers.insert((place * 1000)...(place * 1000 + 300)) }
        for room in 0..<160 {
            var frame = AckFrame(packets: numbers, delayMicroseconds: 1000)
            frame.fit(room)
            let count = Self.bytes { frame.write(to: &$0) }.count
            #expect(count <= max(room, 10), "\(count) bytes in \(room)")
            #expect(frame.packets.last == 31_300)
        }
        var frame = AckFrame(packets: numbers, delayMicroseconds: 1000)
        frame.fit(1000)
        #expect(frame.packets == numbers)
    }
}
