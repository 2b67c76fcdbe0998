import Testing

@testable import WatchProtoCore

/// The frames of values: what is written is read again, and nothing else traps.
@Suite struct LatestFrameTests {
    static let name = ValueName(channel: .context, key: RecordKey(rawValue: 0xABCD << 64))

    static var values: [ValueFrame] {
        var frames: [ValueFrame] = []
        for bits in 0..<32 {
            var frame = ValueFrame(
                channel: bits & 1 == 0 ? .complication : .context,
                address: RecordAddress(epochIndex: bits % 3, number: 1 << UInt64(2 * bits % 62)),
                kind: TestKinds.text, key: RecordKey(rawValue: UInt128(bits) << 100),
                body: [UInt8](repeating: 7, count: bits))
            if bits & 2 != 0 { frame.handle = UInt64(bits * 200) }
            if bits & 4 != 0, frame.handle != nil { frame.key = nil }
            frame.marksBase = bits & 8 != 0
            frame.isDelta = bits & 16 != 0
            if bits & 24 != 0 { frame.base = .init(version: 300, payload: [1, 2]) }
            if bits & 5 == 5 { frame.expiresAt = WallTime(milliseconds: -1) }
            frames.append(frame)
        }
        return frames
    }

    /// Every form of every frame, as bytes.
    static var samples: [[UInt8]] {
        func bytes(_ write: (inout WireWriter) -> Void) -> [UInt8] {
            var writer = WireWriter()
            write(&writer)
            return writer.bytes
        }
        var samples = values.map { frame in bytes { frame.write(to: &$0) } }
        for subject: NeedBaseFrame.Subject in [
            .key(name), .handle(.context, 8191), .version(.complication, RecordNumber.largest),
        ] { samples.append(bytes { NeedBaseFrame(subject: subject).write(to: &$0) }) }
        let epochs = (1...16).map { EpochID(rawValue: $0) }
        let asked = [1, 16, 1 << 24 | 5].map { HeldQueryFrame.Asked(range: .init(number: $0)) }
        samples.append(
            bytes {
                HeldQueryFrame(listing: 300, ranges: asked, epochs: epochs).write(to: &$0)
            })
        samples.append(bytes { HeldQueryFrame(wantsDigest: true).write(to: &$0) })
        let question = HeldQueryFrame.Asked(wantsEntries: true)
        samples.append(
            bytes { HeldQueryFrame(listing: 1, ranges: [question]).write(to: &$0) })
        for number: UInt64 in [1, 31] {
            let parts = (0..<16).map { UInt16($0) << 8 }
            samples.append(
                bytes {
                    HeldRangesFrame(
                        listing: 1, range: .init(number: number), digest: number == 1 ? 7 : 0,
                        parts: parts
                    ).write(to: &$0)
                })
        }
        samples.append(bytes { ValueQueryFrame(name: name, offset: 65_536).write(to: &$0) })
        samples.append(bytes { NothingLostFrame().write(to: &$0) })
        samples.append(bytes { MendedFrame().write(to: &$0) })
        samples.append(bytes { RemovalWatermarkFrame(version: 1).write(to: &$0) })
        var ranges = NumberRanges()
        for range: ClosedRange<UInt64> in [1...3, 5...5, 1000...1100] { ranges.insert(range) }
        for isApplied in [true, false] {
            samples.append(
                bytes {
                    ValueAcknowledgementFrame(isApplied: isApplied, versions: ranges)
                        .write(to: &$0)
                })
        }
        samples.append(bytes { ValueOutcomeFrame(version: 9, rejection: nil).write(to: &$0) })
        samples.append(bytes { ValueOutcomeFrame(version: 9, rejection: 77).write(to: &$0) })
        let told = epochs.map { HeldDigestFrame.Epoch(id: $0, isKnown: $0.rawValue & 1 == 0) }
        samples.append(bytes { HeldDigestFrame(digest: 5, epochs: told).write(to: &$0) })
        let entries = [
            HeldFrame.Entry(
                name: name, version: 7, disposition: .rejected(code: 3), isRemoval: false,
                fingerprint: nil),
            HeldFrame.Entry(
                name: name, version: RecordNumber.largest, disposition: .pending, isRemoval: true,
                fingerprint: .max),
        ]
        samples.append(
            bytes {
                HeldFrame(
                    listing: 2, watermark: 3, range: .init(number: 18), total: 9, start: 4,
                    entries: entries
                )
                .write(to: &$0)
            })
        samples.append(bytes { HeldValueFrame(name: name, version: 0, piece: nil).write(to: &$0) })
        let piece = HeldValueFrame.Piece(
            kind: TestKinds.text, totalBytes: 9, offset: 3, bytes: [1, 2])
        samples.append(
            bytes { HeldValueFrame(name: name, version: 8, piece: piece).write(to: &$0) })
        return samples
    }

