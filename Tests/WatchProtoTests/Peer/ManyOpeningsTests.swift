import Testing

@testable import WatchProto

/// A side that was opened more often than a greeting lists epochs, while the counterpart was away.
@Suite struct ManyOpeningsTests {
    /// The phone is opened so often, and changes so much each time, before the two meet.
    private func meet(
        openings: Int, epochs: Int = 32, _ change: (Int) -> [RecordDraft]
    ) throws -> PairInABox {
        let box = PairInABox { $0.limits.epochs = epochs }
        box.connect()
        box.cut()
        for opening in 0..<openings {
            for draft in change(opening) { _ = try box.phone.send(draft, at: box.now) }
            box.phone.drain(at: box.now)
            box.restart(.phone, epoch: 0x7000 + UInt64(opening))
        }
        goOn(box)
        return box
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
        var ids: [RecordID] = []
        let box = PairInABox { $0.limits.epochs = 2 }
        box.connect()
        box.cut()
        for opening in 0..<4 {
            ids.append(try box.phone.send(context(1, "\(opening)"), at: box.now))
            box.phone.drain(at: box.now)
            box.restart(.phone, epoch: 0x7000 + UInt64(opening))
        }
        box.phone.peer.cancel(ids[1], at: box.now)
        box.phone.drain(at: box.now)
        goOn(box)
        #expect(shown(box) == Array("3".utf8))
        #expect(box.phone.outstanding.isEmpty)
    }
}
