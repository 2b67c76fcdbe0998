import Testing

@testable import WatchProtoCore

@Suite("Redundancy of early data")
struct EarlyRepairTests {
    /// How long after the opening of the link the watch has records that the phone had before,
    /// where the link drops these of the phone's datagrams.
    private func latency(records: Int, bytes: Int, losing lost: Set<Int>) throws -> Duration {
        let pair = PeerPair(.datagrams())
        pair.activate()
        try #require(pair.run { pair.isActive })
        pair.run(for: .seconds(1))
        pair.isLinkPossible = false
        pair.cutLink()
        for value in 0..<records {
            _ = try pair.send(
                pair.phone, [UInt8](repeating: UInt8(truncatingIfNeeded: value), count: bytes))
        }
        pair.run(for: .seconds(1))
        pair.lost = lost
        pair.isLinkPossible = true
        pair.linkWanted()
        try #require(pair.run { pair.watch.delivered.count == records })
        return pair.openedAt.duration(to: pair.now)
    }

    @Test("Neither a lost message 1 nor a lost early packet costs time", arguments: 1...4)
    func one(_ lost: Int) throws {
        #expect(try latency(records: 1, bytes: 1, losing: [lost]) == .milliseconds(10))
    }

    @Test("Of several early packets any one may be lost", arguments: 1...4)
    func several(_ lost: Int) throws {
        #expect(try latency(records: 6, bytes: 500, losing: [lost]) == .milliseconds(10))
    }

    @Test("Without its copy a lost message 1 costs a time-out")
    func both() throws {
        #expect(try latency(records: 1, bytes: 1, losing: [1, 4]) > .milliseconds(20))
    }

    /// They waited for the session where the heads of repair packets, and the seal, counted.
    @Test("Records of 14,720 bytes leave early where nothing is known of the path")
    func window() throws {
        let pair = PeerPair(.datagrams())
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        pair.isLinkPossible = false
        pair.cutLink()
        for number in UInt8(0)..<97 {
            try pair.send(pair.phone, [UInt8](repeating: number, count: 140))
        }
        pair.run(for: .seconds(1))
        pair.isLinkPossible = true
        pair.linkWanted()
        let isDone = pair.run { pair.watch.delivered.count == 97 }
        #expect(isDone)
        #expect(pair.watch.peer?.counters.earlyRecordsReceived == 97)
        #expect(pair.phone.peer?.path.estimate.bytesPerSecond == nil)
    }

    /// Behind 60 kB the answer to message 1 came after it was given up, and so did the next one.
    @Test("Early data delays no answer to message 1 for long on a slow line (seed 41014)")
    func slowLine() throws {
        var conditions = PeerPair.Conditions.datagrams()
        conditions.bytesPerSecond = 25_000
        let pair = PeerPair.connected(conditions)
        let known = try pair.send(pair.phone, [UInt8](repeating: 7, count: 100_000), .bulk)
        try #require(pair.run { pair.phone.settled(known) == .applied })
        pair.isLinkPossible = false
        pair.cutLink()
        #expect(pair.phone.peer?.path.estimate.bytesPerSecond != nil)
        for number in UInt8(0)..<60 {
            try pair.send(pair.phone, [UInt8](repeating: number, count: 1_000))
        }
        pair.run(for: .seconds(1))
        pair.isLinkPossible = true
        pair.linkWanted()
        let (began, before) = (pair.now, pair.phone.bytesSent)
        try #require(pair.run { pair.watch.delivered.count == 61 })
        let waited = began.duration(to: pair.now)
        #expect(waited < .seconds(4), "\(waited)")
        #expect(pair.phone.bytesSent - before < 100_000)
    }
}
