import Testing

@testable import WatchProtoCore

@Suite("Frames of ordered channels")
struct OrderedFrameTests {
    static let limits = Limits()

    /// Examples at both ends of every field.
    static var records: [RecordFrame] {
        let far = RecordAddress(epochIndex: 255, number: RecordNumber.largest)
        var full = RecordFrame(
            channel: .interactive, address: far,
            predecessor: RecordAddress(epochIndex: 255, number: 1), kind: .opaque,
            payload: [1, 2, 3])
        full.expectsReply = true
        full.inReplyTo = RecordNumber(9)
        full.expiresAt = WallTime(milliseconds: .min)
        full.idempotencyKey = .max
        return [
            RecordFrame(
                channel: .background, address: RecordAddress(epochIndex: 0, number: 1),
                kind: .opaque, payload: []),
            RecordFrame(
                channel: .bulk, address: RecordAddress(epochIndex: 0, number: 1),
                predecessor: RecordAddress(epochIndex: 3, number: RecordNumber.largest),
                kind: .opaque, payload: [9]),
            full,
        ]
    }

    static var acknowledgements: [AcknowledgementFrame] {
        var numbers = NumberRanges()
        for start in stride(from: 5 as UInt64, to: 165, by: 5) { numbers.insert(start...start + 2) }
        var last = NumberRanges()
        last.insert(RecordNumber.largest)
        return [
            AcknowledgementFrame(
                channel: .background, isApplied: true, epochIndex: 0, numbers: numbers),
            AcknowledgementFrame(channel: .bulk, isApplied: false, epochIndex: 7, numbers: last),
        ]
    }

    static var outcomes: [OutcomeFrame] {
        let words: [OutcomeFrame.Word] = [
            .skipped, .cancelled, .expired, .rejected(code: 65_534), .unknown,
        ]
        return words.map {
            OutcomeFrame(
                channel: .background, epochIndex: 2, numbers: 4...RecordNumber.largest, word: $0)
        }
    }

    /// Each example as bytes, and what its bytes are read and written again as.
    static var examples: [[UInt8]] {
        var all: [[UInt8]] = []
        func add(_ write: (inout WireWriter) -> Void) {
            var writer = WireWriter()
            write(&writer)
            all.append(writer.bytes)
        }
        let address = RecordAddress(epochIndex: 1, number: 300)
        for frame in records { add { frame.write(to: &$0) } }
        for frame in acknowledgements { add { frame.write(to: &$0) } }
        for frame in outcomes { add { frame.write(to: &$0) } }
        add { WatermarkFrame(channel: .bulk, address: address).write(to: &$0) }
        add { ReceivedFrame(channel: .bulk, address: address).write(to: &$0) }
        add { CreditFrame(channel: .bulk, records: 7, bytes: RecordNumber.largest).write(to: &$0) }
        add { TryLaterFrame(channel: .bulk, address: address, records: 16).write(to: &$0) }
        for isExpired in [true, false] {
            add {
                CancelFrame(
                    channel: .background, address: address,
                    predecessor: isExpired ? RecordAddress(epochIndex: 1, number: 2) : nil,
                    isExpired: isExpired
                ).write(to: &$0)
            }
        }
        add {
            EpochHeldFrame(
                epoch: EpochID(rawValue: .max),
                parts: [
                    .init(channel: .background, through: RecordNumber.largest, watermark: 0),
                    .init(channel: .bulk, through: 5, watermark: 5),
                ]
            ).write(to: &$0)
        }
        return all
    }

    /// Reads one frame and writes it again.
    static func again(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
        var reader = WireReader(bytes.span)
        var writer = WireWriter()
        try Frame.read(&reader).frame.write(to: &writer)
        try reader.finish("end of the frame")
        return writer.bytes
    }

    @Test("Every example is read and written as the same bytes")
    func roundTrips() throws {
        for bytes in Self.examples { #expect(try Self.again(bytes) == bytes) }
    }

    @Test("A predecessor must precede its record")
    func predecessors() throws {
        // A cancel whose predecessor is itself writes a distance of 0, which no reader takes.
        let address = RecordAddress(epochIndex: 1, number: 300)
        var writer = WireWriter()
        CancelFrame(
            channel: .background, address: address, predecessor: address, isExpired: false
        ).write(to: &writer)
        let bytes = writer.bytes
        #expect(throws: WireError.self) { try Self.again(bytes) }
    }

    @Test("Every truncation is refused")
    func truncations() {
        for bytes in Self.examples {
            for count in bytes.indices.dropFirst() {
                let cut = Array(bytes[..<count])
                #expect(throws: WireError.self) { try Self.again(cut) }
            }
        }
    }

    @Test("Random bytes are refused or read as one canonical frame, and never trap")
    func randomBytes() {
        var random = SeededGenerator(seed: 7)
        let types: [FrameType] = [
            .record, .acknowledgement, .outcome, .watermark, .received, .credit, .tryLater,
            .cancel, .epochHeld,
        ]
        var accepted = 0
        for _ in 0..<60_000 {
            let type = types[Int(random.uniform(in: 0...8))]
            var bytes = [type.rawValue]
            for _ in 0..<random.uniform(in: 1...14) {
                // Small bytes and ends of long numbers are likelier to be accepted.
                let mask: UInt8 = random.chance(0.7) ? 15 : 255
                bytes.append(UInt8(truncatingIfNeeded: random.next()) & mask)
            }
            guard let written = try? Self.again(bytes) else { continue }
            accepted += 1
            #expect(written == bytes)
        }
        #expect(accepted > 100)
    }
}
