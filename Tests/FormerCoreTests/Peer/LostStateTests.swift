import Testing
import WatchProto
import WatchProtoRecords

/// What a greeting tells of the counterpart's memory: it restarted, or it lost what it held. A loss
/// overlooked is a value never sent again; a loss imagined sends everything a second time.
@Suite struct LostStateTests {
    @Test func a_restart_of_the_counterpart_is_told() {
        let box = PairInABox()
        box.connect()
        box.restart(.watch, epoch: 0x3333)
        box.connect()
        #expect(box.phone.host.events.contains(.counterpartChanged(.restarted)))
    }

    @Test func a_queue_lost_with_its_journal_is_told_once() throws {
        let box = PairInABox()
        box.connect()
        _ = try box.phone.peer.send(userInfo("delivered"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.cut()
        _ = try box.phone.peer.send(userInfo("queued"), at: box.now)
        box.phone.drain(at: box.now)
        box.restart(.phone, epoch: 0x5555, keepsJournal: false)
        for _ in 0..<3 {
            box.connect()
            box.cut()
        }
        let told = box.watch.host.events.filter { $0 == .counterpartChanged(.lostItsQueue) }
        #expect(told.count == 1)
        #expect(!box.phone.host.events.contains(.counterpartChanged(.lostItsQueue)))
    }

    /// A journal that holds nothing but that there were epochs before is no lost one, whether the
    /// other side knows the last of them or not.
    @Test(arguments: [0, 1, 3]) func a_queue_in_a_journal_is_not_lost(_ openings: Int) throws {
        let box = PairInABox()
        box.connect()
        _ = try box.phone.peer.send(userInfo("delivered"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        for opening in 0..<openings {
            box.restart(.phone, epoch: 0x5550 + UInt64(opening))
            // Of this opening the watch never hears.
            let id = try box.phone.peer.send(userInfo("taken back"), at: box.now)
            box.phone.peer.cancel(id, at: box.now)
            box.phone.drain(at: box.now)
        }
        box.restart(.phone, epoch: 0x6666)
        box.connect()
        #expect(box.watch.host.events.contains(.counterpartChanged(.restarted)))
        #expect(!box.watch.host.events.contains(.counterpartChanged(.lostItsQueue)))
    }

    @Test func a_wiped_side_gets_committed_records_again() throws {
        let box = PairInABox()
        box.watch.host.disposition = { _ in .pending }
        box.connect()
        let id = try box.phone.peer.send(userInfo("pending"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.phone.status(of: id) == .underWay(.committed))
        box.restart(.watch, epoch: 0x4444, keepsJournal: false)
        box.watch.host.delivered = []
        box.connect()
        #expect(box.watch.host.delivered.map { $0.id } == [id])
        #expect(box.phone.status(of: id) == .settled(.applied))
    }

    /// Floors in a greeting settle numbers; that is no sign that anything ever arrived.
    @Test func a_loss_is_noticed_although_a_first_greeting_got_through() throws {
        let box = PairInABox()
        box.connect()
        _ = try box.phone.peer.send(context(1, "kept"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.watch, epoch: 0x4444, keepsJournal: false)
        box.watch.host.delivered = []
        // Only the watch hears the other's greeting; then the link is cut.
        for side in [box.phone, box.watch] {
            side.peer.activate(at: box.now)
            side.drain(at: box.now)
            side.peer.linkUp(.stream, at: box.now)
            side.drain(at: box.now)
        }
        box.carry(from: box.phone, to: box.watch)
        box.cut()
        box.connect()
        #expect(box.watch.host.delivered.map { $0.payload } == [Array("kept".utf8)])
    }

    /// Messages are in no journal: that the counterpart forgot them is no loss.
    @Test func forgotten_messages_are_no_lost_state() throws {
        let box = PairInABox()
        box.connect()
        _ = try box.phone.peer.send(context(1, "kept"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.phone, epoch: 0x5555)
        box.connect()
        _ = try box.phone.peer.send(
            RecordDraft(lane: .interactive, kind: .message, payload: [1]), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.watch, epoch: 0x6666)
        box.watch.host.delivered = []
        box.connect()
        #expect(!box.phone.host.events.contains(.counterpartChanged(.lostItsState)))
        #expect(box.watch.host.delivered.isEmpty)
    }

    /// The counterpart knows an opening of ours that a crash undid here: that is more, not less.
    @Test func an_opening_undone_by_a_crash_is_no_lost_state() throws {
        let box = PairInABox()
        box.connect()
        _ = try box.phone.peer.send(context(1, "kept"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        for epoch in [0x5551, 0x5552] as [UInt64] {
            box.restart(.phone, epoch: epoch)
            box.phone.commitsAtOnce = false
            box.connect()
            // It leaves before its commit, which never comes.
            _ = try box.phone.peer.send(userInfo("undone here \(epoch)"), at: box.now)
            box.phone.drain(at: box.now)
            box.settle()
        }
        box.restart(.phone, epoch: 0x5553)
        box.connect()
        box.restart(.watch, epoch: 0x6666)
        box.watch.host.delivered = []
        box.connect()
        #expect(!box.phone.host.events.contains(.counterpartChanged(.lostItsState)))
        #expect(box.watch.host.delivered.isEmpty)
    }

    /// An opening in which nothing was ever confirmed, retired after one in which something was, is
    /// the newest the counterpart knows: it has all that was confirmed.
    @Test func knowing_only_an_epoch_retired_after_the_last_confirmed_is_no_loss() throws {
        let box = PairInABox()
        box.watch.host.disposition = { $0.payload == [1] ? .rejected(code: 1) : .applied }
        box.connect()
        _ = try box.phone.peer.send(context(1, "kept"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.phone, epoch: 0x5551)
        let refused = try box.phone.peer.send(
            RecordDraft(lane: .background, kind: .userInfo, payload: [1]), at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        #expect(box.phone.status(of: refused) == .settled(.rejected(code: 1)))
        box.restart(.phone, epoch: 0x5552)
        // The first greeting of this opening lists neither of the older ones: the watch forgets all
        // but the newest, and the second time says that it knows that one alone.
        box.connect()
        box.watch.host.delivered = []
        for _ in 0..<2 {
            box.cut()
            box.reconnect()
        }
        #expect(box.phone.host.image.ownEpochs.isEmpty)
        #expect(box.phone.host.image.lastConfirmedEpoch?.rawValue == 0x1111)
        #expect(box.watch.host.image.counterpartEpochs.map { $0.id.randomPart } == [0x5551])
        #expect(!box.phone.host.events.contains(.counterpartChanged(.lostItsState)))
        #expect(box.watch.host.delivered.isEmpty, "nothing comes again")
    }

    /// A receiver restored from a backup while its sender goes on: what it had confirmed in between
    /// counts as delivered, and is not there any more.
    @Test(arguments: [0, 1, 2])
    func confirmed_records_that_a_backup_lacks_are_a_loss(before: Int) throws {
        let box = PairInABox()
        box.connect()
        func send(_ text: String) throws {
            _ = try box.phone.peer.send(userInfo(text), at: box.now)
            box.phone.drain(at: box.now)
            box.settle()
        }
        for number in 0..<before { try send("before \(number)") }
        let backup = box.watch.host.image
        try send("after")
        let isTold = { box.phone.host.events.contains(.counterpartChanged(.lostItsState)) }
        // Nothing is said of it as it is; of it as it was, until its journal knows that it is over.
        box.restart(.watch, epoch: 0x6665)
        box.connect()
        #expect(!isTold())
        box.watch.host.image = backup
        box.restart(.watch, epoch: 0x6666)
        box.connect()
        #expect(isTold())
        for epoch in [0x6667, 0x6668] as [UInt64] {
            box.phone.host.events = []
            try send("later")
            box.restart(.watch, epoch: epoch)
            box.connect()
        }
        #expect(!isTold())
    }

    /// What expired, or was taken back, was never confirmed: behind it nothing is missed.
    @Test func behind_a_gap_nothing_is_missed() throws {
        let box = PairInABox()
        box.connect()
        _ = try box.phone.peer.send(userInfo("before"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.cut()
        let taken = try box.phone.peer.send(userInfo("taken back"), at: box.now)
        box.phone.peer.cancel(taken, at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        let backup = box.watch.host.image
        _ = try box.phone.peer.send(userInfo("after"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.watch.host.image = backup
        box.restart(.watch, epoch: 0x6666)
        box.connect()
        #expect(!box.phone.host.events.contains(.counterpartChanged(.lostItsState)))
    }

    /// The other way round it is one: what was confirmed last is later than all it knows.
    @Test func knowing_only_an_epoch_retired_before_the_last_confirmed_is_a_loss() throws {
        let box = PairInABox()
        box.connect()
        _ = try box.phone.peer.send(context(1, "first"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        let backup = box.watch.host.image
        box.restart(.phone, epoch: 0x5551)
        box.connect()
        _ = try box.phone.peer.send(context(1, "second"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.phone, epoch: 0x5552)
        box.connect()
        // The watch is restored from before the second value.
        box.watch.host.image = backup
        box.restart(.watch, epoch: 0x6666)
        box.watch.host.delivered = []
        box.connect()
        #expect(box.phone.host.events.contains(.counterpartChanged(.lostItsState)))
        #expect(box.watch.host.delivered.map { $0.payload } == [Array("second".utf8)])
    }
}
