import Testing

@testable import WatchProtoCore

@Suite("The hello")
struct HelloTests {
    /// Bytes of message 1 and 2 beside the hello, at most: version or kind, connection IDs, key
    /// share, masked counter, MAC, epoch, flags, counter, tag.
    static let fixedBytes = 75
    static let epoch = EpochID(rawValue: 77)

    static func bytes(_ hello: Hello) -> [UInt8] {
        var writer = WireWriter()
        hello.write(to: &writer)
        return writer.bytes
    }

    static func read(
        _ reader: inout WireReader, isAnswer: Bool
    ) throws(WireError) -> Hello {
        try Hello.read(&reader, epoch: epoch, isAnswer: isAnswer)
    }

    /// A number of any size up to 2^62 − 1.
    static func number(_ generator: inout SeededGenerator) -> UInt64 {
        generator.next() >> (2 + generator.next() % 62)
    }

    static let listedChannels: [Channel] = [.background, .bulk, .urgent]

    static func listed(_ id: EpochID, _ generator: inout SeededGenerator) -> ListedEpoch {
        var listed = ListedEpoch(id: id, announcedEnd: nil, numbers: [])
        if generator.chance(0.5) { listed.announcedEnd = number(&generator) }
        for channel in listedChannels where generator.chance(0.7) {
            let last = max(1, number(&generator))
            let watermark = generator.chance(0.3) ? last : number(&generator) % last
            listed.numbers.append(.init(channel: channel, last: last, watermark: watermark))
        }
        return listed
    }

    /// A hello of any state: up to 32 listed epochs, numbers up to 2^62.
    static func random(_ generator: inout SeededGenerator, isAnswer: Bool) -> Hello {
        var tickets = TicketPresentation()
        if generator.chance(0.9) {
            tickets.common = Ticket(rawValue: generator.next() | 1)
            tickets.position = number(&generator)
            tickets.counterpartPosition = number(&generator)
        }
        if generator.chance(0.4) {
            tickets.pending = Ticket(rawValue: generator.next() | 1)
            tickets.pendingPosition = number(&generator)
        }
        let answer = TicketAnswer.allCases[Int(generator.next() % 8)]
        var hello = Hello(tickets: tickets, answer: isAnswer ? answer : nil)
        if generator.chance(0.5) {
            hello.coding = CodingOffer(
                table: UInt32(truncatingIfNeeded: generator.next()),
                reference: CodingReference(
                    minute: Int32(truncatingIfNeeded: generator.next()),
                    offset: Int16(truncatingIfNeeded: generator.next())))
        }
        if generator.chance(0.6) {
            let present = listed(epoch, &generator)
            let saysSomething = present.announcedEnd != nil || !present.numbers.isEmpty
            hello.present = saysSomething ? present : nil
        }
        if generator.chance(0.5) {
            hello.newestConfirmed = .init(
                id: EpochID(rawValue: generator.next() | 1), end: number(&generator))
        }
        for _ in 0..<generator.next() % 33 {
            hello.earlier.append(listed(EpochID(rawValue: generator.next() | 1), &generator))
        }
        hello.earlierCount = hello.earlier.count
        if generator.chance(0.3), let last = hello.earlier.last {
            hello.newestConfirmed = .init(id: last.id, end: number(&generator))
        }
        for _ in 0..<generator.next() % 20 {
            hello.taken.append(
                .init(
                    epoch: EpochID(rawValue: generator.next() | 1),
                    channel: generator.chance(0.5) ? .bulk : .background,
                    through: max(1, number(&generator))))
        }
        if isAnswer, generator.chance(0.5) {
            let top = VersionMark(
                epoch: EpochID(rawValue: generator.next() | 1), version: max(1, number(&generator)))
            hello.held = HeldPresentation(
                top: generator.chance(0.8) ? top : nil, digest: generator.next())
        }
        return hello
    }

    @Test("In step with nothing outstanding a hello takes 11 to 13 bytes")
    func inStepSize() {
        var tickets = TicketPresentation()
        tickets.common = Ticket(rawValue: .max)
        for (position, counterpart, size) in [
            (UInt64(1), UInt64(1), 11), (127, 128, 12), (16_383, 16_383, 13),
        ] {
            tickets.position = position
            tickets.counterpartPosition = counterpart
            for answer in [nil, TicketAnswer.held] {
                let hello = Hello(tickets: tickets, answer: answer)
                #expect(hello.size == size)
                #expect(Self.fixedBytes + hello.size + CodingOffer.size <= 98)
            }
        }
    }

