import Testing
import WatchProto
import WatchProtoRecords
import WatchSecurity

/// One side was wiped or restored from a backup: both agree again, the newer value wins wherever it
/// is, and nothing is given twice.
@Suite struct ForgottenStateTests {
    private func send(_ draft: RecordDraft, _ box: PairInABox) throws -> RecordID {
        let id = try box.phone.peer.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        return id
    }

    private func face(_ text: String) -> RecordDraft {
        RecordDraft(
            lane: .complication, kind: .complication, key: RecordKey(rawValue: 1),
            payload: Array(text.utf8))
    }

    private func handedBack(_ side: BoxSide) -> [[UInt8]] {
        side.host.events.compactMap { event in
            if case .handedBack(_, _, _, let payload) = event { payload } else { nil }
        }
    }

    private func texts(_ side: BoxSide) -> [String] {
        side.host.delivered.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    private func reconnect(_ box: PairInABox) {
        box.cut()
        box.connect()
        box.advance(by: .seconds(5))
    }

    @Test func a_wiped_sender_gets_its_values_back_and_repeats_nothing() throws {
        let box = PairInABox()
        box.connect()
        _ = try send(context(1, "one"), box)
        _ = try send(context(2, "two"), box)
        box.restart(.phone, epoch: 0x7001, keepsJournal: false)
        box.connect()
        let handed = handedBack(box.phone).map { String(decoding: $0, as: UTF8.self) }
        #expect(handed == ["one", "two"])
        #expect(box.watch.host.events.contains(.counterpartChanged(.rolledBack)))
        _ = try send(context(3, "three"), box)
        for _ in 0..<3 { reconnect(box) }
        #expect(texts(box.watch) == ["one", "two", "three"])
        // The journal holds what was handed back: another restart asks for nothing.
        box.restart(.phone, epoch: 0x7002)
        box.connect()
        #expect(handedBack(box.phone).isEmpty)
        #expect(texts(box.watch) == ["one", "two", "three"])
    }

    @Test func a_restored_sender_takes_the_newer_value_back() throws {
        let box = PairInABox()
        box.connect()
        _ = try send(context(1, "old"), box)
        _ = try send(context(2, "same"), box)
        let backup = box.phone.host.image
        _ = try send(context(1, "new"), box)
        box.restart(.phone, epoch: 0x7001, on: backup)
        box.connect()
        #expect(handedBack(box.phone) == [Array("new".utf8)])
        #expect(texts(box.watch) == ["old", "same", "new"])
    }

    @Test func what_a_restored_sender_wrote_since_wins() throws {
        let box = PairInABox()
        box.connect()
        _ = try send(context(1, "old"), box)
        let backup = box.phone.host.image
        _ = try send(context(1, "lost"), box)
        box.restart(.phone, epoch: 0x7001, on: backup)
        _ = try box.phone.peer.send(context(1, "since"), at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(texts(box.watch) == ["old", "lost", "since"])
        #expect(handedBack(box.phone).isEmpty)
    }

    @Test func a_restored_receiver_gets_again_what_it_lost_and_only_that() throws {
        let box = PairInABox()
        box.connect()
        _ = try send(context(1, "kept"), box)
        _ = try send(context(2, "before"), box)
        let backup = box.watch.host.image
        _ = try send(context(2, "after"), box)
        _ = try send(context(3, "new"), box)
        box.watch.host.delivered = []
        box.restart(.watch, epoch: 0x7001, on: backup)
        box.connect()
        #expect(texts(box.watch).sorted() == ["after", "new"])
        for _ in 0..<2 { reconnect(box) }
        #expect(texts(box.watch).sorted() == ["after", "new"])
    }

    @Test func a_record_committed_there_and_lost_is_offered_again() throws {
        let box = PairInABox()
        box.watch.host.disposition = { _ in .pending }
        box.connect()
        let backup = box.watch.host.image
        let id = try send(userInfo("wait"), box)
        #expect(box.phone.status(of: id) == .underWay(.committed))
        box.restart(.watch, epoch: 0x7001, on: backup)
        box.connect()
        #expect(texts(box.watch) == ["wait", "wait"])
        #expect(box.phone.status(of: id) == .settled(.applied))
    }

    @Test(arguments: [false, true])
    func what_was_settled_once_is_unknown_and_never_given_again(isRetired: Bool) throws {
        let box = PairInABox()
        box.connect()
        box.watch.host.disposition = { _ in .rejected(code: 9) }
        box.loses = { _ in true }
        let id = try box.phone.peer.send(userInfo("once"), at: box.now)
        box.phone.drain(at: box.now)
        let backup = box.phone.host.image
        box.loses = { _ in false }
        reconnect(box)
        #expect(box.phone.status(of: id) == .settled(.rejected(code: 9)))
        // A later greeting tells that it is settled; without the epoch, that all of it is.
        if isRetired { box.restart(.phone, epoch: 0x7001) }
        _ = try send(userInfo("later"), box)
        reconnect(box)
        if isRetired {
            _ = try send(userInfo("latest"), box)
            reconnect(box)
        }
        let given = texts(box.watch)
        box.restart(.phone, epoch: 0x7002, on: backup)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(texts(box.watch) == given)
        #expect(box.phone.status(of: id) == .settled(.unknown))
    }

    @Test func a_long_value_comes_back_piece_by_piece_over_a_lossy_link() throws {
        let box = PairInABox(.bleDatagram)
        box.connect()
        let long = (0..<3_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        _ = try box.phone.peer.send(
            RecordDraft(
                lane: .context, kind: .applicationContext, key: RecordKey(rawValue: 1),
                payload: long), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        box.restart(.phone, epoch: 0x7001, keepsJournal: false)
        box.loses = { $0 % 5 == 0 }
        box.connect()
        box.advance(by: .seconds(20))
        #expect(handedBack(box.phone) == [long])
    }

    @Test func an_equal_complication_of_a_side_that_forgot_it_is_not_shown_again() throws {
        let box = PairInABox()
        box.connect()
        try box.phone.peer.updateComplication(RecordKey(rawValue: 1), [1, 2], at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.phone, epoch: 0x7001, keepsJournal: false)
        // The application shows its state before it can learn that it is shown already.
        try box.phone.peer.updateComplication(RecordKey(rawValue: 1), [1, 2], at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.map { $0.payload } == [[1, 2]])
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func a_copied_device_is_asked_to_pair_anew() throws {
        let box = PairInABox()
        box.connect()
        _ = try send(userInfo("1"), box)
        let backup = box.phone.host.image
        box.restart(.phone, epoch: 0x7001)
        box.connect()
        _ = try send(userInfo("2"), box)
        let branch = box.phone.host.image
        box.restart(.phone, epoch: 0x7002, on: backup)
        box.connect()
        _ = try send(userInfo("3"), box)
        #expect(box.watch.host.events.contains(.counterpartChanged(.rolledBack)))
        #expect(box.watch.activationState == .activated)
        // The branch that was gone on with before the backup was restored returns.
        box.restart(.phone, epoch: 0x7003, on: branch)
        _ = try box.phone.peer.send(userInfo("4"), at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        #expect(box.watch.host.events.contains(.counterpartChanged(.cloned)))
        #expect(box.watch.host.events.contains(.linkClosed(.cloned)))
        #expect(box.phone.host.events.contains(.linkClosed(.counterpart(.pairAnew))))
        #expect(box.watch.activationState == .notActivated)
        #expect(texts(box.watch) == ["1", "2", "3"])
    }

    /// A state of the face leaves before its own commit ends; a crash that undoes it here hands it
    /// back.
    @Test func a_value_that_a_crash_undoes_here_is_handed_back() throws {
        let box = PairInABox()
        box.connect()
        _ = try send(face("kept"), box)
        box.phone.commitsAtOnce = false
        _ = try send(face("undone"), box)
        #expect(texts(box.watch) == ["kept", "undone"])
        box.phone.commitsAtOnce = true
        box.restart(.phone, epoch: 0x7002)
        box.connect()
        box.advance(by: .seconds(5))
        let handed = handedBack(box.phone).map { String(decoding: $0, as: UTF8.self) }
        #expect(handed == ["undone"])
    }

    /// Seed 3969: the undone value looks like the one before the last, which a record under way
    /// could still have to replace; but that record has arrived.
    @Test func an_undone_value_that_looks_like_an_older_one_is_handed_back() throws {
        let box = PairInABox()
        box.connect()
        _ = try send(face("older"), box)
        _ = try box.phone.peer.send(face("newer"), at: box.now)
        box.phone.drain(at: box.now)
        // The journal holds that it was queued, and not that it was applied.
        box.phone.commitsAtOnce = false
        box.settle()
        _ = try send(face("older"), box)
        #expect(texts(box.watch) == ["older", "newer", "older"])
        box.restart(.phone, epoch: 0x7003)
        box.connect()
        box.advance(by: .seconds(5))
        let handed = handedBack(box.phone).map { String(decoding: $0, as: UTF8.self) }
        #expect(handed == ["older"])
    }

    /// Seed 11303: what the counterpart said before this side's own commit it may have lost since.
    @Test func a_receipt_from_before_the_receiver_was_wiped_settles_nothing() throws {
        let box = PairInABox()
        box.connect()
        box.phone.commitsAtOnce = false
        let id = try send(userInfo("once more"), box)
        #expect(texts(box.watch) == ["once more"])
        box.restart(.watch, epoch: 0x7004, keepsJournal: false)
        let before = box.watch.host.delivered.count
        box.connect()
        box.phone.commitsAtOnce = true
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.count == before + 1)
        #expect(box.phone.status(of: id) == .settled(.applied))
    }

    /// Seed 15205: a late packet of the session before changes what the receiver holds, after its
    /// greeting for the next session has told of it. A sender restored from a backup, which finds
    /// its own state in that greeting, would never learn of the value.
    @Test(arguments: [false, true])
    func a_value_that_comes_after_the_greeting_told_what_is_held_is_handed_back(
        isLate: Bool
    ) throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        _ = try send(context(1, "backed up"), box)
        box.advance(by: .seconds(5))
        let backup = box.phone.host.image
        _ = try box.phone.peer.send(context(1, "late"), at: box.now)
        box.phone.drain(at: box.now)
        let late = box.phone.host.wire
        #expect(late.count == 1)
        // The phone starts over; the watch's end of the link goes on and answers the new flight.
        box.phone = BoxSide(box.phone.configuration, epoch: 0x7005, image: backup, at: box.now)
        box.phone.peer.activate(at: box.now)
        box.phone.peer.linkUp(box.carrier, at: box.now)
        box.phone.drain(at: box.now)
        box.carry(from: box.phone, to: box.watch)
        if isLate {
            for packet in late { box.watch.peer.receive(packet.span, at: box.now) }
            box.watch.drain(at: box.now)
        }
        #expect(texts(box.watch) == (isLate ? ["backed up", "late"] : ["backed up"]))
        box.settle()
        box.advance(by: .seconds(5))
        let isClosed = box.watch.activationState != .activated
        #expect(isClosed == isLate)
        #expect(box.watch.host.events.contains(.linkClosed(.localRequest)) == isLate)
        #expect(box.phone.host.events.contains(.linkClosed(.counterpart(.normal))) == isLate)
        if isClosed {
            box.connect()
            box.advance(by: .seconds(5))
        }
        #expect(box.watch.activationState == .activated)
        #expect(handedBack(box.phone) == (isLate ? [Array("late".utf8)] : []))
    }
}
