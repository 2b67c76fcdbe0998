import Testing

@testable import WatchProtoCore

/// Counts the commits that delay the first records after a reconnection. A link carries a packet
/// in 10 ms, and a commit takes 5 or 20 ms.
@Suite("Commits on the way of the first records")
struct CommitCountTests {
    private static let commits = [5, 20]

    private static func connected(_ index: Int, _ commit: Int) -> PeerPair {
        let pair = PeerPair(PeerTests.carriers[index])
        pair.conditions.commit = .milliseconds(commit)
        pair.activate()
        _ = pair.run { pair.isActive && pair.phone.peer?.isReachable == true }
        pair.run(for: .seconds(1))
        return pair
    }

    /// The link goes, and comes back after what `queue` does is durable.
    private static func reconnect(_ pair: PeerPair, _ queue: () throws -> Void) rethrows {
        pair.isLinkPossible = false
        pair.cutLink()
        try queue()
        pair.run(for: .seconds(1))
        pair.isLinkPossible = true
        pair.linkWanted()
    }

    /// Milliseconds since the link opened last until something holds.
    private static func time(_ pair: PeerPair, until isDone: () -> Bool) -> Int64? {
        guard pair.run(until: isDone) else { return nil }
        return pair.openedAt.duration(to: pair.now).nanosecondsClamped / 1_000_000
    }

    private static func isCommitted(_ side: PeerPair.Side, _ id: RecordID) -> Bool {
        side.events.contains(.progress(id, .committed))
    }

    @Test(
        "The first record costs no commit, committed one, its outcome one of each side",
        arguments: commits, PeerTests.carriers.indices)
    func reconnection(_ commit: Int, _ index: Int) throws {
        let pair = Self.connected(index, commit)
        var ids: [RecordID] = []
        try Self.reconnect(pair) {
            ids.append(try pair.write(pair.phone, 5, [5], .complication))
            ids.append(try pair.send(pair.phone, [6]))
        }
        #expect(Self.time(pair) { pair.watch.delivered.count == 2 } == 10)
        let committed = Int64(20 + commit)
        #expect(Self.time(pair) { Self.isCommitted(pair.phone, ids[0]) } == committed)
        #expect(Self.time(pair) { Self.isCommitted(pair.phone, ids[1]) } == committed)
        let settled = Self.time(pair) { ids.allSatisfy { pair.phone.settled($0) != nil } }
        #expect(settled == Int64(20 + 2 * commit))
    }

    @Test(
        "Records of both directions leave in the first round trip after a reconnection",
        arguments: commits, PeerTests.carriers.indices)
    func bothWays(_ commit: Int, _ index: Int) throws {
        let pair = Self.connected(index, commit)
        try Self.reconnect(pair) {
            try pair.send(pair.phone, [1])
            try pair.send(pair.watch, [2])
        }
        #expect(Self.time(pair) { pair.watch.payloads == [[1]] } == 10)
        #expect(Self.time(pair) { pair.phone.payloads == [[2]] } == 10)
    }

    @Test(
        "The first batch of a cold start runs beside the dialling",
        arguments: commits, PeerTests.carriers.indices)
    func coldStart(_ commit: Int, _ index: Int) throws {
        for dialling in [0, 30] {
            let pair = Self.connected(index, commit)
            pair.isLinkPossible = dialling == 0
            pair.crash(pair.phone)
            let begun = pair.now
            try pair.write(pair.phone, 5, [5], .complication)
            try pair.send(pair.phone, [6])
            pair.run(for: .milliseconds(dialling))
            pair.isLinkPossible = true
            pair.linkWanted()
            let isDelivered = pair.run { pair.watch.delivered.count == 2 }
            #expect(isDelivered)
            // A link opens 1 ms after it can be had.
            let time = begun.duration(to: pair.now)
            #expect(time == .milliseconds(max(dialling + 1, commit) + 10))
        }
    }

    @Test(
        "A cut in the midst costs two commits at most",
        arguments: commits, PeerTests.carriers.indices)
    func cut(_ commit: Int, _ index: Int) throws {
        for after in [5, 11, 15, 21, 31] {
            let pair = Self.connected(index, commit)
            var ids: [RecordID] = []
            try Self.reconnect(pair) { ids.append(try pair.send(pair.phone, [6])) }
            _ = pair.run { pair.isLinkUp }
            pair.run(for: .milliseconds(after))
            guard !Self.isCommitted(pair.phone, ids[0]) else { continue }
            pair.cutLink()
            _ = pair.run { pair.isLinkUp }
            let time = Self.time(pair) { Self.isCommitted(pair.phone, ids[0]) }
            #expect((time ?? .max) <= Int64(20 + 2 * commit), "cut after \(after) ms")
        }
    }
}