    @Test("In every state a hello is cut so that messages 1 and 2 fit 244 bytes, and loses nothing")
    func fits() {
        let budget = Limits().smallestDatagramBytes - Self.fixedBytes
        #expect(Hello.largestBaseBytes <= budget)
        var cut = 0
        for seed in UInt64(1)...500 {
            var generator = SeededGenerator(seed: seed)
            let isAnswer = generator.chance(0.5)
            let whole = Self.random(&generator, isAnswer: isAnswer)
            var hello = whole
            let left = hello.fit(budget)
            #expect(hello.size <= budget)
            #expect(hello.earlier + left == whole.earlier)
            #expect(hello.earlierCount == whole.earlier.count)
            #expect(hello.takenIsComplete == (hello.taken.count == whole.taken.count))
            #expect(hello.taken == Array(whole.taken.prefix(hello.taken.count)))
            if !left.isEmpty { cut += 1 }
            let bytes = Self.bytes(hello)
            #expect(bytes.count == hello.size)
            WireCheck.roundTrips(hello, bytes) { (reader) throws(WireError) in
                try Self.read(&reader, isAnswer: isAnswer)
            }
        }
        #expect(cut > 100)
    }

    /// Shows W-26.
    @Test("Message 1 with a summary of values is refused")
    func summary() {
        var hello = Hello(tickets: TicketPresentation(), answer: .notHeld)
        hello.held = HeldPresentation(top: nil, digest: 1)
        let bytes = Self.bytes(hello)
        for isAnswer in [false, true] {
            let read = WireCheck.read(bytes) { (reader) throws(WireError) in
                try Self.read(&reader, isAnswer: isAnswer)
            }
            #expect((read != nil) == isAnswer)
        }
    }

    @Test("The largest hello without lists takes no more than is said")
    func largestBase() {
        let large = RecordNumber.largest
        var hello = Hello(tickets: .largest, answer: .heldBehind)
        hello.present = ListedEpoch(
            id: Self.epoch, announcedEnd: large,
            numbers: Self.listedChannels.map {
                .init(channel: $0, last: large, watermark: large / 2)
            })
        hello.newestConfirmed = .init(id: Self.epoch, end: large)
        hello.held = .init(top: VersionMark(epoch: Self.epoch, version: large), digest: .max)
        hello.coding = CodingOffer(table: 1, reference: CodingReference())
        let entry = Hello.Taken(epoch: Self.epoch, channel: .bulk, through: large)
        hello.taken = Array(repeating: entry, count: 40)
        hello.earlier = Array(
            repeating: ListedEpoch(id: Self.epoch, announcedEnd: nil, numbers: []), count: 1023)
        _ = hello.fit(0)
        #expect(hello.earlier.isEmpty && hello.taken.isEmpty)
        #expect(hello.size <= Hello.largestBaseBytes)
    }

    @Test("Damaged and random bytes are refused, or read as the one hello that is written so")
    func survivesDamage() {
        for seed in UInt64(1)...5000 {
            var generator = SeededGenerator(seed: seed &* 31)
            let isAnswer = generator.chance(0.5)
            var hello = Self.random(&generator, isAnswer: isAnswer)
            _ = hello.fit(166)
            WireCheck.survives(
                seed, Self.bytes(hello),
                read: { (reader) throws(WireError) in
                    try Self.read(&reader, isAnswer: isAnswer)
                },
                write: { $0.write(to: &$1) })
        }
    }

    /// Shows W-17: what is left out of a shorter form, and a part that says nothing.
    @Test(
        "A head of the epochs that is not the shortest is refused",
        arguments: [
            ([0x01, 1], true), ([0x02, 0x20, 1], false), ([0x02, 0], false),
            ([0x18] + id + [0, 1], true), ([0x14] + id + [0] + id + [1], false),
            ([0xF4, 0, 0] + id + [1], false), ([0x04] + id + [1], true),
            ([0x03, 0], false), ([0x0C, 0], false), ([0x08, 1], false),
        ] as [([UInt8], Bool)])
    func shortestForm(_ epochs: [UInt8], _ isRead: Bool) {
        // Flag 2, no ticket, then the part of the epochs.
        let bytes = [2] + [UInt8](repeating: 0, count: 10) + epochs
        let hello = WireCheck.read(bytes) { (reader) throws(WireError) in
            try Self.read(&reader, isAnswer: false)
        }
        #expect((hello != nil) == isRead)
        if let hello { #expect(Self.bytes(hello) == bytes) }
    }

    private static let id: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1]

    /// Shows I-75.
    @Test("Message 1 has no answer about tickets")
    func noAnswerInMessage1() {
        let bytes = Self.bytes(Hello(tickets: TicketPresentation(), answer: .emptyHistory))
        for isAnswer in [false, true] {
            let hello = WireCheck.read(bytes) { (reader) throws(WireError) in
                try Self.read(&reader, isAnswer: isAnswer)
            }
            #expect(hello?.answer == (isAnswer ? .emptyHistory : nil))
            #expect((hello != nil) == isAnswer)
        }
    }
}
