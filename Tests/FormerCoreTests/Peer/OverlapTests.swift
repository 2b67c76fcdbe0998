import Testing
import WatchProtoRecords

@testable import FormerCore

/// What may leave before the local journal holds it, and what waits.
@Suite struct OverlapTests {
    private func draft(_ text: String, waits: Bool) -> RecordDraft {
        RecordDraft(
            lane: .background, kind: .userInfo, payload: Array(text.utf8), waitsForCommit: waits)
    }

    private func texts(_ side: BoxSide) -> [String] {
        side.host.delivered.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// Makes the oldest batch of a side's journal durable.
    private func commit(_ side: BoxSide, at now: Instant) throws {
        let (receipt, entries) = try #require(side.host.entries.first)
        side.host.entries.removeFirst()
        for entry in entries { side.host.image.apply(entry) }
        side.peer.committed(receipt, at: now)
        side.peer.drain(into: &side.host)
    }

    @Test func a_draft_may_wait_for_its_commit_and_holds_back_those_behind_it_only() throws {
        let box = PairInABox()
        box.connect()
        box.watch.commitsAtOnce = false
        for (text, waits) in [("before", false), ("waits", true), ("behind", false)] {
            _ = try box.watch.send(draft(text, waits: waits), at: box.now)
            box.watch.drain(at: box.now)
        }
        // Another lane waits for nobody.
        _ = try box.watch.send(
            RecordDraft(lane: .interactive, kind: .message, payload: Array("now".utf8)),
            at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        #expect(texts(box.phone).sorted() == ["before", "now"])
        try commit(box.watch, at: box.now)
        box.settle()
        #expect(texts(box.phone).sorted() == ["before", "now"])
        try commit(box.watch, at: box.now)
        box.settle()
        #expect(texts(box.phone).sorted() == ["before", "behind", "now", "waits"])
    }

    /// Events follow the commit; who measures must not take that for the moment it left.
    @Test func what_leaves_before_its_commit_is_told_to_the_host_and_events_follow_it() throws {
        for waits in [false, true] {
            let box = PairInABox()
            box.connect()
            box.watch.commitsAtOnce = false
            let id = try box.watch.send(draft("dose", waits: waits), at: box.now)
            box.watch.drain(at: box.now)
            #expect(box.watch.host.departures == (waits ? [] : [id]))
            #expect(!box.watch.host.events.contains(.progress(id, .sent)))
            try commit(box.watch, at: box.now)
            box.watch.drain(at: box.now)
            #expect(box.watch.host.departures == (waits ? [] : [id]))
            #expect(box.watch.host.events.contains(.progress(id, .sent)))
        }
    }

    @Test func a_crash_before_the_commit_leaves_nobody_with_a_draft_that_waits() throws {
        for waits in [false, true] {
            let box = PairInABox()
            box.connect()
            box.watch.commitsAtOnce = false
            _ = try box.watch.send(draft("dose", waits: waits), at: box.now)
            box.watch.drain(at: box.now)
            box.settle()
            // The watch's process ends here: what its journal holds is nothing.
            #expect(box.watch.host.image.outboundInOrder().isEmpty)
            #expect(texts(box.phone) == (waits ? [] : ["dose"]))
        }
    }
}
