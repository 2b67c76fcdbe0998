import Testing
import WatchProtoCore

@testable import WatchProto

/// The comparison of two ledgers, without a session.
@Suite struct LedgerComparisonTests {
    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7])
    func two_ledgers_have_the_same_events_afterwards(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Half of the identities are spread, half of them follow each other.
        let events = (0..<600).map { place in
            DoseEvent.numbered(
                place < 300 ? UInt128(random.next()) << 64 | UInt128(place) : UInt128(place + 1))
        }
        let pair = try LedgerPair(
            events.filter { _ in random.next() % 4 != 0 },
            events.filter { _ in random.next() % 4 != 0 })
        let whole = pair.phone.identities.union(pair.watch.identities)
        #expect(try pair.compare().next != .equal)
        #expect(pair.phone.identities == whole && pair.watch.identities == whole)
        #expect(try pair.compare().next == .equal)
    }

    @Test("An empty ledger is filled after one question (D-10)")
    func an_empty_ledger() throws {
        let events = DoseEvent.random(2_000, seed: 1)
        var pair = try LedgerPair(events, [])
        #expect(try pair.compare().questions == 1)
        #expect(pair.watch.identities.count == events.count)
        // The phone names nothing, and the watch sends everything (D-11).
        pair = try LedgerPair([], events)
        let cost = try pair.compare()
        #expect(cost.questions == 2 && cost.bytes < 200)
        #expect(pair.phone.identities.count == events.count)
    }

    @Test("Among 10,000 events three differences cost under 1,024 bytes (D-10)", arguments: 1...3)
    func three_differences(_ seed: Int) throws {
        let events = DoseEvent.random(10_002, seed: UInt64(seed))
        // Two are on the phone only, and one on the watch only.
        var pair = try LedgerPair(events.dropLast(), events.dropFirst(2))
        var cost = try pair.compare()
        #expect(cost.questions == 3 && cost.next == .nothing)
        // Both compare once more when their events are applied, and the watch calls before that.
        let calls = LedgerRequest.call.bytes.count + LedgerReply.acknowledged.bytes.count
        for _ in 0..<2 {
            let last = try pair.compare()
            #expect(last.questions == 1 && last.next == .equal)
            cost.bytes += last.bytes
        }
        #expect(cost.bytes + calls < 1_024, "\(cost)")
        // One is on the phone only, one on the watch only, and one identity has two payloads.
        let other = DoseEvent.numbered(events[9_999].id.rawValue, medication: 9)
        pair = try LedgerPair(
            events.prefix(10_000), events[1..<9_999] + [other, events[10_000]])
        cost = try pair.compare()
        #expect(cost.questions == 3 && cost.bytes < 1_024, "\(cost)")
    }

    @Test("Few events are read for one question, and few are added for one (D-10, D-19)")
    func bounds() throws {
        let events = DoseEvent.random(33_000, seed: 9)
        let pair = try LedgerPair(events.dropFirst(), events.prefix(200))
        var comparison = LedgerComparison(salt: LedgerSalt(byte: 1))
        var missing: [UInt128] = []
        let question = try comparison.begin(pair.phone)
        let reply = try question.answer(pair.watch, missing: &missing)
        let step = try comparison.receive(reply, to: question, pair.phone, missing: &missing)
        // Sixteen nodes of about 2,060 events differ.
        guard case .ask(.nodes(_, let parts))? = step else { return #expect(Bool(false)) }
        #expect((8...10).contains(parts.count))
        let all = LedgerNode.root.children.map { LedgerRequest.Part(node: $0, names: []) }
        missing = []
        let found = try LedgerRequest.nodes(LedgerSalt(byte: 1), all)
            .answer(pair.phone, missing: &missing)
        #expect(missing.count == LedgerRequest.missingLimit)
        guard case .found(let findings) = found else { return #expect(Bool(false)) }
        #expect(findings.hasMore)
    }

    @Test("Small ledgers need two questions (D-10)", arguments: [1, 10, 64, 100, 500])
    func small(_ count: Int) throws {
        let events = DoseEvent.random(count + 2, seed: 4)
        let pair = try LedgerPair(events.dropLast(), events.dropFirst())
        let cost = try pair.compare()
        #expect(cost.questions <= 2 && cost.next == .nothing)
        #expect(try pair.compare().next == .equal)
    }

    /// The bounds that the article states.
    @Test(
        "The cost follows the difference, and is never above that of all names (D-10)",
        arguments: 1...24)
    func cost(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = Int(random.next() % 5_001)
        let events = DoseEvent.random(count, seed: UInt64(seed + 1_000))
        // From no difference to nothing in common, on either side.
        let share = [0, 1, 3, 30, 300, 1_000][seed % 6]
        let sides = events.map { _ in
            random.next() % 1_000 < UInt64(share) ? 1 + random.next() % 2 : 0
        }
        let pair = try LedgerPair(
            zip(events, sides).filter { $0.1 != 2 }.map(\.0),
            zip(events, sides).filter { $0.1 != 1 }.map(\.0))
        let differences = sides.count { $0 != 0 }
        let cost = try pair.compare()
        #expect(cost.bytes <= 80 + 260 * differences, "\(count) events, \(differences) differ")
        #expect(cost.bytes <= 2_000 + 5 * count, "\(count) events, \(differences) differ")
        #expect(cost.questions <= 7)
        #expect(pair.phone.identities.count == count && pair.watch.identities.count == count)
        #expect(try pair.compare().next == .equal)
    }
}
