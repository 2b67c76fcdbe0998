import Testing
import WatchProto
import WatchSecurity

/// Records that end before this side's own commit of them does.
@Suite struct HeldOutcomeTests {
    private func box() -> PairInABox {
        PairInABox { $0.overdueAge = .seconds(60) }
    }

    private func alarms(_ side: BoxSide) -> [RecordID] {
        side.host.events.compactMap { event in
            if case .overdue(let id, _) = event { id } else { nil }
        }
    }

    /// Seed 109894: taken back before it could leave, while its commit was under way; the session
    /// that began then forgot that, and the record left.
    @Test(arguments: [Lane.background, .context])
    func what_was_taken_back_before_it_left_never_leaves(lane: Lane) throws {
        let box = box()
        box.phone.commitsAtOnce = false
        let draft = lane == .context ? context(1, "not this") : userInfo("not this")
        let id = try box.phone.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        box.phone.commitsAtOnce = true
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(120))
        #expect(box.watch.host.delivered.isEmpty)
        #expect(box.phone.status(of: id) == .settled(.cancelled))
        #expect(alarms(box.phone).isEmpty)
    }

    /// The same where its time has run out.
    @Test func what_expired_before_it_left_never_leaves() throws {
        let box = box()
        box.phone.commitsAtOnce = false
        var draft = userInfo("too late")
        draft.expiresAt = WallTime(milliseconds: 1_000)
        let id = try box.phone.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.advance(by: .seconds(2))
        box.connect()
        box.phone.commitsAtOnce = true
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.delivered.isEmpty)
        #expect(box.phone.status(of: id) == .settled(.expired))
    }

    /// What the counterpart had said, and has lost since, waits again, and the alarm knows it.
    @Test func a_word_that_the_receiver_lost_lets_the_alarm_be_raised() throws {
        let box = box()
        box.connect()
        box.phone.commitsAtOnce = false
        let id = try box.phone.send(userInfo("once more"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.watch, epoch: 0x7004, keepsJournal: false)
        box.watch.commitsAtOnce = false
        box.connect()
        box.phone.commitsAtOnce = true
        box.phone.drain(at: box.now)
        box.settle()
        #expect(alarms(box.phone).isEmpty)
        box.advance(by: .seconds(61))
        #expect(alarms(box.phone) == [id])
    }
}
