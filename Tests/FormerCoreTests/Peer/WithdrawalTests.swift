import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A record that was taken back stays so: this side's crash does not give it away after all.
@Suite struct WithdrawalTests {
    private func isAsked(_ box: PairInABox, _ id: RecordID) -> Bool {
        box.phone.host.image.outboundInOrder().contains {
            $0.record.id == id && $0.withdrawal != nil
        }
    }

    /// The counterpart is away while the record is taken back, which may have left in an earlier
    /// life; then this side is killed.
    @Test(arguments: [CarrierTraits.stream, .lossyDatagram], [Lane.background, .context, .bulk])
    func what_was_cancelled_is_not_applied_after_a_crash(
        _ carrier: CarrierTraits, _ lane: Lane
    ) throws {
        let box = PairInABox(carrier)
        let draft =
            lane == .context
            ? context(1, "not this") : RecordDraft(lane: lane, kind: .userInfo, payload: [1])
        let id = try box.phone.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.restart(.phone, epoch: 0x3333)
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
        #expect(box.phone.status(of: id) == .underWay(.queued), "it may have left")
        box.restart(.phone, epoch: 0x4444)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.isEmpty)
        #expect(box.phone.status(of: id) == .settled(.cancelled))
        #expect(box.phone.outstanding.isEmpty)
    }

    /// The wall clock may be set back while the process is away.
    @Test func what_expired_stays_so_although_the_clock_was_set_back() throws {
        let box = PairInABox()
        var draft = userInfo("too late")
        draft.expiresAt = WallTime(milliseconds: 5_000)
        let id = try box.phone.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.restart(.phone, epoch: 0x3333)
        box.advance(by: .seconds(6))
        #expect(isAsked(box, id))
        box.phone = BoxSide(
            box.phone.configuration, epoch: 0x4444, image: box.phone.host.image, at: box.now)
        box.connect()
        #expect(box.watch.host.delivered.isEmpty)
        #expect(box.phone.status(of: id) == .settled(.expired))
    }

    /// The record's own entry is durable when the crash comes, its settlement is not.
    @Test func what_was_taken_back_while_its_commit_was_under_way_is_not_applied() throws {
        let box = PairInABox()
        box.phone.commitsAtOnce = false
        let id = try box.phone.send(userInfo("not this"), at: box.now)
        box.phone.drain(at: box.now)
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
        // The disk has both; the process hears of neither.
        for (_, entries) in box.phone.host.entries {
            for entry in entries { box.phone.host.image.apply(entry) }
        }
        box.restart(.phone, epoch: 0x3333)
        box.connect()
        #expect(box.watch.host.delivered.isEmpty)
        #expect(box.phone.status(of: id) == .settled(.cancelled))
    }

    /// A retry of the act under its key is another record, as it was before the crash.
    @Test func after_a_crash_too_it_stands_for_no_other_act() throws {
        let box = PairInABox()
        var act = userInfo("act")
        act.idempotencyKey = 7
        let first = try box.phone.send(act, at: box.now)
        box.phone.drain(at: box.now)
        box.restart(.phone, epoch: 0x3333)
        box.phone.peer.cancel(first, at: box.now)
        box.phone.drain(at: box.now)
        box.restart(.phone, epoch: 0x4444)
        let second = try box.phone.send(act, at: box.now)
        box.phone.drain(at: box.now)
        #expect(second != first)
        box.connect()
        #expect(box.watch.host.delivered.map(\.id) == [second])
    }

    /// What counts already is not taken back, and no word of it is kept.
    @Test func one_that_was_committed_there_is_not_noted() throws {
        let box = PairInABox()
        box.watch.host.disposition = { _ in .pending }
        box.connect()
        let id = try box.phone.send(userInfo("counts"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
        #expect(!isAsked(box, id))
        #expect(box.phone.status(of: id) == .underWay(.committed))
    }
}
