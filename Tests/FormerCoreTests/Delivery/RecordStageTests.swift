import Articles
import Testing

@testable import FormerCore

/// The life of a record on its way out, one row of the article's table after the other.
@Suite struct RecordStageTests {
    /// An outbox in session with one record, and that record's address.
    struct Bench {
        var outbox: Outbox
        var image = JournalImage()
        let id: RecordID
        let address = RecordAddress(epochIndex: 0, number: 1)

        init(_ draft: RecordDraft = userInfo("x")) throws {
            outbox = Outbox(
                limits: Limits(), freshEpoch: EpochID(rawValue: 9), image: JournalImage())
            outbox.listedEpochs = 1
            _ = outbox.begin(Bench.greeting, isLossless: true)
            id = try outbox.accept(draft, isReachable: true, clock: WallTime(milliseconds: 0))
            outbox.queuedIsDurable(id)
            persist()
        }

        static var greeting: Greeting {
            Greeting(
                role: .watch, pairing: PairingID(rawValue: 1), highestVersion: 0, ownEpochs: [],
                knownEpochs: [], offers: [9, 9, 9, 9, 9],
                bytes: [9_999, 9_999, 9_999, 9_999, 9_999], heldDigests: [0, 0, 0, 0, 0],
                largestDatagramBytes: 9_999)
        }

        mutating func persist() {
            for entry in outbox.entries { image.apply(entry) }
            outbox.entries = []
            for (id, outcome) in outbox.settledSinceBatch {
                outbox.settlementIsDurable(id, outcome)
            }
            outbox.settledSinceBatch = []
        }

        mutating func apply(_ input: String) throws {
            switch input {
            case "offered":
                var writer = WireWriter()
                _ = outbox.writeOffer(id.lane, to: &writer, room: 1_000, freshRoom: 1_000)
            case "received": try receipt(.received)
            case "committed": try receipt(.committed)
            case "applied": try receipt(.applied)
            case "link lost": outbox.endSession()
            case "restarted":
                persist()
                outbox = Outbox(limits: Limits(), freshEpoch: EpochID(rawValue: 10), image: image)
            default: Issue.record("unknown input \(input)")
            }
        }

        private mutating func receipt(_ stage: Stage) throws {
            var numbers = NumberRanges()
            numbers.insert(1)
            try outbox.receive(
                ReceiptFrame(lane: id.lane, stage: stage, epochIndex: 0, numbers: numbers))
            persist()
        }

        var state: String {
            switch outbox.status(of: id) {
            case .underWay(let stage): "\(stage)"
            case .settled: "settled"
            case .unknown: "unknown"
            }
        }
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "A record on its way out",
                in: "Sources/FormerCore/FormerCore.docc/state-machines.md"))
        let ways: [String: [String]] = [
            "queued": [], "sent": ["offered"], "received": ["offered", "received"],
            "committed": ["offered", "committed"],
        ]
        #expect(table.rows.count == ways.count)
        for row in table.rows {
            let way = try #require(ways[row[0]], "\(row[0])")
            for (input, expected) in zip(table.header, row).dropFirst() where expected != "–" {
                var bench = try Bench()
                for step in way { try bench.apply(step) }
                #expect(bench.state == row[0])
                try bench.apply(input)
                #expect(bench.state == expected, "\(row[0]) + \(input)")
            }
        }
    }

    @Test func stages_are_told_once_and_in_order() throws {
        var bench = try Bench()
        for input in ["offered", "received", "committed", "committed", "applied"] {
            try bench.apply(input)
        }
        let stages = bench.outbox.changes.compactMap { change in
            if case .progress(_, let stage) = change { stage } else { nil }
        }
        #expect(stages == [.queued, .sent, .received, .committed, .applied])
    }

    @Test func an_applied_receipt_alone_tells_every_stage_before_it() throws {
        var bench = try Bench()
        try bench.apply("offered")
        try bench.apply("applied")
        let stages = bench.outbox.changes.compactMap { change in
            if case .progress(_, let stage) = change { stage } else { nil }
        }
        #expect(stages == [.queued, .sent, .received, .committed, .applied])
        #expect(bench.outbox.changes.last == .settled(bench.id, .applied))
    }

    @Test func nothing_is_told_before_the_local_commit() throws {
        var outbox = Outbox(
            limits: Limits(), freshEpoch: EpochID(rawValue: 9), image: JournalImage())
        outbox.listedEpochs = 1
        _ = outbox.begin(Bench.greeting, isLossless: true)
        let id = try outbox.accept(
            userInfo("x"), isReachable: true, clock: WallTime(milliseconds: 0))
        var writer = WireWriter()
        _ = outbox.writeOffer(.background, to: &writer, room: 1_000, freshRoom: 1_000)
        var numbers = NumberRanges()
        numbers.insert(1)
        try outbox.receive(
            ReceiptFrame(lane: .background, stage: .applied, epochIndex: 0, numbers: numbers))
        #expect(outbox.changes.isEmpty)
        outbox.queuedIsDurable(id)
        #expect(outbox.changes.last == .progress(id, .applied))
        #expect(outbox.status(of: id) == .underWay(.applied), "its settlement is not durable yet")
        outbox.settlementIsDurable(id, .applied)
        #expect(outbox.changes.last == .settled(id, .applied))
        #expect(outbox.status(of: id) == .settled(.applied))
    }

    @Test func a_receipt_for_what_was_never_sent_is_a_violation() throws {
        var bench = try Bench()
        var numbers = NumberRanges()
        numbers.insert(1...2)
        #expect(throws: WireError.self) {
            try bench.outbox.receive(
                ReceiptFrame(lane: .background, stage: .applied, epochIndex: 0, numbers: numbers))
        }
        #expect(bench.state == "queued")
    }
}
