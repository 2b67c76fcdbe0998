import Articles
import Testing
import WatchProto

/// What a caller may ask of a record, and what it is told: yes, no, or unknown, and never a guess.
@Suite struct StatusTests {
    private func sent(
        _ text: String, in box: PairInABox, _ change: (inout RecordDraft) -> Void = { _ in }
    ) throws -> RecordID {
        var draft = userInfo(text)
        change(&draft)
        let id = try box.phone.peer.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        return id
    }

    @Test func the_table_of_the_article_is_the_code() throws {
        let table = try #require(
            try MarkdownTable.below(
                "What is known of a record",
                in: "Sources/FormerCore/FormerCore.docc/state-machines.md"))
        let stages: [(RecordStatus, String)] = Stage.allCases.map { (.underWay($0), "\($0)") }
        let outcomes: [(RecordStatus, String)] = [
            (.settled(.applied), "applied, settled"), (.settled(.superseded), "superseded"),
            (.settled(.cancelled), "cancelled"), (.settled(.expired), "expired"),
            (.settled(.rejected(code: 3)), "rejected"), (.settled(.notDelivered), "not delivered"),
            (.settled(.unknown), "settled, unknown how"),
            (.settled(.outcomeUnknown), "outcome unknown"), (.unknown, "not known"),
        ]
        let rows = (stages + outcomes).map { status, name in
            [name, status.wasApplied.map { $0 ? "yes" : "no" } ?? "unknown"]
        }
        #expect(table.rows == rows)
    }

    @Test func every_stage_is_an_event_and_an_answer() throws {
        let box = PairInABox()
        box.connect()
        box.watch.host.disposition = { _ in .pending }
        let id = try box.phone.peer.send(userInfo("x"), at: box.now)
        #expect(box.phone.status(of: id) == .underWay(.queued))
        box.phone.drain(at: box.now)
        #expect(box.phone.status(of: id) == .underWay(.sent))
        // The watch's journal takes its time.
        box.watch.commitsAtOnce = false
        box.settle()
        #expect(box.phone.status(of: id) == .underWay(.sent), "a quick commit needs no word")
        box.advance(by: .milliseconds(100))
        #expect(box.phone.status(of: id) == .underWay(.received))
        box.watch.commitsAtOnce = true
        box.watch.drain(at: box.now)
        box.settle()
        #expect(box.phone.status(of: id) == .underWay(.committed))
        #expect(box.phone.status(of: id).wasApplied == nil)
        box.watch.peer.applied(id, at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        #expect(box.phone.status(of: id).wasApplied == true)
        let told = box.phone.host.events.compactMap { event in
            switch event {
            case .progress(id, let stage): "\(stage)"
            case .settled(id, let outcome): "settled \(outcome)"
            default: nil
            }
        }
        #expect(
            told == ["queued", "sent", "received", "committed", "applied", "settled applied"])
    }

    @Test func what_is_under_way_is_so_after_a_restart() throws {
        let box = PairInABox()
        let waiting = try sent("a", in: box)
        box.watch.host.disposition = { _ in .pending }
        box.connect()
        let pending = try sent("b", in: box)
        let outstanding = box.phone.outstanding
        #expect(outstanding == [waiting, pending])
        box.restart(.phone, epoch: 0x3333)
        #expect(box.phone.outstanding == outstanding)
        #expect(box.phone.status(of: pending) == .underWay(.committed))
    }

    @Test func each_outcome_is_known_after_restarts_and_when_its_epoch_is_retired() throws {
        let box = PairInABox()
        let expired = try sent("a", in: box) { $0.expiresAt = WallTime(milliseconds: 1_000) }
        let cancelled = try sent("b", in: box)
        box.phone.peer.cancel(cancelled, at: box.now)
        box.phone.drain(at: box.now)
        box.advance(by: .seconds(2))
        box.connect()
        let applied = try sent("c", in: box)
        box.watch.host.disposition = { _ in .rejected(code: 9) }
        let rejected = try sent("d", in: box)
        box.watch.host.disposition = { _ in .applied }
        let expected: [(RecordID, Outcome)] = [
            (expired, .expired), (cancelled, .cancelled), (applied, .applied),
            (rejected, .rejected(code: 9)),
        ]
        for epoch in 0x3333...0x3335 as ClosedRange<UInt64> {
            for (id, outcome) in expected {
                #expect(box.phone.status(of: id) == .settled(outcome))
                #expect(box.phone.status(of: id).wasApplied == (outcome == .applied))
            }
            box.restart(.phone, epoch: epoch)
            box.connect()
            _ = try sent("later", in: box)
        }
        #expect(!box.phone.host.image.ownEpochs.contains { $0.id == expired.epoch }, "retired")
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func what_the_journal_never_held_is_unknown_though_the_counterpart_has_it() throws {
        let box = PairInABox()
        box.connect()
        box.phone.commitsAtOnce = false
        let id = try sent("x", in: box)
        #expect(box.watch.host.delivered.count == 1)
        box.restart(.phone, epoch: 0x3333)
        #expect(box.phone.status(of: id) == .unknown)
        #expect(box.phone.status(of: id).wasApplied == nil)
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func outcomes_beyond_the_log_are_unknown_the_oldest_first() throws {
        let box = PairInABox()
        box.connect()
        let ids = try (0...OutcomeLog.capacity).map { _ in try sent("x", in: box) }
        for restarts in 0...1 {
            #expect(box.phone.status(of: ids[0]) == .unknown, "after \(restarts) restarts")
            #expect(box.phone.status(of: ids[1]) == .settled(.applied))
            box.restart(.phone, epoch: 0x3333)
        }
    }

    @Test func a_record_of_nobody_is_unknown() {
        let box = PairInABox()
        for lane in Lane.allCases {
            let id = RecordID(
                epoch: EpochID(rawValue: 0x1111), lane: lane, number: RecordNumber(1))
            #expect(box.phone.status(of: id) == .unknown)
        }
    }
}
