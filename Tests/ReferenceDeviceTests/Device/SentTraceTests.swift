import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import ReferenceDevice

/// The records and equal updates in a trace.
@Suite struct SentTraceTests {
    private func id(_ number: UInt64, _ channel: Channel = .complication) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: 9), channel: channel, number: RecordNumber(number))
    }

    private func at(_ nanoseconds: UInt64) -> Instant { Instant(nanoseconds: nanoseconds) }

    private let origin = SendOrigin(.complication, payload: [1])

    @Test func an_equal_update_is_settled_at_once_and_changes_nothing_of_the_first() {
        var trace = SentTrace(limit: 10)
        trace.accepted(id(1), origin, isEqual: false, at: at(1))
        trace.accepted(id(1), origin, isEqual: true, at: at(2))
        trace.settled(id(1), .applied, at: at(3))
        #expect(trace.entries.map(\.settled) == ["applied", "equal"])
        #expect(trace.entries.map(\.id) == [id(1), nil])
    }

    @Test func a_renumbered_value_keeps_its_entry() {
        var trace = SentTrace(limit: 10)
        trace.accepted(id(1), origin, isEqual: false, at: at(1))
        trace.renumbered(id(1), as: id(7))
        trace.progress(id(1), .sent, at: at(2))
        trace.progress(id(7), .sent, at: at(3))
        trace.durable(id(7), at: at(4))
        #expect(trace.entries.map(\.id) == [id(7)])
        #expect(trace.entries[0].stages[1] == 3 && trace.entries[0].durableNs == 4)
    }

    @Test func a_reply_is_of_the_newest_message_with_its_number() {
        var trace = SentTrace(limit: 10)
        let former = RecordID(
            epoch: EpochID(rawValue: 8), channel: .interactive, number: RecordNumber(1))
        trace.accepted(former, origin, isEqual: false, at: at(1))
        trace.accepted(id(1, .interactive), origin, isEqual: false, at: at(2))
        trace.replied(to: RecordNumber(1), at: at(5))
        #expect(trace.entries.map(\.repliedNs) == [0, 5])
    }
}
