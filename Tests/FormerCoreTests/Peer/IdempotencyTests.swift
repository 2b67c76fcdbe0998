import Articles
import Testing
import WatchProtoRecords

@testable import FormerCore

/// One act, accepted more than once under one idempotency key, counts once.
@Suite struct IdempotencyTests {
    private func act(_ key: UInt128, _ text: String = "act") -> RecordDraft {
        var draft = userInfo(text)
        draft.idempotencyKey = key
        return draft
    }

    @discardableResult
    private func send(_ draft: RecordDraft, _ box: PairInABox) throws -> RecordID {
        let id = try box.phone.peer.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        return id
    }

    private func given(_ box: PairInABox) -> Int { box.watch.host.delivered.count }

    // MARK: The sender

    @Test func while_the_first_is_under_way_it_stands_for_the_second() throws {
        let box = PairInABox()
        let first = try send(act(1), box)
        #expect(try send(act(1, "again"), box) == first)
        #expect(try send(act(2), box) != first)
        #expect(box.phone.counters.recordsAccepted == 2)
        // Also where nothing more would be accepted, and after a restart.
        box.restart(.phone, epoch: 0x3333)
        var late = act(1)
        late.expiresAt = WallTime(milliseconds: -1)
        #expect(try send(late, box) == first)
        box.connect()
        #expect(given(box) == 2)
        #expect(try send(act(1), box) != first, "it is over")
        #expect(given(box) == 2)
    }

    @Test func one_that_is_taken_back_stands_for_nothing() throws {
        let box = PairInABox()
        let first = try send(act(1), box)
        box.phone.peer.cancel(first, at: box.now)
        box.phone.drain(at: box.now)
        let second = try send(act(1), box)
        #expect(second != first)
        box.connect()
        #expect(box.phone.status(of: first) == .settled(.cancelled))
        #expect(box.phone.status(of: second) == .settled(.applied))
        #expect(given(box) == 1)
    }

    @Test func a_key_names_an_act_within_its_lane() throws {
        let box = PairInABox()
        box.connect()
        var file = RecordDraft(lane: .bulk, kind: .file, payload: [1])
        file.idempotencyKey = 1
        try send(file, box)
        try send(act(1), box)
        #expect(given(box) == 2)
    }

