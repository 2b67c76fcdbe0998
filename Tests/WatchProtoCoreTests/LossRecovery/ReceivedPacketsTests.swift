import Testing

@testable import WatchProtoCore

/// When an acknowledgement leaves, and what it holds.
@Suite struct ReceivedPacketsTests {
    private var received = ReceivedPackets()
    private let limits = Limits()

    private func moment(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    private mutating func insert(
        _ number: UInt64, elicitsAck: Bool = true, at milliseconds: UInt64
    ) -> Bool {
        received.insert(number, elicitsAck: elicitsAck, limits, at: moment(milliseconds))
    }

    /// LR-2.
    @Test("The first packet is acknowledged within 20 ms, the second at once")
    mutating func secondAtOnce() {
        _ = insert(1, at: 100)
        #expect(received.ackDeadline == moment(120))
        _ = insert(2, at: 105)
        #expect(received.ackDeadline == moment(105))
        let ack = received.makeAck(at: moment(105))
        #expect(ack?.0.packets.ranges == [1...2])
        #expect(received.ackDeadline == nil)
        let another = received.makeAck(at: moment(106))
        #expect(another == nil)
    }

    @Test("A delay beyond what a frame can tell is cut, and the frame can be read (F-8)")
    mutating func longDelay() throws {
        for days in [13, 400, 200_000] {
            received = ReceivedPackets()
            _ = insert(1, at: 100)
            // The device slept meanwhile.
            let later = moment(100).advanced(by: .seconds(days * 86_400))
            let made = received.makeAck(at: later)
            let (ack, arrival) = try #require(made)
            var writer = WireWriter()
            ack.write(to: &writer)
            arrival.write(to: &writer)
            var reader = WireReader(writer.bytes.span)
            #expect(try Frame.read(&reader).frame == .ack(ack))
            #expect(ack.delayMicroseconds == 1 << 40)
            #expect(try Frame.read(&reader).frame == .arrival(arrival))
        }
    }

    @Test("If small packets wait for the line, the second waits its 20 ms, too")
    mutating func busyLine() {
        received.isLineBusy = true
        _ = insert(1, at: 100)
        _ = insert(2, at: 105)
        #expect(received.ackDeadline == moment(120))
    }

    /// LR-4.
    @Test("A packet that elicits none is never acknowledged on its own")
    mutating func elicitsNone() {
        _ = insert(1, elicitsAck: false, at: 100)
        #expect(received.ackDeadline == nil)
        let isNew = insert(1, elicitsAck: false, at: 101)
        #expect(!isNew && received.ackDeadline == nil)
    }

    /// LR-4, LR-5.
    @Test("A duplicate is counted, refused and acknowledged at once")
    mutating func duplicate() {
        _ = insert(1, at: 100)
        _ = received.makeAck(at: moment(120))
        let isNew = insert(1, at: 200)
        #expect(!isNew && received.duplicatePackets == 1)
        #expect(received.ackDeadline == moment(200))
    }

    /// LR-3, LR-5.
    @Test("At most 32 ranges are kept, and older numbers count as duplicates")
    mutating func bounds() {
        for place in UInt64(1)...100 { _ = insert(place * 2, at: place) }
        let isNew = insert(3, at: 200)
        #expect(!isNew)
        var longest = 0
        for place in UInt64(0)..<16 {
            _ = insert(300 + place * 2, at: 300 + place)
            let ack = received.makeAck(at: moment(400))
            longest = max(longest, ack?.0.packets.ranges.count ?? 0)
            #expect(place.isMultiple(of: 8) || ack != nil)
        }
        #expect(longest == limits.ackRanges)
    }

    @Test("Seven of eight acknowledgements hold the newest eight ranges")
    mutating func newestRanges() {
        for place in UInt64(1)...20 { _ = insert(place * 2, at: 1) }
        var counts: [Int] = []
        for place in UInt64(0)..<16 {
            _ = insert(40 + place, at: 10)
            _ = insert(60 + place, at: 10)
            if let ack = received.makeAck(at: moment(20)) {
                counts.append(ack.0.packets.ranges.count)
            }
        }
        #expect(counts.filter { $0 > 8 }.count == 2, "\(counts)")
    }
}
