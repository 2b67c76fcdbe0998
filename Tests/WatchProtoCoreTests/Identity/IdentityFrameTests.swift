import Testing

@testable import WatchProtoCore

@Suite("The frames of tickets and epochs")
struct IdentityFrameTests {
    private func written(_ write: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter()
        write(&writer)
        return writer.bytes
    }

    @Test("Positions and ticket answers round-trip; every truncation is refused")
    func ticketFrames() {
        for position in [UInt64(1), 127, 128, RecordNumber.largest] {
            let frame = PositionFrame(position: position)
            WireCheck.roundTrips(
                frame, written { frame.write(to: &$0) }, typed: .position
            ) { (reader) throws(WireError) in try PositionFrame.read(&reader) }
        }
        for answer in TicketAnswer.allCases {
            let top = VersionMark(epoch: EpochID(rawValue: 7), version: 300)
            for held in [nil, HeldPresentation(top: nil, digest: 1), .init(top: top, digest: 2)] {
                let frame = TicketAnswerFrame(answer: answer, held: held)
                WireCheck.roundTrips(
                    frame, written { frame.write(to: &$0) }, typed: .ticketAnswer
                ) { (reader) throws(WireError) in
                    try TicketAnswerFrame.read(&reader)
                }
            }
        }
    }

    @Test(
        "A position of 0, or above 2^62 − 1, and an answer without meaning are refused",
        arguments: [[0], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]] as [[UInt8]])
    func outOfRange(_ bytes: [UInt8]) {
        let position = WireCheck.read(bytes) { (reader) throws(WireError) in
            try PositionFrame.read(&reader)
        }
        #expect(position == nil)
        let answer = WireCheck.read([16]) { (reader) throws(WireError) in
            try TicketAnswerFrame.read(&reader)
        }
        #expect(answer == nil)
    }

    @Test("Lists of epochs round-trip; an empty, a too long and a zero one are refused")
    func epochLists() {
        for count in [1, 2, 32] {
            let ids = (1...count).map { EpochID(rawValue: UInt64($0) << 33) }
            for type in [FrameType.epochOver, .epochClosed, .epochsKnown] {
                let frame = EpochListFrame(type: type, epochs: ids)
                WireCheck.roundTrips(
                    frame, written { frame.write(to: &$0) }, typed: type
                ) { (reader) throws(WireError) in try reader.read(EpochListFrame(type: type)) }
            }
        }
        for ids in [[], [0], Array(repeating: UInt64(1), count: 33)] {
            let bytes = written {
                EpochListFrame(type: .epochClosed, epochs: ids.map { EpochID(rawValue: $0) }).write(
                    to: &$0)
            }
            let frame = WireCheck.read(Array(bytes.dropFirst())) { (reader) throws(WireError) in
                try EpochListFrame.read(&reader)
            }
            #expect(frame == nil)
        }
        #expect(EpochListFrame.count(in: 18) == 2)
        #expect(EpochListFrame.count(in: 17) == 1)
        #expect(EpochListFrame.count(in: 0) == 0)
    }

    @Test("Damaged epochs frames are refused, or read as the one frame that is written so")
    func damagedEpochs() {
        for seed in UInt64(1)...2000 {
            var generator = SeededGenerator(seed: seed)
            let epochs = (0...generator.next() % 4).map { _ in
                HelloTests.listed(EpochID(rawValue: generator.next() | 1), &generator)
            }
            let frame = EpochsFrame(first: 1 + Int(generator.next() % 1000), epochs: epochs)
            let bytes = Array(written { frame.write(to: &$0) }.dropFirst())
            WireCheck.survives(
                seed, bytes,
                read: { (reader) throws(WireError) in
                    try EpochsFrame.read(&reader)
                },
                write: { frame, writer in
                    writer.bytes += written { frame.write(to: &$0) }.dropFirst()
                })
        }
    }

    /// Shows I-72, I-73.
    @Test("A list of epochs comes together from frames that are lost, repeated and reordered")
    func listing() throws {
        for seed in UInt64(1)...40 {
            var generator = SeededGenerator(seed: seed)
            let count = 1 + generator.next() % 1023
            var hello = Hello(tickets: TicketPresentation())
            hello.earlier = (1...count).map {
                HelloTests.listed(EpochID(rawValue: $0), &generator)
            }
            let whole = hello.earlier
            let left = hello.fit(166)
            var telling = EpochTelling(hello, left: left)
            var listing = EpochListing(hello)
            var heard = hello.earlier
            let anew = (1...3).map { HelloTests.listed(EpochID(rawValue: 5000 + $0), &generator) }
            var frames: [(bytes: [UInt8], told: Range<Int>)] = []
            var hasAppended = false
            for _ in 0..<20_000 where telling.isDue || !frames.isEmpty || !hasAppended {
                if !hasAppended, generator.chance(0.1) {
                    telling.append(anew)
                    hasAppended = true
                }
                if generator.chance(0.5) {
                    var writer = WireWriter()
                    let room = 70 + Int(generator.next() % 200)
                    if let told = telling.writeFrame(to: &writer, room: room) {
                        #expect(writer.count <= room)
                        frames.append((writer.bytes, told))
                    }
                } else if !frames.isEmpty {
                    let place = Int(generator.next() % UInt64(frames.count))
                    let frame = frames[place]
                    if generator.chance(0.8) { frames.remove(at: place) }
                    if generator.chance(0.2) {
                        telling.lost(frame.told)
                        continue
                    }
                    let read = WireCheck.read(Array(frame.bytes.dropFirst())) {
                        (reader) throws(WireError) in
                        try EpochsFrame.read(&reader)
                    }
                    heard += listing.receive(try #require(read))
                }
            }
            #expect(listing.isComplete)
            #expect(heard == Array((whole + anew).prefix(RecordAddress.largestIndex)))
        }
    }
}
