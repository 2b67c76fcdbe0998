import Testing

@testable import WatchProtoCore

/// The lengths of messages 1 and 2 of a side in a constant shape.
@Suite struct ConstantLengthTests {
    private static func read(_ bytes: [UInt8], isAnswer: Bool) -> Hello? {
        WireCheck.read(bytes) { (reader) throws(WireError) in
            let hello = try HelloTests.read(&reader, isAnswer: isAnswer)
            try reader.finishPadding("zeros")
            return hello
        }
    }

    /// The lengths of messages 1 and 2 between two sides in many states. Each hello is read as the
    /// one that was said.
    private static func lengths(isStream: Bool, isPadded: Bool) throws -> (Set<Int>, Set<Int>) {
        var configuration = ConnectionConfiguration()
        configuration.hasConstantLengths = isPadded
        var (first, second): (Set<Int>, Set<Int>) = ([], [])
        for seed in UInt64(1)...200 {
            var generator = SeededGenerator(seed: seed)
            func counter() -> UInt64 { 1 + generator.next() >> (33 + generator.next() % 31) }
            var pair = toyPair(seed: seed, configuration: configuration)
            if isStream { pair.useStream() }
            // The test makes the messages, and not the sides.
            for place in 0..<2 { pair.sides[place].isStable = false }
            pair.start()

            var hello = HelloTests.random(&generator, isAnswer: false)
            _ = hello.fit(pair.sides[0].connection.initiationHelloBytes)
            pair.sides[0].connection.initiate(
                hello: HelloTests.bytes(hello), epoch: pair.sides[0].epoch, counter: counter(),
                at: pair.now)
            pair.settle(.phone)
            pair.run(for: .milliseconds(100))
            let request = try #require(pair.sides[1].connection.request)
            #expect(read(request.payload.hello, isAnswer: false) == hello)

            var answer = HelloTests.random(&generator, isAnswer: true)
            _ = answer.fit(pair.sides[1].connection.responseHelloBytes)
            let info = pair.sides[1].connection.respond(
                hello: HelloTests.bytes(answer), epoch: pair.sides[1].epoch, counter: counter(),
                keepsTicket: generator.chance(0.5), at: pair.now)
            #expect(info != nil)
            pair.settle(.watch)
            pair.run(for: .milliseconds(100))
            let current = try #require(pair.sides[0].current)
            #expect(read(current.hello, isAnswer: true) == answer)

            let sent = pair.capture.map { (role: $0.0, bytes: $0.1.count) }
            #expect(sent.map { $0.role } == [.phone, .watch])
            first.insert(sent.first?.bytes ?? 0)
            second.insert(sent.last?.bytes ?? 0)
        }
        return (first, second)
    }

    @Test(
        "In every state messages 1 and 2 have one length, and are read as what was said (S-24)",
        arguments: [false, true])
    func haveOneLength(_ isStream: Bool) throws {
        let (first, second) = try Self.lengths(isStream: isStream, isPadded: true)
        // The prefix of a stream takes two bytes, the first byte of a datagram one.
        let expected: Set = [isStream ? 245 : 244]
        #expect(first == expected && second == expected)
    }

    @Test("Without a shape their lengths tell states apart (the test can fail)")
    func differWithout() throws {
        let (first, second) = try Self.lengths(isStream: false, isPadded: false)
        #expect(first.count > 10 && second.count > 10)
    }

    @Test("Zeros may follow a hello, and nothing else (W-28, W-17)")
    func padding() {
        let hello = Hello(tickets: TicketPresentation())
        let bytes = HelloTests.bytes(hello)
        for zeros in [0, 1, 100] {
            let padding = [UInt8](repeating: 0, count: zeros)
            #expect(Self.read(bytes + padding, isAnswer: false) == hello)
            #expect(Self.read(bytes + padding + [1], isAnswer: false) == nil)
            #expect(Self.read(bytes + [0x80] + padding, isAnswer: false) == nil)
        }
    }
}
