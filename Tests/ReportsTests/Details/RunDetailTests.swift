import ControlProtocol
import Testing

@testable import Reports

@Suite struct RunDetailTests {
    private static let start: UInt64 = 1_000_000

    private func entry(
        due: UInt64, sent: UInt64?, delivered: UInt64?, seen: UInt64?, durable: UInt64? = nil,
        applied: UInt64? = nil
    ) throws -> TraceJoin.Entry {
        let json: JSONValue = [
            "channel": "complication", "kind": "complication", "epoch": "0", "number": 1,
            "intended_ns": .whole(due),
        ]
        var record = try #require(TraceRecord(json))
        record.sent = sent
        record.applied = applied
        return TraceJoin.Entry(
            record: record, deliveryCount: delivered == nil ? 0 : 1, delivered: delivered,
            ownVisible: seen, visible: seen, durable: durable)
    }

    private func record(
        _ entry: TraceJoin.Entry, until end: KeyPath<TraceJoin.Entry, UInt64?> = \.visible,
        countsWaits: Bool = false
    ) throws -> RunDetail.Record {
        var detail = RunDetail(of: Self.start..<9_000_000, isComplete: true)
        detail.add(
            [entry], series: "face", isFromWatch: false, until: end, countsWaits: countsWaits)
        return try #require(detail.records.first)
    }

    /// Both journals hold it later than it is seen, which is what its series counts.
    @Test func stages_end_where_the_latency_ends() throws {
        let entry = try entry(
            due: 1_000_100, sent: 1_000_300, delivered: 1_000_900, seen: 1_001_000,
            durable: 1_005_000, applied: 1_006_000)
        let seen = try record(entry)
        #expect(seen.latencyNanoseconds == 900)
        #expect(seen.stages == [200, 600, 100, 5000])
        let durable = try record(entry, until: \.durable)
        #expect(durable.latencyNanoseconds == 4900)
        #expect(durable.stages == [200, 600, 4100, 1000])
    }

    /// As a trace has it that only knows when it was told.
    @Test func a_record_that_came_before_it_was_sent_has_no_moment_when_it_was_sent() throws {
        let record = try record(
            try entry(due: 1_000_100, sent: 1_002_000, delivered: 1_000_500, seen: 1_000_600))
        #expect(record.sent == nil)
        #expect(record.stages == [nil, nil, 100, nil])
        #expect(record.latencyNanoseconds == 500)
    }

    @Test func a_newer_value_that_is_seen_first_ends_the_way_of_an_older_one() throws {
        let record = try record(
            try entry(due: 1_000_100, sent: 1_000_200, delivered: 1_000_900, seen: 1_000_500))
        #expect(record.stages == [100, 300, 0, nil])
        #expect(record.latencyNanoseconds == 400)
    }

    @Test func what_never_came_has_a_wait_and_no_commit() throws {
        let entry = try entry(due: 1_000_100, sent: 1_000_200, delivered: nil, seen: nil)
        #expect(try record(entry).latencyNanoseconds == nil)
        let waiting = try record(entry, countsWaits: true)
        #expect(waiting.latencyNanoseconds == 7_999_900)
        #expect(waiting.stages == [100, nil, nil, nil])
    }

    /// The medians are of the records that `n` counts; of fewer the sender heard.
    @Test func a_count_of_stages_is_that_of_its_medians() throws {
        var detail = RunDetail(of: Self.start..<9_000_000, isComplete: true)
        var entries: [TraceJoin.Entry] = []
        for place in 0..<30 as Range<UInt64> {
            // Of five records nobody knows when they left.
            entries.append(
                try entry(
                    due: 1_000_100, sent: place < 25 ? 1_000_100 + place : nil,
                    delivered: 1_001_000, seen: 1_002_000 + place,
                    applied: place < 21 ? 1_003_000 : nil))
        }
        detail.add(
            entries, series: "face", isFromWatch: false, until: \.visible, countsWaits: false)
        let row = try #require(detail.stageMedians.first)
        #expect(row.count == 25 && row.appliedCount == 21)
        #expect(row.nanoseconds[2] == 1012)
        #expect(
            detail.stageNotes == [
                "face: of the 25 records with stages 4 lack 'applied': its median is of 21"
            ])
    }

    /// This holds for any two traces, however their moments lie.
    @Test func stages_add_up_to_the_latency_of_every_record() throws {
        var state: UInt64 = 7
        func moment() -> UInt64? {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let high = state >> 33
            return high % 9 == 0 ? nil : Self.start + high % 1000
        }
        var wholeCount = 0
        for _ in 0..<5000 {
            let due = moment() ?? Self.start
            let record = try record(
                try entry(
                    due: due, sent: moment(), delivered: moment(), seen: moment(),
                    durable: moment(), applied: moment()),
                until: due % 2 == 0 ? \.visible : \.durable, countsWaits: due % 3 == 0)
            guard let latency = record.latencyNanoseconds else { continue }
            let parts = record.stages.prefix(3).compactMap { $0 }
            let sum = parts.reduce(0, +)
            if record.reached != nil, parts.count == 3 {
                #expect(sum == latency, "\(record)")
                wholeCount += 1
            } else if record.reached != nil {
                #expect(sum <= latency, "\(record)")
            }
        }
        #expect(wholeCount > 1000)
    }

    /// A p99 needs 1,000 records: where a second has fewer, its intervals are longer.
    @Test(
        arguments: [
            (1, 3000, 1, [1000, 1000, 1000]), (20, 3000, 30, [1500, 1500]),
            (100, 1200, 120, [1200]), (4, 1100, 5, [1100]), (20, 1060, 22, [1060]),
        ] as [(UInt64, UInt64, UInt64, [Int])])
    func a_99th_percentile_has_intervals_of_its_own(
        apart: UInt64, count: UInt64, seconds: UInt64, counts: [Int]
    ) throws {
        let tails = try tails(apart: apart, count: count)
        let found = try #require(tails.found)
        #expect(found.seconds == seconds && found.intervals.map(\.count) == counts)
        #expect(found.intervals.allSatisfy { $0.p99 == 990 } && tails.count == Int(count))
    }

    @Test func too_few_records_have_no_99th_percentile_anywhere() throws {
        let tails = try tails(apart: 1, count: 999)
        #expect(tails.found == nil && tails.count == 999)
    }

    /// Records so many milliseconds apart; of each hundred the first takes 10 ns, the next 20 ...
    private func tails(
        apart: UInt64, count: UInt64
    ) throws -> (count: Int, found: (seconds: UInt64, intervals: [RunDetail.Interval])?) {
        let first = try entry(due: Self.start, sent: nil, delivered: nil, seen: nil)
        var detail = RunDetail(of: Self.start..<1_000_000_000_000, isComplete: true)
        let entries = (0..<count).map { place in
            var entry = first
            entry.record.intended = Self.start + place * apart * 1_000_000
            entry.visible = entry.record.intended + 10 * (place % 100 + 1)
            return entry
        }
        detail.add(entries, series: "face", isFromWatch: false, until: \.visible)
        return detail.tails(ofSeries: 0)
    }
}
