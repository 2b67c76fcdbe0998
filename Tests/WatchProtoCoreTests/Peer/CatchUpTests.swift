import Testing

@testable import WatchProtoCore

@Suite("Catching up after a reconnection")
struct CatchUpTests {
    static func catchUps(_ side: PeerPair.Side) -> [[Int]] {
        side.events.compactMap { event in
            guard case .catchUp(let settled, let total) = event else { return nil }
            return [settled, total]
        }
    }

    @Test(
        "Progress is reported in steps of a twentieth, up to the end, once for each reconnection",
        arguments: PeerTests.carriers.indices)
    func progress(_ index: Int) throws {
        let pair = PeerPair(PeerTests.carriers[index])
        pair.activate()
        _ = pair.run { pair.isActive }
        pair.run(for: .seconds(1))
        #expect(Self.catchUps(pair.phone) == [] && Self.catchUps(pair.watch) == [])
        pair.isLinkPossible = false
        pair.cutLink()
        for number in UInt8(0)..<200 { try pair.send(pair.phone, [number]) }
        try pair.write(pair.phone, 4, [4])
        pair.run(for: .seconds(1))
        pair.isLinkPossible = true
        pair.linkWanted()
        let isDone = pair.run { Self.catchUps(pair.phone).last == [201, 201] }
        #expect(isDone)
        // A record sent later is no part of it.
        try pair.send(pair.phone, [1])
        pair.run(for: .seconds(2))
        let told = Self.catchUps(pair.phone)
        #expect(told.last == [201, 201] && told.allSatisfy { $0[1] == 201 })
        for (former, next) in zip(told, told.dropFirst()) {
            #expect(next[0] - former[0] >= 10 || next[0] == 201)
        }
        #expect(Self.catchUps(pair.watch) == [])
    }

    @Test("A record that the counterpart's application left pending holds nothing up")
    func pending() throws {
        let pair = PeerPair()
        pair.watch.disposition = .pending
        try pair.send(pair.phone, [1])
        pair.run(for: .seconds(1))
        pair.activate()
        let isDone = pair.run { Self.catchUps(pair.phone) == [[1, 1]] }
        #expect(isDone)
    }

    /// Shows I-81.
    @Test("A sender restored from before all that is remembered hears unknown, not a second time")
    func forgotten() throws {
        for isForgotten in [true, false] {
            var conditions = PeerPair.Conditions()
            conditions.epochs = isForgotten ? 4 : 64
            let pair = PeerPair(conditions)
            let id = try pair.send(pair.phone, [1])
            pair.run(for: .seconds(1))
            let backup = pair.phone.image
            pair.activate()
            let isApplied = pair.run { pair.phone.settled(id) == .applied }
            #expect(isApplied)
            for _ in 0..<8 {
                pair.crash(pair.phone)
                _ = pair.run { pair.isActive }
                pair.run(for: .seconds(1))
            }
            pair.phone.events = []
            pair.restore(pair.phone, backup)
            let next = try pair.send(pair.phone, [2])
            let isDone = pair.run {
                pair.phone.settled(next) == .applied && pair.phone.settled(id) != nil
            }
            #expect(isDone)
            #expect(pair.phone.settled(id) == .unknown)
            #expect(pair.watch.payloads == [[1], [2]])
        }
    }
}
