import Testing
import WatchProtoRecords

@testable import FormerCore

/// Orders and places that only a crash at the wrong moment puts in doubt, each at the lowest rung
/// that shows it.
@Suite struct ForgottenOrderTests {
    private func settled(_ box: PairInABox) {
        box.phone.drain(at: box.now)
        box.settle()
    }

    private func texts(_ side: BoxSide) -> [String] {
        side.host.delivered.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    /// Stamps say nothing here: the clock was set back before this opening.
    private func epoch(_ id: UInt64) -> EpochID { EpochID(rawValue: id).stamped(6400) }

    private func own(_ id: UInt64, parent: UInt64?) -> Greeting.OwnEpoch {
        Greeting.OwnEpoch(
            id: epoch(id), parent: parent.map(epoch), parentHighest: [0, 0, 0, 0, 0],
            next: [1, 1, 5, 5, 1], floors: [1, 1, 1, 1, 1])
    }

    /// A backup that holds a value of epoch 1 open, and epochs it has lost, meets a counterpart
    /// that knows the epochs `known`.
    private func meet(
        known: [UInt64], lost: [UInt64] = []
    ) -> (outbox: Outbox, image: JournalImage) {
        var image = JournalImage()
        let numbers = [RecordNumber](repeating: RecordNumber(0), count: Lane.count)
        image.apply(.epochOpened(epoch(1), parent: nil, parentHighest: numbers))
        for id in lost { image.apply(.epochLost(epoch(id), after: nil)) }
        image.apply(
            .queued(
                OutboundRecord(
                    id: RecordID(epoch: epoch(1), lane: .context, number: RecordNumber(1)),
                    draft: context(1, "mine"))))
        var outbox = Outbox(limits: Limits(), freshEpoch: epoch(9), image: image)
        outbox.listedEpochs = 2
        var greeting = RecordStageTests.Bench.greeting
        greeting.knownEpochs = known.map {
            Greeting.KnownEpoch(id: epoch($0), receivedThrough: [1, 1, 1, 2, 1])
        }
        _ = outbox.begin(greeting, isLossless: true)
        return (outbox, image)
    }

    /// Two keys that differ in one bit, their values exchanged: the sums of plain FNV fingerprints
    /// are equal.
    @Test func a_digest_tells_exchanged_values_apart() {
        for (left, right) in [([UInt8(3)], [UInt8(1)]), ([9, 9, 9], [9, 9, 8])] {
            var one = SetDigest()
            one.insert(RecordKey(rawValue: 2), .applicationContext, left)
            one.insert(RecordKey(rawValue: 3), .applicationContext, right)
            var other = SetDigest()
            other.insert(RecordKey(rawValue: 2), .applicationContext, right)
            other.insert(RecordKey(rawValue: 3), .applicationContext, left)
            #expect(one != other)
        }
    }

    /// The receiver forgets the older of two epochs in which nothing had become durable.
    @Test func an_older_epoch_seen_after_a_newer_one_ranks_below_it() {
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [own(1, parent: nil), own(2, parent: 1)]
        var image = JournalImage()
        image.apply(.counterpartEpoch(EpochID(rawValue: 2), rank: 7, parent: EpochID(rawValue: 1)))
        var inbox = Inbox(limits: Limits(), image: image)
        inbox.begin(greeting)
        #expect(inbox.epochs.map(\.id.randomPart) == [1, 2])
        // One that follows on both is newer than both.
        greeting.ownEpochs.append(own(3, parent: 2))
        inbox.begin(greeting)
        #expect(inbox.epochs.map(\.id.randomPart) == [1, 2, 3])
    }

    @Test func a_value_refused_late_gives_way_to_the_one_before_it() throws {
        let box = PairInABox()
        box.connect()
        _ = try box.phone.peer.send(context(1, "good"), at: box.now)
        settled(box)
        box.watch.host.disposition = { _ in .pending }
        let id = try box.phone.peer.send(context(1, "bad"), at: box.now)
        settled(box)
        box.watch.peer.rejected(id, code: 1, at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        #expect(box.phone.status(of: id) == .settled(.rejected(code: 1)))
        #expect(box.watch.host.image.values.map { $0.payload } == [Array("good".utf8)])
        box.restart(.watch, epoch: 0x7001)
        box.connect()
        #expect(texts(box.watch) == ["good", "bad"], "nothing comes again")
    }

    /// The cancellation of a record that never left is not durable when the next one is offered; a
    /// crash would make it live again, behind the next one.
    @Test func what_follows_a_record_taken_back_unheard_waits_for_the_journal() throws {
        let box = PairInABox()
        box.phone.commitsAtOnce = false
        let first = try box.phone.peer.send(userInfo("taken back"), at: box.now)
        box.phone.drain(at: box.now)
        while !box.phone.host.entries.isEmpty {
            let (receipt, entries) = box.phone.host.entries.removeFirst()
            for entry in entries { box.phone.host.image.apply(entry) }
            box.phone.peer.committed(receipt, at: box.now)
            box.phone.drain(at: box.now)
        }
        box.phone.peer.cancel(first, at: box.now)
        _ = try box.phone.peer.send(userInfo("next"), at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        #expect(texts(box.watch).isEmpty)
        // The crash undoes both.
        box.restart(.phone, epoch: 0x7001)
        box.connect()
        #expect(texts(box.watch) == ["taken back"])
    }

    /// A floor of one epoch says nothing about older epochs.
    @Test func who_follows_a_withdrawn_record_waits_for_older_epochs() throws {
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [1, 2].map { id in
            Greeting.OwnEpoch(
                id: EpochID(rawValue: id), parent: nil, parentHighest: [0, 0, 0, 0, 0],
                next: [1, 1, 2, 1, 1], floors: [1, 1, 1, 1, 1])
        }
        inbox.begin(greeting)
        func frame(_ epoch: Int, _ number: UInt64, after: RecordAddress?) -> RecordFrame {
            var head = RecordHead(
                lane: .background, address: RecordAddress(epochIndex: epoch, number: number),
                kind: .userInfo)
            head.predecessor = after
            return RecordFrame(head: head, body: [])
        }
        let withdrawn = RecordAddress(epochIndex: 1, number: 1)
        try inbox.receive(WithdrawFrame(lane: .background, address: withdrawn, isExpired: false))
        try inbox.receive(frame(1, 2, after: withdrawn))
        try inbox.receive(
            FloorFrame(lane: .background, floor: RecordAddress(epochIndex: 1, number: 2)))
        #expect(inbox.deliveries.isEmpty)
        try inbox.receive(frame(0, 1, after: nil))
        #expect(inbox.deliveries.map { $0.id.epoch.rawValue } == [1, 2])
    }

    /// An old epoch that this side has forgotten is listed for the first time, beside a new one
    /// that goes on from the newest known.
    @Test func an_old_epoch_brought_up_late_abandons_nothing() {
        var image = JournalImage()
        image.apply(.counterpartEpoch(epoch(2), rank: 7, parent: epoch(1)))
        let inbox = Inbox(limits: Limits(), image: image)
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [own(1, parent: nil), own(3, parent: 2)]
        #expect(inbox.judge(greeting).abandoned == [])
        // One that goes on from before the newest known does.
        greeting.ownEpochs = [own(1, parent: nil), own(4, parent: 1)]
        #expect(inbox.judge(greeting).abandoned == [epoch(2)])
        // Parents that name each other lead nowhere.
        greeting.ownEpochs = [own(8, parent: 9), own(9, parent: 8)]
        #expect(inbox.judge(greeting).abandoned == [])
        greeting.ownEpochs = [own(5, parent: nil)]
        #expect(inbox.judge(greeting).abandoned == [epoch(2)])
    }

    /// The counterpart had seen the end of an epoch that the backup still holds open, or holds a
    /// newer value than this side's newest: what the backup lost is newer than that. (Superseded:
    /// seeds 10962 and 19170 of the world.)
    @Test(arguments: [Outcome.unknown, .superseded])
    func what_a_backup_lost_ranks_after_epochs_whose_end_was_seen(end: Outcome) throws {
        // What an earlier restore had lost stays where it is.
        var (outbox, image) = meet(known: [5], lost: [4])
        #expect(outbox.lineage.epochs.map(\.randomPart) == [5, 4, 1, 9])
        try outbox.receive(
            OutcomeFrame(
                lane: .context, address: RecordAddress(epochIndex: 0, number: 1),
                outcome: end))
        #expect(outbox.lineage.epochs.map(\.randomPart) == [4, 1, 5, 9])
        for entry in outbox.entries { image.apply(entry) }
        #expect(image.lineage.epochs == [epoch(4), epoch(1), epoch(5)])
        // So the value the counterpart holds from there wins.
        let theirs = Outbox.TheirValue(
            id: RecordID(epoch: epoch(5), lane: .context, number: RecordNumber(1)),
            kind: .applicationContext, payload: Array("newer".utf8))
        guard case .adopted = outbox.reconcile(.context, RecordKey(rawValue: 1), theirs) else {
            Issue.record("the older value won")
            return
        }
    }

    /// The backup holds a record open that was confirmed since: the counterpart lists its epoch
    /// before those that the backup lost, which are newer. (Seeds 999, 1582, 3737 of the world.)
    @Test func what_a_backup_lost_ranks_after_epochs_listed_before_it() throws {
        func lineage(_ listed: [UInt64]) -> [UInt64] {
            let (outbox, backup) = meet(known: listed)
            var image = backup
            for entry in outbox.entries { image.apply(entry) }
            let journaled = Array(outbox.lineage.epochs.dropLast())
            #expect(image.lineage.epochs == journaled, "the journal has it so, too")
            return outbox.lineage.epochs.map(\.randomPart)
        }
        #expect(lineage([1, 5]) == [1, 5, 9])
        #expect(lineage([1, 5, 6]) == [1, 5, 6, 9])
        #expect(lineage([5, 1]) == [5, 1, 9])
        #expect(lineage([5, 6]) == [5, 6, 1, 9], "nothing shows that the first was there")
    }

    /// Where no clock was set back, the stamps tell: a counterpart that was restored itself may
    /// hold a value from an epoch that this side had lost before it heard of it. (Seeds 57339,
    /// 66687.)
    @Test func a_lost_epoch_ranks_by_its_stamp() {
        func epoch(_ stamp: UInt64) -> EpochID { EpochID(rawValue: 1).stamped(stamp) }
        var image = JournalImage()
        let numbers = [RecordNumber](repeating: RecordNumber(0), count: Lane.count)
        for stamp in [100, 200, 300] as [UInt64] {
            image.apply(.epochOpened(epoch(stamp), parent: nil, parentHighest: numbers))
        }
        image.apply(
            .reached(
                RecordID(epoch: epoch(300), lane: .context, number: RecordNumber(1)), .committed))
        let clock = WallTime(milliseconds: 10_000)
        var outbox = Outbox(
            limits: Limits(), freshEpoch: epoch(1), image: image, clock: clock)
        var greeting = RecordStageTests.Bench.greeting
        greeting.knownEpochs = [150, 250].map {
            Greeting.KnownEpoch(id: epoch($0), receivedThrough: [1, 1, 1, 2, 1])
        }
        _ = outbox.begin(greeting, isLossless: true)
        outbox.noteLost(epoch(350))
        #expect(outbox.lineage.epochs.map(\.stamp) == [100, 150, 200, 250, 300, 350, 640])
        for entry in outbox.entries { image.apply(entry) }
        #expect(image.lineage.epochs == Array(outbox.lineage.epochs.dropLast()))
    }

    /// What ends in this opening gave way to a value of its own, say one that was refused: what was
    /// lost before stays before it. (Seed 343933: a removal was undone.)
    @Test func nothing_lost_ranks_after_the_present_opening() {
        var (outbox, _) = meet(known: [5])
        let before = outbox.lineage
        outbox.noteEnded(outbox.epochs[1].id)
        #expect(outbox.lineage == before && before.epochs.map(\.randomPart) == [5, 1, 9])
        outbox.noteEnded(epoch(1))
        #expect(outbox.lineage != before)
    }

    /// The counterpart knows a newer value than this side, and may forget it before it is asked.
    @Test func a_value_superseded_by_one_unknown_here_stays_this_sides_until_it_is_asked() throws {
        var bench = try RecordStageTests.Bench(context(1, "mine"))
        try bench.apply("offered")
        try bench.outbox.receive(
            OutcomeFrame(lane: .context, address: bench.address, outcome: .superseded))
        #expect(bench.outbox.lanes[Int(Lane.context.rawValue)].needsAudit)
        bench.persist()
        var again = Outbox(limits: Limits(), freshEpoch: EpochID(rawValue: 10), image: bench.image)
        guard
            case .sendAgain(let draft) = again.reconcile(.context, RecordKey(rawValue: 1), nil)
        else {
            Issue.record("the value is lost")
            return
        }
        #expect(draft.payload == Array("mine".utf8))
    }

    /// Numbers that were settled before a restart and lie between unsettled ones.
    @Test func holes_from_before_a_restart_are_told() {
        var segment = OutboundSegment(floor: 1)
        let record = OutboundRecord(
            id: RecordID(epoch: EpochID(rawValue: 1), lane: .background, number: RecordNumber(1)),
            draft: userInfo("1"))
        segment.append(OutboundItem(record: record, isDurableHere: true))
        segment.skip(to: 4)
        #expect(segment.highestHole == 3)
    }

    /// Parts of a record that is whole already and waits for its predecessor.
    @Test func late_parts_of_a_record_held_back_take_no_place() throws {
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [
            Greeting.OwnEpoch(
                id: EpochID(rawValue: 1), parent: nil, parentHighest: [0, 0, 0, 0, 0],
                next: [1, 1, 1, 1, 9], floors: [1, 1, 1, 1, 1])
        ]
        inbox.begin(greeting)
        var head = RecordHead(
            lane: .bulk, address: RecordAddress(epochIndex: 0, number: 2), kind: .file)
        head.predecessor = RecordAddress(epochIndex: 0, number: 1)
        var writer = WireWriter()
        head.write(to: &writer)
        writer.block([7, 7, 7])
        let bytes = writer.bytes
        func part(_ range: Range<Int>) -> PartFrame {
            PartFrame(
                lane: .bulk, address: head.address, totalBytes: bytes.count,
                offset: range.lowerBound, bytes: Array(bytes[range]))
        }
        try inbox.receive(part(0..<4))
        try inbox.receive(part(4..<bytes.count))
        let lane = Int(Lane.bulk.rawValue)
        #expect(inbox.lanes[lane].held.count == 1)
        try inbox.receive(part(0..<4))
        #expect(inbox.lanes[lane].assemblies.isEmpty)
    }

    /// A greeting can be made long before its session begins. What was settled meanwhile is told by
    /// a floor: a counterpart that was wiped waits for it. (Seed 122468.)
    @Test func a_floor_that_moved_after_the_greeting_was_made_is_told() throws {
        let box = PairInABox()
        box.connect()
        box.watch.commitsAtOnce = false
        _ = try box.phone.peer.send(userInfo("1"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.restart(.phone, epoch: 0x3333)
        box.phone.drain(at: box.now)
        box.connect()
        // The settlement of the first is not durable yet; the second is lost.
        box.phone.commitsAtOnce = false
        box.watch.commitsAtOnce = true
        box.watch.drain(at: box.now)
        box.settle()
        box.loses = { _ in true }
        let second = try box.phone.peer.send(userInfo("2"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.loses = { _ in false }

        box.cut()
        box.restart(.watch, epoch: 0x7001, keepsJournal: false)
        box.watch.host.delivered = []
        box.phone.peer.activate(at: box.now)
        box.phone.drain(at: box.now)
        box.phone.peer.linkUp(box.carrier, at: box.now)
        box.phone.drain(at: box.now)
        // The greeting has left.
        box.phone.commitsAtOnce = true
        box.phone.drain(at: box.now)
        box.phone.peer.cancel(second, at: box.now)
        box.phone.drain(at: box.now)
        _ = try box.phone.peer.send(userInfo("3"), at: box.now)
        box.phone.drain(at: box.now)
        box.watch.peer.activate(at: box.now)
        box.watch.drain(at: box.now)
        box.watch.peer.linkUp(box.carrier, at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        #expect(box.watch.host.delivered.map { $0.payload } == [Array("3".utf8)])
        #expect(box.phone.outstanding.isEmpty)
        #expect(box.phone.status(of: second) == .settled(.cancelled))
    }
}
