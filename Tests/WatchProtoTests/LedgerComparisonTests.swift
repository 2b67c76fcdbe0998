import Testing
import WatchProtoCore

@testable import WatchProto

/// The comparison of two ledgers, without a session.
@Suite struct LedgerComparisonTests {
    /// Compares until the phone asks no more, or has asked `limit` questions, and sends what is
    /// missing after each. Returns the number of questions and what follows.
    private func compare(
        _ phone: MemoryLedger, _ watch: MemoryLedger, limit: Int = 2_000
    ) throws -> (questions: Int, next: LedgerComparison.Next) {
        var comparison = LedgerComparison()
        var question = try comparison.begin(phone)
        for count in 1...limit {
            var ofWatch: [UInt128] = []
            var ofPhone: [UInt128] = []
            let asked = try LedgerRequest(question.bytes)
            #expect(asked == question && question.bytes.count <= 65_536)
            let reply = try asked.answer(watch, missing: &ofWatch)
            #expect(try LedgerReply(reply.bytes) == reply && reply.bytes.count <= 65_536)
            let step = try #require(
                try comparison.receive(reply, to: asked, phone, missing: &ofPhone))
            send(ofPhone, from: phone, to: watch)
            send(ofWatch, from: watch, to: phone)
            switch step {
            case .ask(let next): question = next
            case .finished(let next): return (count, next)
            }
        }
        Issue.record("the comparison does not end")
        return (limit, .nothing)
    }

    private func send(_ events: [UInt128], from: MemoryLedger, to other: MemoryLedger) {
        for identity in events {
            guard let encoding = from.event(identity),
                let event = try? DoseEvent(decoding: encoding)
            else {
                Issue.record("an event is missing where it was found")
                continue
            }
            #expect(other.event(identity) == nil, "an event was sent that is there")
            other.inserted(event, encoding)
        }
    }

    private func ledger(_ events: some Sequence<DoseEvent>) throws -> MemoryLedger {
        let made = MemoryLedger()
        for event in events { made.inserted(event, try event.encoded()) }
        return made
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7])
    func two_ledgers_have_the_same_events_afterwards(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Half of the identities are spread, half of them stand in one bucket.
        let events = (0..<600).map { place in
            DoseEvent.numbered(
                place < 300 ? UInt128(random.next()) << 64 | UInt128(place) : UInt128(place + 1))
        }
        let phone = try ledger(events.filter { _ in random.next() % 4 != 0 })
        let watch = try ledger(events.filter { _ in random.next() % 4 != 0 })
        let whole = Set(try all(phone) + all(watch))
        #expect(try compare(phone, watch).next != .equal)
        #expect(try Set(all(phone)) == whole && Set(all(watch)) == whole)
        #expect(try compare(phone, watch) == (1, .equal))
    }

    /// Shows D-10.
    @Test func an_empty_ledger_is_filled_without_a_question_for_each_bucket() throws {
        var random = SeededGenerator(seed: 1)
        let events = (0..<2_000).map { _ in DoseEvent.numbered(UInt128(random.next()) << 64) }
        let (phone, watch) = (try ledger(events), MemoryLedger())
        #expect(try compare(phone, watch).questions == 1)
        #expect(try all(watch).count == events.count)
    }

    @Test func few_differences_cost_few_questions() throws {
        var random = SeededGenerator(seed: 2)
        let events = (0..<20_000).map { _ in DoseEvent.numbered(UInt128(random.next()) << 64) }
        let (phone, watch) = (try ledger(events.dropLast(3)), try ledger(events.dropFirst(3)))
        #expect(try compare(phone, watch).questions <= 7)
        #expect(try compare(phone, watch) == (1, .equal))
    }

    /// Shows D-16.
    @Test func two_events_of_one_identity_end_the_comparison() throws {
        let (phone, watch) = (
            try ledger([.numbered(5)]), try ledger([.numbered(5, medication: 9)])
        )
        #expect(try compare(phone, watch) == (2, .onceMore))
    }

    /// The checks of these tests see a watch that keeps an event back.
    @Test func a_watch_that_keeps_an_event_back_is_seen() throws {
        let (phone, watch) = (try ledger([.numbered(5)]), try ledger([.numbered(5), .numbered(6)]))
        var comparison = LedgerComparison()
        let first = try comparison.begin(phone)
        var ofWatch: [UInt128] = []
        var none: [UInt128] = []
        let step = try comparison.receive(
            first.answer(watch, missing: &ofWatch), to: first, phone, missing: &none)
        guard case .ask(let question) = step else {
            Issue.record("no question")
            return
        }
        _ = try question.answer(watch, missing: &ofWatch)
        #expect(ofWatch == [6])
        #expect(try phone.digest() != watch.digest())
    }

    /// Shows D-14.
    @Test func hostile_questions_and_answers_are_refused() throws {
        for bytes in [
            [], [0], [4], [1], [1, 2, 3], [2], [3, 0], [2] + [UInt8](repeating: 0, count: 33),
            // A digest without a time, and with a byte too many.
            [1] + [UInt8](repeating: 0, count: 12), [1] + [UInt8](repeating: 0, count: 21),
            // Two identities out of order.
            [2] + [UInt8](repeating: 0, count: 32) + [UInt8](repeating: 0, count: 32),
        ] { #expect(throws: WireError.self) { try LedgerRequest(bytes) } }
        for bytes in [
            [], [0], [5], [1, 0], [2], [2] + [UInt8](repeating: 0, count: 256 * 12 - 1),
            [3, 1], [4, 4], [3] + [UInt8](repeating: 0, count: 32),
        ] { #expect(throws: WireError.self) { try LedgerReply(bytes) } }
        // A range over several buckets, or backwards, has no answer of identities.
        var missing: [UInt128] = []
        let ledger = try ledger([.numbered(1)])
        for (first, last) in [(UInt128(0), UInt128.max), (5, 1)] {
            let request = LedgerRequest.range(first: first, last: last, [])
            #expect(try request.answer(ledger, missing: &missing) == .lacks([]))
        }
        #expect(missing.isEmpty)
    }

    @Test func random_bytes_never_trap() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            var bytes = (0..<Int(random.next() % 80)).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            if !bytes.isEmpty { bytes[0] %= 5 }
            if let request = try? LedgerRequest(bytes) { #expect(request.bytes == bytes) }
            if let reply = try? LedgerReply(bytes) { #expect(reply.bytes == bytes) }
        }
    }

    private func all(_ ledger: MemoryLedger) throws -> [UInt128] {
        (0..<LedgerDigest.bucketCount).flatMap {
            ledger.identities(in: LedgerDigest.range(of: $0))
        }
    }
}

extension DoseEvent {
    static func numbered(_ identity: UInt128, medication: UInt128 = 7) -> DoseEvent {
        DoseEvent(
            id: DoseEventID(rawValue: identity), medication: MedicationID(rawValue: medication),
            planned: nil, status: .taken, time: DoseTime(WallTime(milliseconds: 1_767_225_600_000)))
    }
}
