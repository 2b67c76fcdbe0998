import Testing

@testable import WatchProtoCore

/// The decisions of the receiver's application, and idempotency keys with their limits.
@Suite("Decisions of the receiver's application")
struct DecisionTests {
    private static func draft(_ key: UInt128) -> RecordDraft {
        RecordDraft(channel: .background, kind: .opaque, payload: [1], idempotencyKey: key)
    }

    @Test("A record that is refused ends with its code, and the link lives (OC-41)")
    func rejected() throws {
        let pair = PeerPair.connected()
        pair.watch.disposition = .rejected(code: 9)
        let id = try pair.send(pair.phone, [1])
        let isOver = pair.run { pair.phone.settled(id) == .rejected(code: 9) }
        #expect(isOver)
        pair.watch.disposition = .applied
        let next = try pair.send(pair.phone, [2])
        let isNext = pair.run { pair.phone.settled(next) == .applied }
        #expect(isNext)
        let ends = (pair.phone.events + pair.watch.events).filter {
            if case .linkClosed = $0 { true } else { false }
        }
        #expect(ends == [])
    }

    @Test("The word on a pending record is one entry, also without a link (OC-42)")
    func decidedWithoutLink() throws {
        let pair = PeerPair.connected()
        pair.watch.disposition = .pending
        let id = try pair.send(pair.phone, [1])
        let isGiven = pair.run { pair.phone.peer?.status(of: id) == .underWay(.committed) }
        #expect(isGiven)
        pair.isLinkPossible = false
        pair.cutLink()
        pair.input(pair.watch) { $0.decide(id, .applied, at: $1) }
        pair.run(for: .seconds(1))
        let words = pair.watch.batches.joined().filter {
            if case .decided = $0 { true } else { false }
        }
        #expect(words == [.decided(id, .applied)])
        #expect(pair.phone.settled(id) == nil)
        pair.isLinkPossible = true
        pair.linkWanted()
        let isOver = pair.run { pair.phone.settled(id) == .applied }
        #expect(isOver)
    }

    @Test("An idempotency key is remembered for seven days, and 1,024 of them (OC-45)")
    func memory() throws {
        let pair = PeerPair.connected()
        func isRepeated(_ key: UInt128) throws -> Bool {
            let before = pair.watch.delivered.count
            let id = try pair.send(pair.phone, Self.draft(key))
            let isOver = pair.run { pair.phone.settled(id) == .applied }
            #expect(isOver)
            return pair.watch.delivered.count == before
        }
        for key in UInt128(0)..<1025 { _ = try pair.send(pair.phone, Self.draft(key)) }
        let areGiven = pair.run { pair.watch.delivered.count == 1025 }
        #expect(areGiven)
        pair.run(for: .seconds(1))
        var found = try isRepeated(1)
        #expect(found)
        found = try isRepeated(0)
        #expect(!found, "1,024 keys came behind it")
        // The receiver's wall clock counts.
        let week = Int64(7 * 86_400_000)
        for (after, isKnown) in [(week - 60_000, true), (week + 60_000, false)] {
            let time = WallTime(milliseconds: 1_700_000_000_000 + after)
            pair.input(pair.watch) { $0.wallClockChanged(WallClock(time: time), at: $1) }
            found = try isRepeated(1024)
            #expect(found == isKnown)
        }
    }

    @Test("64 records wait for the word on the first of their key; one more finds no room (OC-45)")
    func waiting() throws {
        let pair = PeerPair.connected()
        let backup = pair.phone.image
        pair.watch.disposition = .pending
        var ids = [try pair.send(pair.phone, Self.draft(7))]
        let first = ids[0]
        _ = pair.run { pair.watch.peer?.isPending(first) == true }
        for _ in 0..<65 {
            // The sender's journal goes back, and the act is done again.
            pair.run(for: .milliseconds(200))
            pair.restore(pair.phone, backup)
            let id = try pair.send(pair.phone, Self.draft(7))
            ids.append(id)
            let isTaken = pair.run {
                pair.phone.peer?.status(of: id) == .underWay(.committed)
                    || pair.phone.settled(id) != nil
            }
            #expect(isTaken)
        }
        let last = ids[ids.count - 1]
        #expect(pair.phone.settled(last) == .rejected(code: 65_535))
        #expect(pair.watch.delivered.count == 1)
        #expect(pair.watch.peer?.counters.recordsRepeated == 65)
        pair.restore(pair.phone, backup)
        let again = try pair.send(pair.phone, Self.draft(7))
        _ = pair.run { pair.phone.settled(again) != nil }
        #expect(pair.phone.settled(again) == .rejected(code: 65_535))
        pair.input(pair.watch) { $0.decide(first, .applied, at: $1) }
        pair.run(for: .seconds(1))
        pair.restore(pair.phone, backup)
        let joined = try pair.send(pair.phone, Self.draft(7))
        let isApplied = pair.run { pair.phone.settled(joined) == .applied }
        #expect(isApplied && pair.watch.delivered.count == 1)
    }
}
