import Articles
import Testing
import WatchProto

/// The batcher of complication updates, one cell of the article's table after the other.
@Suite struct ComplicationBatcherTests {
    static let key = RecordKey(rawValue: 1)
    static let inputs = [
        "new value", "value last queued", "value gathered", "fifth value", "confirmed",
        "refused", "time over",
    ]

    /// A batcher, and what was queued in its name.
    struct Bench {
        var batcher = ComplicationBatcher(batchTime: .milliseconds(500), batchCount: 5)
        var now = Instant.zero
        var queued: [UInt8] = []
        var gathered: UInt8 = 0
        /// Every new value differs from those before it.
        var next: UInt8 = 1

        /// What follows from an input; nil for one that cannot be in this state.
        mutating func apply(_ input: String) -> String? {
            let before = queued.count
            switch input {
            case "new value":
                gathered = next
                next += 1
                update(gathered)
            case "value last queued":
                guard state != "empty" else { return nil }
                update(queued[queued.count - 1])
            case "value gathered":
                guard state == "gathering" else { return nil }
                update(gathered)
            case "fifth value":
                // One is gathered; three more, then the fifth.
                guard state == "gathering" else { return nil }
                for _ in 0..<4 { _ = apply("new value") }
            case "confirmed", "refused":
                guard state == "under way" || state == "gathering" else { return nil }
                let last = [queued[queued.count - 1]]
                if let next = batcher.confirmed(
                    ComplicationBatcherTests.key, last, counts: input == "confirmed")
                {
                    queue(next)
                }
            default:
                now = now.advanced(by: .milliseconds(500))
                for (_, payload) in batcher.due(at: now) { queue(payload) }
            }
            return queued.count > before ? state + ", queued" : state
        }

        private mutating func update(_ value: UInt8) {
            let decision = batcher.update(ComplicationBatcherTests.key, [value], at: now)
            if decision == .send { queue([value]) }
        }

        private mutating func queue(_ payload: [UInt8]) {
            batcher.queued(ComplicationBatcherTests.key, payload)
            queued.append(payload[0])
        }

        /// Told by what copies of the batcher would do.
        var state: String {
            if batcher.nextDeadline != nil { return "gathering" }
            var copy = batcher
            if copy.update(ComplicationBatcherTests.key, [255], at: now) == .gathered {
                return "under way"
            }
            copy = batcher
            guard let last = queued.last else { return "empty" }
            let decision = copy.update(ComplicationBatcherTests.key, [last], at: now)
            return decision == .equal ? "shown" : "empty"
        }
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "Complication updates",
                in: "Sources/FormerCore/FormerCore.docc/state-machines.md"))
        let ways: [(String, [String])] = [
            ("empty", []), ("under way", ["new value"]),
            ("gathering", ["new value", "new value"]), ("shown", ["new value", "confirmed"]),
        ]
        var rows: [[String]] = []
        for (state, way) in ways {
            var cells = [state]
            for input in Self.inputs {
                var bench = Bench()
                for step in way { _ = bench.apply(step) }
                #expect(bench.state == state)
                let result = bench.apply(input)
                cells.append(result.map { $0 == state ? "–" : $0 } ?? "·")
            }
            rows.append(cells)
        }
        #expect(table.header == ["state"] + Self.inputs)
        #expect(table.rows == rows)
    }

    /// What leaves is the newest value, whichever way the gathering ends.
    @Test func what_is_queued_is_the_newest() {
        for end in ["confirmed", "refused", "time over"] {
            var bench = Bench()
            for _ in 0..<3 { _ = bench.apply("new value") }
            _ = bench.apply(end)
            #expect(bench.queued == [1, 3], "\(end)")
        }
    }
}
