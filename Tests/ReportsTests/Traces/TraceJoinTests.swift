import ControlProtocol
import Reports
import Testing

@Suite struct TraceJoinTests {
    static func record(
        _ number: Int?, channel: String = "background", kind: String = "dose", key: String? = nil,
        intended: UInt64 = 100, settled: String? = "applied", warmUp: Bool = false,
        durable: UInt64? = nil
    ) -> TraceRecord {
        var json: JSONObject = [
            "channel": .string(channel), "kind": .string(kind), "accepted_ns": .whole(intended),
        ]
        if let number {
            json["epoch"] = "e1"
            json["number"] = .whole(number)
        }
        json["key"] = key.map { .string($0) }
        json["settled"] = settled.map { .string($0) }
        if warmUp { json["warmup"] = true }
        json["durable_ns"] = durable.map { .whole($0) }
        return TraceRecord(.object(json))!
    }

    static func delivery(
        _ number: Int, channel: String = "background", epoch: String = "e1", visible: UInt64 = 150,
        durable: UInt64? = nil
    ) -> TraceDelivery {
        var json: JSONObject = [
            "epoch": .string(epoch), "channel": .string(channel), "number": .whole(number),
            "kind": "dose",
            "delivered_ns": .whole(visible - 1), "visible_ns": .whole(visible),
        ]
        json["durable_ns"] = durable.map { .whole($0) }
        return TraceDelivery(.object(json))!
    }

    @Test func a_record_is_durable_when_it_is_seen_and_both_files_hold_it() {
        let join = TraceJoin(
            records: [
                Self.record(1, durable: 300), Self.record(2, durable: 120), Self.record(3),
                Self.record(4, durable: 120), Self.record(5, durable: 120),
            ],
            deliveries: [
                Self.delivery(1, durable: 160), Self.delivery(2, durable: 260),
                Self.delivery(3, durable: 200), Self.delivery(4),
                Self.delivery(5, visible: 400, durable: 200),
            ])
        #expect(join.entries.map(\.durableNanoseconds) == [200, 160, nil, nil, 300])
        #expect(join.entries.map(\.latencyNanoseconds) == [50, 50, 50, 50, 300])
    }

    /// A device may send by itself while the traces are read. Before that, a loss is a loss.
    @Test func what_was_sent_while_the_traces_were_read_is_left_out() {
        let records = [
            Self.record(1, intended: 100), Self.record(2, intended: 200, settled: nil),
            Self.record(3, intended: 201, settled: nil),
        ]
        let join = TraceJoin(records: records, deliveries: [Self.delivery(3)], quietAt: 200)
        #expect(join.lost.map(\.name) == [records[0].name])
        #expect(join.entries.map(\.record.name) == [records[0].name])
        #expect(join.unknown.isEmpty)
        let whole = TraceJoin(records: records, deliveries: [Self.delivery(3)])
        #expect(whole.lost.count == 2)
    }

    /// Without what never came, percentiles would be better for every loss.
    @Test func what_never_came_counts_with_its_wait() throws {
        let join = TraceJoin(
            records: [Self.record(1, durable: 120), Self.record(2), Self.record(3)],
            deliveries: [Self.delivery(1, durable: 160), Self.delivery(2)])
        let seen = join.entries.map { $0.response(isDurable: false, until: 1000) }
        #expect(seen.map(\.nanoseconds) == [50, 50, 900])
        #expect(seen.map(\.hasArrived) == [true, true, false])
        let durable = join.entries.map { $0.response(isDurable: true, until: 1000) }
        #expect(durable.map(\.nanoseconds) == [60, 900, 900])
        #expect(durable.map(\.hasArrived) == [true, false, false])
        #expect(try #require(join.entries.last).response(isDurable: false, until: 99) == (0, false))
    }

    @Test func a_newer_value_counts_for_the_durability_of_what_it_replaced() {
        func context(_ number: Int, _ settled: String, durable: UInt64) -> TraceRecord {
            Self.record(number, channel: "context", key: "k", settled: settled, durable: durable)
        }
        let join = TraceJoin(
            records: [context(1, "superseded", durable: 110), context(2, "applied", durable: 130)],
            deliveries: [Self.delivery(2, channel: "context", durable: 170)])
        #expect(join.entries.map(\.durable) == [170, 170])
    }

