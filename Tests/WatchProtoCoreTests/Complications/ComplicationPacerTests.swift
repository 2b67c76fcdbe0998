import Testing

@testable import WatchProtoCore

/// The token bucket of complications (DESIGN.md, *Complications*).
@Suite struct ComplicationPacerTests {
    private static let start = Instant(nanoseconds: 3_000_000_000)

    private static func key(_ number: Int) -> RecordKey { RecordKey(rawValue: UInt128(number)) }

    /// A sender of complications that writes down what leaves when.
    private struct Sender {
        var pacer = ComplicationPacer()
        var now = ComplicationPacerTests.start
        var values: [Int] = [0, 0, 0]
        var sent: [Int] = [0, 0, 0]
        var log: [(milliseconds: Int64, key: Int, value: Int)] = []

        mutating func set(_ key: Int, _ value: Int) {
            values[key] = value
            if value == sent[key] {
                pacer.unmark(ComplicationPacerTests.key(key))
            } else {
                pacer.mark(ComplicationPacerTests.key(key))
            }
            drain()
        }

        mutating func drain() {
            let (values, sent) = (values, sent)
            while let key = pacer.next(
                at: now, isChanged: { values[Int($0.rawValue)] != sent[Int($0.rawValue)] })
            {
                let place = Int(key.rawValue)
                self.sent[place] = self.values[place]
                let time = ComplicationPacerTests.start.duration(to: now).nanosecondsClamped
                log.append((time / 1_000_000, place, self.values[place]))
                pacer.sent(key)
            }
        }

        /// Moves to `end`, waking at each deadline.
        mutating func run(to milliseconds: Int64) {
            let end = ComplicationPacerTests.start.advanced(by: .milliseconds(milliseconds))
            while let deadline = pacer.nextDeadline, deadline <= end {
                now = max(now, deadline)
                drain()
            }
            now = end
            drain()
        }
    }

    @Test("Two updates leave at once without any acknowledgement, the third after a token")
    func twoAtOnce() {
        var sender = Sender()
        sender.pacer.setRoundTrip(.milliseconds(400), at: sender.now)
        for value in 1...3 { sender.set(0, value) }
        #expect(sender.log.map { $0.value } == [1, 2])
        sender.run(to: 1000)
        #expect(sender.log.map { $0.value } == [1, 2, 3])
        #expect(sender.log.last?.milliseconds == 100)
    }

    @Test(
        "A token comes each quarter of the round trip, within 20 and 250 ms",
        arguments: [(4, 20), (80, 20), (100, 25), (400, 100), (1000, 250), (60_000, 250)])
    func rate(roundTrip: Int, interval: Int64) {
        var sender = Sender()
        sender.pacer.setRoundTrip(.milliseconds(roundTrip), at: sender.now)
        var value = 0
        for millisecond in Int64(0)..<5000 {
            sender.run(to: millisecond)
            value += 1
            sender.set(0, value)
        }
        let times = sender.log.map { $0.milliseconds }
        #expect(times.prefix(3) == [0, 1, interval])
        for (first, second) in zip(times.dropFirst(2), times.dropFirst(3)) {
            #expect(second - first == interval)
        }
    }

    @Test("The newest value of each key leaves, and all keys with one token")
    func newestOfEachKey() {
        var sender = Sender()
        sender.pacer.setRoundTrip(.milliseconds(400), at: sender.now)
        sender.set(0, 1)
        sender.set(0, 2)
        for value in 3...9 {
            sender.set(0, value)
            sender.set(1, value * 10)
            sender.set(2, value * 100)
        }
        sender.run(to: 150)
        #expect(sender.log.map { $0.value } == [1, 2, 9, 90, 900])
        #expect(sender.log.map { $0.milliseconds } == [0, 0, 100, 100, 100])
        #expect(sender.pacer.isEmpty && sender.pacer.nextDeadline == nil)
    }

    @Test("A value that returns to the last one sent takes no token")
    func equalValue() {
        var sender = Sender()
        sender.pacer.setRoundTrip(.milliseconds(400), at: sender.now)
        sender.set(0, 1)
        sender.set(0, 2)
        sender.set(0, 3)
        sender.set(0, 2)
        #expect(sender.pacer.nextDeadline == nil)
        sender.run(to: 1000)
        #expect(sender.log.map { $0.value } == [1, 2])
        // It became equal without a word to the pacer.
        sender.pacer.mark(Self.key(0))
        let key = sender.pacer.next(at: sender.now) { _ in false }
        #expect(key == nil && sender.pacer.isEmpty)
        sender.set(0, 5)
        sender.set(0, 6)
        #expect(sender.log.suffix(2).map { $0.value } == [5, 6])
    }

    @Test("A key that found no room in its packet leaves with the next, without another token")
    func noRoom() {
        var pacer = ComplicationPacer()
        pacer.mark(Self.key(1))
        pacer.mark(Self.key(2))
        let first = pacer.next(at: Self.start) { _ in true }
        #expect(first == Self.key(1))
        pacer.sent(Self.key(1))
        let second = pacer.next(at: Self.start) { _ in true }
        let again = pacer.next(at: Self.start) { _ in true }
        #expect(second == Self.key(2) && again == Self.key(2))
        #expect(pacer.isDue(at: Self.start) && pacer.nextDeadline == nil)
        pacer.sent(Self.key(2))
        // One token is left.
        pacer.mark(Self.key(3))
        let third = pacer.next(at: Self.start) { _ in true }
        #expect(third == Self.key(3))
        pacer.sent(Self.key(3))
        pacer.mark(Self.key(4))
        #expect(!pacer.isDue(at: Self.start))
    }

    @Test("A shorter round trip shortens the present wait")
    func roundTripChange() {
        var sender = Sender()
        sender.pacer.setRoundTrip(.seconds(1), at: sender.now)
        for value in 1...3 { sender.set(0, value) }
        sender.pacer.setRoundTrip(.milliseconds(40), at: sender.now)
        sender.run(to: 100)
        #expect(sender.log.last?.milliseconds == 20)
    }
}