    /// Reads one frame and writes it again.
    static func rewritten(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
        var reader = WireReader(bytes.span)
        let frame = try ValuePair.read(&reader, Limits())
        try reader.finish("end of the frame")
        var writer = WireWriter()
        switch frame {
        case .value(let frame): frame.write(to: &writer)
        case .fragment(let frame): frame.write(to: &writer)
        case .nothingLost: NothingLostFrame().write(to: &writer)
        case .mended: MendedFrame().write(to: &writer)
        case .watermark(let frame): frame.write(to: &writer)
        case .heldQuery(let frame): frame.write(to: &writer)
        case .valueQuery(let frame): frame.write(to: &writer)
        case .acknowledgement(let frame): frame.write(to: &writer)
        case .outcome(let frame): frame.write(to: &writer)
        case .needBase(let frame): frame.write(to: &writer)
        case .digest(let frame): frame.write(to: &writer)
        case .ranges(let frame): frame.write(to: &writer)
        case .held(let frame): frame.write(to: &writer)
        case .heldValue(let frame): frame.write(to: &writer)
        case .epochsKnown, .epochs: break
        }
        return writer.bytes
    }

    @Test("Every form of every frame is read as it was written")
    func roundTrips() throws {
        for sample in Self.samples { #expect(try Self.rewritten(sample) == sample) }
        var frames: [ValueFrame] = []
        for frame in Self.values {
            var writer = WireWriter()
            frame.write(to: &writer)
            var reader = WireReader(writer.bytes.span)
            _ = try reader.byte("frame type")
            frames.append(try ValueFrame.read(&reader))
        }
        #expect(frames == Self.values)
    }

    @Test("Every truncated frame is refused")
    func truncations() {
        for sample in Self.samples {
            for count in 0..<sample.count {
                #expect(throws: WireError.self) {
                    try Self.rewritten(Array(sample.prefix(count)))
                }
            }
        }
    }

    @Test("Damaged frames are refused, or read as what they say, and never trap")
    func damaged() {
        var random = SeededGenerator(seed: 21)
        var refused = 0
        let samples = Self.samples
        for _ in 0..<20_000 {
            var bytes = samples[Int(random.uniform(in: 0...UInt64(samples.count - 1)))]
            for _ in 0...random.uniform(in: 0...2) {
                let place = Int(random.uniform(in: 0...UInt64(bytes.count - 1)))
                bytes[place] = UInt8(truncatingIfNeeded: random.next())
            }
            do throws(WireError) {
                let again = try Self.rewritten(bytes)
                #expect(again == bytes, "one encoding for each frame")
            } catch {
                refused += 1
            }
        }
        #expect(refused > 1000)
    }

    @Test("Damaged frames never trap the machines, and their memory stays bounded")
    func hostile() throws {
        var random = SeededGenerator(seed: 22)
        let samples = Self.samples
        for round in 0..<20 {
            var pair = ValuePair()
            for key in 0..<20 { try pair.write(UInt128(key), "v\(key)") }
            try pair.connect(lossless: round & 1 == 0)
            for _ in 0..<400 {
                var bytes = samples[Int(random.uniform(in: 0...UInt64(samples.count - 1)))]
                let place = Int(random.uniform(in: 0...UInt64(bytes.count - 1)))
                bytes[place] ^= UInt8(1) << UInt8(random.uniform(in: 0...7))
                do {
                    var reader = WireReader(bytes.span)
                    let frame = try ValuePair.read(&reader, Limits())
                    pair.toReceiver = []
                    pair.toSender = []
                    switch frame {
                    case .acknowledgement, .outcome, .needBase, .digest, .ranges, .held,
                        .heldValue:
                        pair.toSender = [frame]
                        try pair.deliverBackward()
                    default:
                        pair.toReceiver = [frame]
                        try pair.deliverForward()
                    }
                } catch is WireError {}
                if random.chance(0.1) {
                    pair.answerDeliveries()
                    pair.commitReceiver()
                    pair.commitSender()
                    try pair.transmitSender()
                    try pair.transmitReceiver()
                }
            }
            #expect(pair.receiver.values.table.count < 200)
            #expect(pair.sender.values.table.count < 200)
        }
    }
}
