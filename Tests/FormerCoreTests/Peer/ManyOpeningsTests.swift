import Testing

@testable import FormerCore

/// A side that was opened more often than a greeting lists epochs, while the counterpart was away.
@Suite struct ManyOpeningsTests {
    /// The phone is opened so often, and changes so much each time, before the two meet.
    private func meet(
        openings: Int, epochs: Int = 32, _ change: (Int) -> [RecordDraft]
    ) throws -> PairInABox {
        let box = PairInABox { $0.limits.epochs = epochs }
        box.connect()
        box.cut()
        _ = try queue(openings, box, change)
        goOn(box)
        return box
    }

    /// Queues in each of so many openings of the phone what `change` gives. Another opening
    /// follows, unless it `staysInLast`: what it queued there has not left before.
    private func queue(
        _ openings: Int, _ box: PairInABox, staysInLast: Bool = false,
        _ change: (Int) -> [RecordDraft]
    ) throws -> [RecordID] {
        var ids: [RecordID] = []
        for opening in 0..<openings {
            for draft in change(opening) { ids.append(try box.phone.send(draft, at: box.now)) }
            box.phone.drain(at: box.now)
            guard opening < openings - 1 || !staysInLast else { break }
            box.restart(.phone, epoch: 0x7000 + UInt64(opening))
        }
        return ids
    }

    /// The phone closes the link where it has more than the greeting listed, and wants another.
    private func goOn(_ box: PairInABox) {
        for _ in 0..<40 where box.phone.peer.link.state != .active {
            box.connect()
            box.advance(by: .seconds(2))
        }
    }

    private func shown(_ box: PairInABox) -> [UInt8]? {
        box.watch.peer.inbox.lanes[3].keys[RecordKey(rawValue: 1)]?.held?.payload
    }