    @Test func newest_values_take_no_key() {
        let box = PairInABox()
        var draft = context(1, "x")
        draft.idempotencyKey = 1
        #expect(throws: SendRefusal.idempotencyKeyInNewestLane) {
            try box.phone.send(draft, at: box.now)
        }
        #expect(box.phone.outstanding.isEmpty)
    }

    // MARK: The receiver

    @Test(arguments: [CarrierTraits.stream, .lossyDatagram], [false, true])
    func a_retry_after_a_crash_in_a_new_epoch_counts_once(
        _ carrier: CarrierTraits, watchRestarts: Bool
    ) throws {
        let box = PairInABox(carrier)
        box.connect()
        // It leaves, and arrives, before a commit that a crash then undoes.
        box.phone.commitsAtOnce = false
        let first = try send(act(1), box)
        #expect(given(box) == 1)
        box.restart(.phone, epoch: 0x3333)
        #expect(box.phone.status(of: first) == .unknown)
        if watchRestarts { box.restart(.watch, epoch: 0x4444) }
        box.connect()
        let second = try send(act(1), box)
        box.advance(by: .seconds(5))
        #expect(second.epoch != first.epoch)
        #expect(box.phone.status(of: second) == .settled(.applied))
        #expect(given(box) == 1)
        #expect(box.watch.counters.recordsRepeated == 1)
        // The order of the lane goes on.
        try send(userInfo("next"), box)
        box.advance(by: .seconds(5))
        #expect(given(box) == 2)
    }

    @Test func a_refusal_is_answered_with_its_code_again() throws {
        let box = PairInABox()
        box.connect()
        box.watch.host.disposition = { _ in .rejected(code: 77) }
        try send(act(1), box)
        box.restart(.watch, epoch: 0x4444)
        box.connect()
        let second = try send(act(1), box)
        #expect(box.phone.status(of: second) == .settled(.rejected(code: 77)))
        #expect(given(box) == 1)
    }

    @Test(arguments: [Disposition.applied, .rejected(code: 5)], [false, true])
    func a_second_one_waits_for_the_word_on_the_first(
        _ word: Disposition, restarts: Bool
    ) throws {
        let box = PairInABox()
        box.connect()
        box.watch.host.disposition = { _ in .pending }
        let first = try send(act(1), box)
        // The phone forgets it, as one restored from a backup does.
        box.restart(.phone, epoch: 0x3333, keepsJournal: false)
        box.connect()
        let second = try send(act(1), box)
        #expect(box.phone.status(of: second) == .underWay(.committed))
        #expect(given(box) == 1)
        if restarts {
            box.restart(.watch, epoch: 0x4444)
            box.watch.host.disposition = { _ in .pending }
            box.connect()
            #expect(given(box) == 2, "what was pending is given again, and only that")
        }
        let third = try send(act(1), box)
        #expect(third == second)
        switch word {
        case .rejected(let code): box.watch.peer.rejected(first, code: code, at: box.now)
        default: box.watch.peer.applied(first, at: box.now)
        }
        box.watch.drain(at: box.now)
        box.settle()
        let outcome: Outcome = word == .applied ? .applied : .rejected(code: 5)
        #expect(box.phone.status(of: second) == .settled(outcome))
        let fourth = try send(act(1), box)
        #expect(box.phone.status(of: fourth) == .settled(outcome))
        #expect(given(box) == (restarts ? 2 : 1))
    }

    @Test func a_message_under_a_key_counts_once_across_links_and_restarts() throws {
        let box = PairInABox()
        box.connect()
        try send(userInfo("a packet makes the watch reachable"), box)
        var draft = RecordDraft(lane: .interactive, kind: .message, payload: [1])
        draft.idempotencyKey = 9
        let first = try box.phone.peer.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.carry(from: box.phone, to: box.watch)
        box.cut()
        #expect(box.phone.status(of: first) == .settled(.outcomeUnknown))
        box.restart(.watch, epoch: 0x4444)
        box.connect()
        try send(userInfo("and again"), box)
        // A link that went soon after it came is believed only after a while.
        box.advance(by: .seconds(1))
        let second = try send(draft, box)
        #expect(box.phone.status(of: second) == .settled(.applied))
        #expect(box.watch.host.delivered.filter { $0.id.lane == .interactive }.count == 1)
    }

    @Test func more_followers_than_are_remembered_are_refused() throws {
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        let clock = WallTime(milliseconds: 0)
        func record(_ number: UInt64) -> InboundRecord {
            InboundRecord(
                id: RecordID(
                    epoch: EpochID(rawValue: 7), lane: .background, number: RecordNumber(number)),
                kind: .userInfo, key: nil, payload: [], idempotencyKey: 1)
        }
        inbox.epochs = [InboundEpoch(id: EpochID(rawValue: 7), rank: 1, parent: nil)]
        let isFirstAnswered = inbox.answerRepetition(record(1), at: clock)
        #expect(!isFirstAnswered)
        inbox.disposed(record(1), .pending)
        inbox.noteKey(of: record(1), .pending, at: clock)
        let limit = UInt64(IdempotencyWindow.followerLimit)
        for number in 2...(limit + 2) {
            let isAnswered = inbox.answerRepetition(record(number), at: clock)
            #expect(isAnswered)
        }
        let words = inbox.entries.compactMap { entry in
            if case .repeated(_, _, let word) = entry { word } else { nil }
        }
        #expect(words.filter { $0 == .pending }.count == Int(limit))
        #expect(words.last == .rejected(code: Outcome.noRoomCode))
    }

    // MARK: The window

    /// One key at a receiver, and what becomes of a record under it.
    private struct Bench {
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        var image = JournalImage()
        var clock = WallTime(milliseconds: 0)
        var number: UInt64 = 0
        var first: RecordID?

        init() {
            inbox.epochs = [InboundEpoch(id: EpochID(rawValue: 7), rank: 1, parent: nil)]
        }

        mutating func give(_ key: UInt128, _ disposition: Disposition) {
            number += 1
            let id = RecordID(
                epoch: EpochID(rawValue: 7), lane: .background, number: RecordNumber(number))
            let record = InboundRecord(
                id: id, kind: .userInfo, key: nil, payload: [], idempotencyKey: key)
            guard !inbox.answerRepetition(record, at: clock) else { return persist() }
            if key == 1 { first = id }
            inbox.disposed(record, disposition)
            inbox.noteKey(of: record, disposition, at: clock)
            persist()
        }

        mutating func persist() {
            for entry in inbox.entries { image.apply(entry) }
            inbox.entries = []
            inbox.commitActions = []
        }

        mutating func apply(_ input: String) {
            switch input {
            case "said applied": give(1, .applied)
            case "said pending": give(1, .pending)
            case "said rejected": give(1, .rejected(code: 1))
            case "decided applied": decide(.applied)
            case "decided rejected": decide(.rejected(code: 1))
            case "1024 newer keys":
                for key in 2...UInt128(IdempotencyWindow.capacity) + 1 { give(key, .applied) }
            case "seven days":
                let age = IdempotencyWindow.age.nanosecondsClamped / 1_000_000
                clock = WallTime(milliseconds: clock.milliseconds + age + 1)
            case "restarted": inbox = Inbox(limits: Limits(), image: image)
            default: Issue.record("unknown input \(input)")
            }
        }

        private mutating func decide(_ disposition: Disposition) {
            if let first { inbox.dispose(first, disposition) }
            persist()
        }

        /// How a record under the key would be answered.
        var state: String {
            let name = IdempotencyName(lane: .background, key: 1)
            switch inbox.keys.memory(of: name, at: clock)?.word {
            case nil: return "unknown"
            case .pending?: return "pending"
            case .applied?: return "applied"
            case .rejected?: return "rejected"
            }
        }
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "An idempotency key at the receiver",
                in: "Sources/FormerCore/FormerCore.docc/state-machines.md"))
        let ways: [(String, [String])] = [
            ("unknown", []), ("pending", ["said pending"]), ("applied", ["said applied"]),
            ("rejected", ["said rejected"]),
        ]
        let inputs = [
            "said applied", "said pending", "said rejected", "decided applied",
            "decided rejected", "1024 newer keys", "seven days", "restarted",
        ]
        var rows: [[String]] = []
        for (state, way) in ways {
            var row = [state]
            for input in inputs {
                var bench = Bench()
                for step in way { bench.apply(step) }
                #expect(bench.state == state)
                let given = bench.number
                bench.apply(input)
                let isAsked = bench.first.map { $0.number.rawValue > given } ?? false
                if input.hasPrefix("said"), !isAsked {
                    #expect(bench.state == state)
                    row.append("·")
                } else {
                    row.append(bench.state == state ? "–" : bench.state)
                }
            }
            rows.append(row)
        }
        #expect(table.header == ["state"] + inputs)
        #expect(table.rows == rows)
    }

    @Test func the_journal_remembers_the_same_keys_as_the_peer() {
        var bench = Bench()
        var random = SeededGenerator(seed: 4)
        for _ in 0..<5_000 {
            let key = UInt128(random.uniform(in: 1...2_000))
            switch random.uniform(in: 0...9) {
            case 0: bench.give(key, .pending)
            case 1: bench.give(key, .rejected(code: 2))
            case 2:
                if let id = bench.inbox.pending.keys.first { bench.inbox.dispose(id, .applied) }
                bench.persist()
            case 3:
                let wait = Int64(random.uniform(in: 0...20_000_000)) - 5_000_000
                bench.clock = WallTime(milliseconds: bench.clock.milliseconds + wait)
            default: bench.give(key, .applied)
            }
            #expect(bench.inbox.keys == bench.image.keys)
            #expect(bench.inbox.followers == bench.image.followers)
        }
        #expect(bench.inbox.keys.entries.count <= IdempotencyWindow.capacity)
    }
}
