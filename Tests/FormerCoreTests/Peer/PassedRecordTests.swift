import Testing
import WatchProtoRecords

@testable import FormerCore

/// An ordered lane stays in order when a backup, or a crash after the receiver was wiped, makes
/// records live again that later ones have passed.
@Suite struct PassedRecordTests {
    private func texts(_ side: BoxSide) -> [String] {
        side.host.delivered.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    private func queue(_ text: String, _ box: PairInABox) throws -> RecordID {
        let id = try box.phone.peer.send(userInfo(text), at: box.now)
        box.phone.drain(at: box.now)
        return id
    }

    private func takeBack(_ id: RecordID, _ box: PairInABox) {
        box.phone.peer.cancel(id, at: box.now)
        box.phone.drain(at: box.now)
    }

    /// Seeds 304478, 120589, 99433, 356646: what was taken back and then passed is live again in a
    /// restored backup, and no floor has told the receiver that it was settled.
    @Test(arguments: [false, true])
    func what_a_backup_makes_live_again_is_not_given_behind_later_ones(
        isOfOlderEpoch: Bool
    ) throws {
        let box = PairInABox()
        let first = try queue("first", box)
        let back = try queue("taken back", box)
        if isOfOlderEpoch { box.restart(.phone, epoch: 0x7001) }
        let next = try queue("next", box)
        let backup = box.phone.host.image
        takeBack(back, box)
        // What an earlier process accepted may have left: the receiver has the word on it then.
        #expect((box.phone.status(of: back) == .settled(.cancelled)) == !isOfOlderEpoch)
        // No settlement becomes durable, so none is told as a floor.
        box.phone.commitsAtOnce = false
        box.connect()
        #expect(texts(box.watch) == ["first", "next"])
        box.restart(.watch, epoch: 0x7002)
        box.restart(.phone, epoch: 0x7003, on: backup)
        box.connect()
        #expect(texts(box.watch) == ["first", "next"])
        #expect(
            box.phone.status(of: back) == .settled(isOfOlderEpoch ? .cancelled : .unknown))
        #expect(box.phone.status(of: first) == .settled(.applied))
        #expect(box.phone.status(of: next) == .settled(.applied))
        // The lane goes on, and nothing of it comes again.
        let after = try queue("after", box)
        box.settle()
        #expect(box.phone.status(of: after) == .settled(.applied))
        box.restart(.watch, epoch: 0x7004)
        box.connect()
        #expect(texts(box.watch) == ["first", "next", "after"])
        #expect(box.phone.outstanding.isEmpty)
    }

    /// Seed 72067: the receiver was wiped after it had been given the record, and begins with a
    /// later one; then the sender goes back to where the record was under way.
    @Test func what_came_before_a_wipe_is_not_given_behind_later_ones() throws {
        let box = PairInABox()
        box.connect()
        let id = try queue("before", box)
        let backup = box.phone.host.image
        box.settle()
        #expect(box.phone.status(of: id) == .settled(.applied))
        box.restart(.watch, epoch: 0x7001, keepsJournal: false)
        box.watch.host.delivered = []
        _ = try queue("later", box)
        box.connect()
        #expect(texts(box.watch) == ["later"])
        // The floor of the greeting was in memory only.
        box.restart(.watch, epoch: 0x7002)
        box.restart(.phone, epoch: 0x7003, on: backup)
        box.connect()
        #expect(texts(box.watch) == ["later"])
        #expect(box.phone.status(of: id) == .settled(.unknown))
        #expect(box.phone.outstanding.isEmpty)
    }

    /// Seed 62822: the receiver has reported a record and was wiped. Until the journal holds how
    /// the record ended, a crash makes it live again, behind what would leave now.
    @Test(arguments: [false, true])
    func what_follows_a_record_the_receiver_forgot_waits_for_the_journal(
        crashes: Bool
    ) throws {
        let box = PairInABox()
        box.connect()
        let first = try queue("first", box)
        box.phone.commitsAtOnce = false
        box.settle()
        #expect(texts(box.watch) == ["first"])
        box.restart(.watch, epoch: 0x7001, keepsJournal: false)
        box.watch.host.delivered = []
        _ = try queue("second", box)
        box.connect()
        #expect(texts(box.watch).isEmpty)
        if crashes {
            box.restart(.phone, epoch: 0x7002)
            box.connect()
            #expect(texts(box.watch) == ["first"], "the crash undoes the second")
        } else {
            box.phone.commitsAtOnce = true
            box.phone.drain(at: box.now)
            box.settle()
            #expect(texts(box.watch) == ["second"])
        }
        #expect(box.phone.status(of: first) == .settled(.applied))
        #expect(box.phone.outstanding.isEmpty)
    }

    /// Nothing waits where the receiver still knows the record.
    @Test func what_follows_a_record_the_receiver_knows_waits_for_nothing() throws {
        let box = PairInABox()
        box.connect()
        _ = try queue("first", box)
        box.phone.commitsAtOnce = false
        box.settle()
        box.cut()
        _ = try queue("second", box)
        box.connect()
        #expect(texts(box.watch) == ["first", "second"])
    }