    @Test func what_arrives_once_is_well_and_timed_from_its_intended_moment() {
        let join = TraceJoin(
            records: [Self.record(1), Self.record(2, intended: 130)],
            deliveries: [Self.delivery(2, visible: 170), Self.delivery(1)])
        #expect(join.wrongCount == 0)
        #expect(join.entries.map(\.latencyNanoseconds) == [50, 40])
    }

    @Test func what_never_arrives_is_lost_whatever_the_sender_says() {
        let join = TraceJoin(
            records: [Self.record(1), Self.record(2), Self.record(3, settled: nil)],
            deliveries: [Self.delivery(1)])
        #expect(join.lost.map { $0.identity?.number } == [2, 3])
        #expect(join.wrongCount == 2)
    }

    @Test func what_arrives_twice_is_counted() {
        let join = TraceJoin(
            records: [Self.record(1)],
            deliveries: [Self.delivery(1), Self.delivery(1, visible: 160)])
        #expect(join.twice.count == 1)
        #expect(join.wrongCount == 1)
        #expect(join.entries.first?.latencyNanoseconds == 50)
    }

    @Test func what_nobody_sent_is_counted() {
        let join = TraceJoin(
            records: [Self.record(1)],
            deliveries: [Self.delivery(1), Self.delivery(1, epoch: "e2"), Self.delivery(9)])
        #expect(join.unknown.count == 2)
        #expect(join.wrongCount == 2)
    }

    @Test func a_replaced_value_counts_until_a_newer_one_is_seen() {
        let records = [
            Self.record(1, channel: "context", key: "a", intended: 100, settled: "superseded"),
            Self.record(2, channel: "context", key: "b", intended: 100, settled: "superseded"),
            Self.record(3, channel: "context", key: "a", intended: 120),
        ]
        let join = TraceJoin(
            records: records, deliveries: [Self.delivery(3, channel: "context", visible: 200)])
        #expect(join.entries[0].latencyNanoseconds == 100)
        #expect(join.entries[0].isSuperseded)
        #expect(join.entries[2].latencyNanoseconds == 80)
        // Nothing newer for b was ever seen: its replacement is a loss.
        #expect(join.lost.map(\.key) == ["b"])
    }

    @Test func an_older_value_does_not_stand_for_a_newer_one() {
        let records = [
            Self.record(1, channel: "context", key: "a"),
            Self.record(2, channel: "context", key: "a", settled: "superseded"),
        ]
        let join = TraceJoin(records: records, deliveries: [Self.delivery(1, channel: "context")])
        #expect(join.lost.count == 1)
        #expect(join.entries[1].visible == nil)
    }

    @Test func face_updates_that_were_gathered_have_no_identity() {
        let records = [
            Self.record(nil, channel: "complication", kind: "complication", settled: "superseded"),
            Self.record(7, channel: "complication", kind: "complication", intended: 110),
            Self.record(nil, channel: "complication", kind: "complication", settled: "equal"),
        ]
        let join = TraceJoin(
            records: records, deliveries: [Self.delivery(7, channel: "complication", visible: 300)])
        #expect(join.wrongCount == 0)
        #expect(join.entries[0].latencyNanoseconds == 200)
        // An update equal to what is shown is not measured.
        #expect(join.entries(in: 0..<1000).count == 2)
    }

    @Test func warm_up_and_other_times_are_left_out() {
        let join = TraceJoin(
            records: [Self.record(1, warmUp: true), Self.record(2, intended: 500), Self.record(3)],
            deliveries: [Self.delivery(1), Self.delivery(2, visible: 510), Self.delivery(3)])
        #expect(join.entries(kind: "dose", in: 0..<200).map { $0.record.identity?.number } == [3])
        #expect(join.entries(kind: "medication", in: 0..<200).isEmpty)
    }

    @Test func ordered_records_never_replace_one_another() {
        let join = TraceJoin(
            records: [Self.record(1, key: "a"), Self.record(2, key: "a")],
            deliveries: [Self.delivery(2)])
        #expect(join.lost.map { $0.identity?.number } == [1])
    }

    @Test func what_is_no_trace_is_refused() {
        #expect(TraceRecord(["channel": "bulk"]) == nil)
        #expect(TraceRecord(["accepted_ns": 5]) == nil)
        #expect(TraceDelivery(["channel": "bulk", "number": 1, "visible_ns": 5]) == nil)
    }
}