    /// Its values waited for a successor in an epoch that the greeting did not list.
    @Test(arguments: [31, 32, 33, 34, 70])
    func a_key_changed_in_each_is_there_in_the_end(openings: Int) throws {
        let box = try meet(openings: openings) { [context(1, "\($0)")] }
        #expect(shown(box) == Array("\(openings - 1)".utf8))
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test(arguments: [2, 3, 5])
    func records_beside_it_arrive_once_and_in_order(epochs: Int) throws {
        let box = try meet(openings: 12, epochs: epochs) { opening in
            [context(1, "\(opening)"), userInfo("\(opening)"), context(2, "other \(opening)")]
        }
        let given = box.watch.host.delivered.filter { $0.id.lane == .background }
        #expect(given.map { $0.payload } == (0..<12).map { Array("\($0)".utf8) })
        #expect(shown(box) == Array("11".utf8))
        #expect(box.phone.outstanding.isEmpty)
    }

    /// The newest value that can leave is taken back: the one before it leaves, and all end.
    @Test func the_newest_listed_value_may_be_taken_back() throws {
        let box = PairInABox { $0.limits.epochs = 2 }
        box.connect()
        box.cut()
        let ids = try queue(4, box) { [context(1, "\($0)")] }
        box.phone.peer.cancel(ids[1], at: box.now)
        box.phone.drain(at: box.now)
        goOn(box)
        #expect(shown(box) == Array("3".utf8))
        #expect(box.phone.outstanding.isEmpty)
    }

    /// The newest value, which no greeting listed yet, is taken back while older ones are under
    /// way: the one before it waits for nothing any more. (Seed 458587.)
    @Test func the_newest_unlisted_value_may_be_taken_back() throws {
        let box = PairInABox { $0.limits.epochs = 2 }
        box.connect()
        box.cut()
        // To take the last one back is at once its end.
        let ids = try queue(4, box, staysInLast: true) { [context(1, "\($0)")] }
        box.watch.commitsAtOnce = false
        box.connect()
        #expect(box.phone.peer.outbox.listedEpochs == 2)
        box.phone.peer.cancel(ids[3], at: box.now)
        box.phone.drain(at: box.now)
        box.watch.commitsAtOnce = true
        box.watch.drain(at: box.now)
        box.settle()
        goOn(box)
        #expect(shown(box) == Array("2".utf8))
        #expect(box.phone.outstanding.isEmpty)
    }

    /// What came after the openings that a greeting listed does not wait for a large record of one
    /// of those, however slow the line: room has come, and the large one begins anew. (Seed 303227,
    /// sealed.)
    @Test func what_is_not_listed_does_not_wait_for_a_large_record() throws {
        let box = PairInABox(.lossyDatagram) { $0.limits.epochs = 2 }
        box.connect()
        box.cut()
        let large = RecordDraft(
            lane: .bulk, kind: .opaque, payload: [UInt8](repeating: 7, count: 20_000))
        let drafts = [userInfo("first"), large, context(1, "last")]
        _ = try queue(3, box, staysInLast: true) { [drafts[$0]] }
        // None of its parts comes through.
        box.arrivals = { $0 == .phone && $1.count > 600 ? [] : [$1] }
        goOn(box)
        goOn(box)
        #expect(shown(box) == Array("last".utf8))
        #expect(box.phone.outstanding.count == 1)
        box.arrivals = { [$1] }
        box.advance(by: .seconds(120))
        #expect(box.phone.outstanding.isEmpty)
    }

    /// A greeting that lists only the oldest names the present opening all the same.
    @Test(arguments: [2, 4, 5, 6])
    func a_greeting_names_the_present_opening(epochs: Int) throws {
        let box = PairInABox { $0.limits.epochs = epochs }
        box.connect()
        box.cut()
        _ = try queue(4, box) { [userInfo("\($0)")] }
        let (bytes, floors) = box.phone.peer.makeGreeting()
        let greeting = try Greeting.decode(bytes.span, limits: Limits())
        #expect(greeting.presentID == box.phone.peer.outbox.epochs.last?.id)
        #expect(floors.count == min(epochs, 5))
        #expect((greeting.present == nil) == (epochs >= 5))
        #expect(greeting.isCut == (epochs < 5))
        #expect(greeting.present.map { $0.parent == box.phone.peer.outbox.epochs[3].id } != false)
    }

    private func epoch(_ id: UInt64) -> EpochID { EpochID(rawValue: id).stamped(6400) }

    private func own(_ id: UInt64, parent: UInt64?) -> Greeting.OwnEpoch {
        Greeting.OwnEpoch(
            id: epoch(id), parent: parent.map(epoch), parentHighest: [0, 0, 0, 0, 0],
            next: [1, 1, 5, 5, 1], floors: [1, 1, 1, 1, 1])
    }

    /// The smallest datagram holds no name of the present opening; that it is missing is said.
    @Test func a_greeting_without_room_says_that_it_is_cut() throws {
        let small = CarrierTraits(framing: .datagram(largestBytes: 128), isLossy: true)
        let box = PairInABox(small)
        box.connect()
        // Of an epoch of the counterpart, too, there is something to say.
        _ = try box.watch.send(userInfo("from the watch"), at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        box.cut()
        _ = try queue(4, box) { [userInfo("\($0)")] }
        box.phone.peer.activate(at: box.now)
        box.phone.peer.linkUp(small, at: box.now)
        let (bytes, floors) = box.phone.peer.makeGreeting()
        let greeting = try Greeting.decode(bytes.span, limits: Limits())
        #expect(bytes.count <= 112 && floors.count == greeting.ownEpochs.count)
        #expect(greeting.isCut && greeting.present == nil && greeting.presentID == nil)
    }

    /// The value that is shown is of the present opening; an older one that waits ranks below it.
    @Test func what_is_listed_ranks_below_the_present_opening() {
        var image = JournalImage()
        image.apply(.counterpartEpoch(epoch(3), rank: 1, parent: epoch(2)))
        var inbox = Inbox(limits: Limits(), image: image)
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [own(1, parent: nil)]
        greeting.isCut = true
        greeting.present = Greeting.PresentEpoch(
            id: epoch(3), parent: epoch(2), parentHighest: [0, 0, 0, 0, 0])
        inbox.begin(greeting)
        #expect(inbox.epochs.map(\.id) == [epoch(1), epoch(3)])
    }

    /// A value of an opening that no greeting listed ends before it left: the older one under way
    /// is this side's newest again, and to say the one taken back says something new.
    @Test func an_unlisted_value_taken_back_is_not_taken_for_the_newest() throws {
        let box = PairInABox { $0.limits.epochs = 2 }
        box.connect()
        box.cut()
        let drafts = [context(1, "F"), context(2, "other"), context(1, "X")]
        let ids = try queue(3, box, staysInLast: true) { [drafts[$0]] }
        box.watch.commitsAtOnce = false
        box.connect()
        #expect(box.phone.peer.outbox.listedEpochs == 2)
        box.phone.peer.cancel(ids[2], at: box.now)
        box.phone.drain(at: box.now)
        let state = box.phone.peer.outbox.lanes[3].keys[RecordKey(rawValue: 1)]
        #expect(state?.newestPayload == Array("F".utf8))
    }

    /// Who lists only the oldest of its epochs has abandoned none of the later ones by that. (Seeds
    /// 268987 and 321275: it was taken for its own copy when it listed those.)
    @Test func what_a_short_list_leaves_out_is_not_abandoned() {
        var image = JournalImage()
        for id in UInt64(3)...5 {
            image.apply(.counterpartEpoch(epoch(id), rank: id, parent: epoch(id - 1)))
        }
        var inbox = Inbox(limits: Limits(), image: image)
        var greeting = RecordStageTests.Bench.greeting
        greeting.ownEpochs = [own(1, parent: nil), own(2, parent: 1)]
        greeting.isCut = true
        #expect(inbox.judge(greeting).abandoned == [], "it had no room to say what it is")
        func judge(parent: UInt64) -> Lineage {
            greeting.present = Greeting.PresentEpoch(
                id: epoch(9), parent: epoch(parent), parentHighest: [0, 0, 0, 0, 0])
            return inbox.judge(greeting)
        }
        #expect(judge(parent: 5).abandoned == [] && !judge(parent: 5).isRolledBack)
        // It went on from before the last one.
        #expect(judge(parent: 4).abandoned == [epoch(5)] && judge(parent: 4).isRolledBack)
        // From one that is neither known nor listed nobody can tell yet.
        #expect(judge(parent: 7).abandoned == [] && judge(parent: 7).judged == nil)
        inbox.begin(greeting)
        inbox.noteJudged(judge(parent: 7))
        #expect(judge(parent: 4).abandoned == [epoch(5)], "it is judged when it can be")
        inbox.noteJudged(judge(parent: 4))
        #expect(judge(parent: 4).abandoned == [])
        // What went on from an abandoned one is a copy.
        greeting.present?.id = epoch(10)
        greeting.present?.parent = epoch(5)
        #expect(inbox.judge(greeting).isCloned)
    }
}