    /// What was taken back overtakes those before it, however many it is; they are not passed.
    @Test func records_taken_back_pass_none() {
        var numbers = InboundNumbers()
        for number in stride(from: UInt64(4), through: 300, by: 2) {
            numbers.withdraw(number, .cancelled)
        }
        numbers.settle(below: 3)
        #expect(!numbers.wasGiven(from: 3))
        numbers.arrived.insert(5)
        #expect(numbers.wasGiven(from: 3))
        #expect(!numbers.wasGiven(from: 6))
    }

    /// A floor tells of records that were settled, not of any that was given.
    @Test func a_floor_passes_nothing_of_older_epochs() throws {
        let box = PairInABox()
        let old = try queue("old", box)
        box.restart(.phone, epoch: 0x7001)
        let back = try queue("taken back", box)
        takeBack(back, box)
        box.connect()
        #expect(texts(box.watch) == ["old"])
        #expect(box.phone.status(of: old) == .settled(.applied))
    }

    /// Seed 475355: the record before it was taken back before it left, and its floor came while
    /// one of an older epoch was still missing.
    @Test func what_a_floor_frees_does_not_pass_an_older_epoch() throws {
        let box = PairInABox(.lossyDatagram)
        let old = try queue("old", box)
        box.restart(.phone, epoch: 0x7001)
        box.arrivals = { role, bytes in
            role == .phone && String(decoding: bytes, as: UTF8.self).contains("old") ? [] : [bytes]
        }
        box.connect()
        box.phone.commitsAtOnce = false
        var draft = userInfo("taken back")
        draft.waitsForCommit = true
        let back = try box.phone.peer.send(draft, at: box.now)
        let next = try queue("next", box)
        takeBack(back, box)
        box.settle()
        #expect(texts(box.watch).isEmpty, "it names the one taken back, which is still there")
        box.phone.commitsAtOnce = true
        box.phone.drain(at: box.now)
        box.settle()
        #expect(box.phone.status(of: back) == .settled(.cancelled))
        #expect(texts(box.watch).isEmpty, "the old one is missing")
        box.arrivals = { [$1] }
        box.advance(by: .seconds(5))
        #expect(texts(box.watch) == ["old", "next"])
        #expect(box.phone.status(of: old) == .settled(.applied))
        #expect(box.phone.status(of: next) == .settled(.applied))
    }

    /// That a record was passed is known from an epoch that is over by now, and was lost in a crash
    /// of the receiver itself. (Seed 352901.)
    @Test(arguments: [(1, 3), (8, 3), (1, 1)] as [(UInt64, UInt64)])
    func what_passed_a_record_may_be_over(parent: UInt64, from: UInt64) throws {
        let isPassed = parent == 1 && from == 3
        func epoch(_ id: UInt64) -> EpochID { EpochID(rawValue: id).stamped(6400) }
        func own(_ id: UInt64, parent: UInt64?) -> Greeting.OwnEpoch {
            Greeting.OwnEpoch(
                id: epoch(id), parent: parent.map(epoch), parentHighest: [0, 0, 0, 0, 0],
                next: [1, 1, 2, 1, 1], floors: [1, 1, 1, 1, 1])
        }
        var image = JournalImage()
        image.apply(.counterpartEpoch(epoch(2), rank: 1, parent: epoch(parent)))
        image.apply(.counterpartEpoch(epoch(3), rank: 2, parent: epoch(2)))
        let given = RecordID(epoch: epoch(2), lane: .background, number: RecordNumber(1))
        let former = InboundRecord(id: given, kind: .userInfo, key: nil, payload: [])
        image.apply(.received(former, .applied))
        let next = RecordID(epoch: epoch(3), lane: .background, number: RecordNumber(1))
        image.apply(.withdrawn(next, .cancelled))
        var inbox = Inbox(limits: Limits(), image: image)
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [own(1, parent: nil), own(4, parent: from)]
        inbox.begin(greeting)
        try inbox.receive(
            RecordFrame(
                head: RecordHead(
                    lane: .background, address: RecordAddress(epochIndex: 0, number: 1),
                    kind: .userInfo), body: []))
        // Nobody knows whether the epoch goes on from an unknown one: stamps are no proof. And one
        // that the present opening does not go on from is of a branch that may have had another
        // record of that number, or none.
        #expect(inbox.deliveries.isEmpty == isPassed)
        let ended = inbox.entries.contains {
            if case .withdrawn(_, .unknown) = $0 { true } else { false }
        }
        #expect(ended == isPassed)
        // It is kept no longer than an older one is listed.
        let isKept = inbox.epochs.contains { $0.id == epoch(2) }
        #expect(isKept == isPassed)
        greeting.ownEpochs = [own(4, parent: 3)]
        inbox.begin(greeting)
        #expect(inbox.epochs.map(\.id).contains(epoch(2)) == false)
        #expect(inbox.entries.contains(.counterpartEpochRetired(epoch(2))))
    }
}
