import ControlKit
import Testing
import WatchProto
import WatchProtoRecords

@testable import SimulatorKit

@Suite struct SentTraceTests {
    private func id(_ number: UInt64) -> RecordID {
        RecordID(
            epoch: EpochID(rawValue: 9), lane: .complication, number: RecordNumber(number))
    }

    private func origin(_ byte: UInt8) -> SendOrigin {
        SendOrigin(.complication, payload: [byte])
    }

    private func at(_ nanoseconds: UInt64) -> Instant { Instant(nanoseconds: nanoseconds) }

    @Test func of_gathered_updates_the_last_becomes_the_record() {
        var trace = SentTrace(limit: 10)
        trace.decided(.queued(id(1)), origin(1), at: at(1))
        trace.decided(.gathered, origin(2), at: at(2))
        trace.decided(.gathered, origin(3), at: at(3))
        trace.decided(.equal, origin(3), at: at(4))
        trace.settled(id(1), .applied, at: at(5))
        trace.progress(id(2), .sent, at: at(6))
        trace.settled(id(2), .applied, at: at(7))
        #expect(trace.entries.map(\.settled) == ["applied", "superseded", "applied", "equal"])
        #expect(trace.entries.map(\.id) == [id(1), nil, id(2), nil])
        #expect(trace.entries[2].stages[1] == 6)
    }

    /// A journal that takes its time is given the record long before anything is told of it.
    @Test func what_was_gathered_gets_its_identity_when_the_journal_is_given_it() {
        var trace = SentTrace(limit: 10, followsDurability: true)
        trace.decided(.gathered, origin(1), at: at(1))
        trace.began(id(1), at: at(2))
        trace.decided(.gathered, origin(2), at: at(3))
        trace.began(id(2), at: at(4))
        trace.durable(id(1), at: at(5))
        trace.progress(id(1), .sent, at: at(6))
        trace.progress(id(2), .sent, at: at(7))
        trace.settled(id(1), .applied, at: at(8))
        trace.durable(id(2), at: at(9))
        trace.settled(id(1), .superseded, at: at(10))
        #expect(trace.entries.map(\.id) == [id(1), id(2)])
        #expect(trace.entries.map(\.settled) == ["applied", nil])
        #expect(trace.entries.map(\.durableNs) == [5, 9])
        #expect(trace.entries.map { $0.stages[1] } == [6, 7])
    }

    /// It leaves before the journal holds it; the event comes after that, and may come after the
    /// counterpart has shown it.
    @Test func the_moment_it_left_is_not_that_of_the_later_event() {
        var trace = SentTrace(limit: 10, followsDurability: true)
        trace.decided(.gathered, origin(1), at: at(1))
        trace.began(id(1), at: at(2))
        trace.progress(id(1), .sent, at: at(3))
        trace.durable(id(1), at: at(8))
        for stage in [Stage.queued, .sent] { trace.progress(id(1), stage, at: at(9)) }
        #expect(trace.entries.map { $0.stages[1] } == [3])
    }

    @Test func going_back_to_what_is_shown_makes_the_gathered_needless() {
        var trace = SentTrace(limit: 10)
        trace.decided(.queued(id(1)), origin(1), at: at(1))
        trace.decided(.gathered, origin(2), at: at(2))
        trace.decided(.equal, origin(1), at: at(3))
        #expect(trace.entries.map(\.settled) == [nil, "superseded", "equal"])
    }

    /// What a load has sent, and of how much this side knows what became; latencies are told once.
    @Test func a_load_is_counted_from_when_its_records_were_due() {
        func due(_ byte: UInt8, _ nanoseconds: UInt64, isWarmUp: Bool = false) -> SendOrigin {
            SendOrigin(
                .complication, payload: [byte], intended: at(nanoseconds), isWarmUp: isWarmUp)
        }
        var trace = SentTrace(limit: 10)
        trace.accepted(id(7), origin(9), at: at(1))
        trace.settled(id(7), .applied, at: at(2))
        trace.decided(.queued(id(1)), due(1, 10, isWarmUp: true), at: at(11))
        trace.settled(id(1), .applied, at: at(20))
        trace.decided(.queued(id(2)), due(2, 30), at: at(31))
        trace.decided(.gathered, due(3, 40), at: at(41))
        trace.decided(.gathered, due(4, 50), at: at(51))
        trace.settled(id(2), .applied, at: at(75))
        #expect(trace.load.sent == 4 && trace.load.settled == 2)
        trace.progress(id(3), .sent, at: at(80))
        trace.settled(id(3), .superseded, at: at(90))
        #expect(trace.load.settled == 4)
        #expect(trace.load.take()["latencies_ns"] == [45])
        #expect(trace.load.take()["latencies_ns"] == [])
    }

    @Test func a_full_trace_counts_what_it_does_not_hold() {
        var trace = SentTrace(limit: 1)
        trace.accepted(id(1), origin(1), at: at(1))
        trace.accepted(id(2), origin(2), at: at(2))
        trace.settled(id(2), .applied, at: at(3))
        #expect(trace.entries.count == 1)
        #expect(trace.untraced == 1)
    }

    @Test func an_answer_is_booked_before_or_after_the_receipt() {
        var trace = SentTrace(limit: 4)
        for number in [UInt64(1), 2] {
            let message = RecordID(
                epoch: EpochID(rawValue: 9), lane: .interactive, number: RecordNumber(number))
            trace.accepted(message, SendOrigin(.message, payload: []), at: at(10))
            if number == 1 { trace.settled(message, .applied, at: at(20)) }
            trace.replied(to: message.number, epoch: message.epoch, at: at(30))
            if number == 2 { trace.settled(message, .applied, at: at(40)) }
        }
        #expect(trace.entries.map(\.repliedNs) == [30, 30])
    }
}
