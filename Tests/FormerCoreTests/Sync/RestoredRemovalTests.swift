import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A sender restored from a backup that holds a value it has removed since: the removal is newer,
/// and only the receiver knows of it. (Seeds 40177, 44081, 113846 and 130728.)
@Suite struct RestoredRemovalTests {
    private func restore(_ box: PairInABox, _ backup: JournalImage) {
        box.watch.host.delivered = []
        box.restart(.phone, epoch: 0x7001, on: backup)
        box.connect()
        box.advance(by: .seconds(5))
    }

    private func handedBack(_ box: PairInABox) -> [RecordKey] {
        box.phone.host.events.compactMap { event in
            guard case .handedBack(_, let key, let kind, _) = event else { return nil }
            return kind.isRemoval ? key : nil
        }
    }

    /// Whether or not something else is left: a receiver that shows nothing need not have lost
    /// everything. Each new session is an occasion to forget removals.
    @Test(arguments: [false, true], [0, 1, 3])
    func the_removal_is_handed_back(somethingStays: Bool, sessions: Int) throws {
        let box = PairInABox()
        box.connect()
        try box.send([context(1, "removed"), context(2, "removed, too")])
        if somethingStays { try box.send([context(3, "stays")]) }
        let backup = box.phone.host.image
        try box.send([removal(1), removal(2)])
        for _ in 0..<sessions {
            box.cut()
            box.connect()
            box.advance(by: .seconds(5))
        }
        restore(box, backup)
        #expect(box.watch.host.delivered.isEmpty, "nothing removed comes back")
        #expect(handedBack(box).map(\.rawValue) == [1, 2])
        #expect(box.phone.outstanding.isEmpty)
        // Both hold the same now, and the journals do.
        box.restart(.phone, epoch: 0x7002)
        box.restart(.watch, epoch: 0x7003)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.watch.host.delivered.isEmpty)
        #expect(handedBack(box).isEmpty)
    }

    /// The receiver's process may have started anew in between: its journal tells of the removal.
    @Test func the_receivers_journal_keeps_the_removal() throws {
        let box = PairInABox()
        box.connect()
        try box.send([context(1, "removed")])
        let backup = box.phone.host.image
        try box.send([removal(1)])
        box.restart(.watch, epoch: 0x7100)
        box.connect()
        box.restart(.watch, epoch: 0x7101)
        restore(box, backup)
        #expect(box.watch.host.delivered.isEmpty)
        #expect(handedBack(box).map(\.rawValue) == [1])
    }

    /// A receiver that was wiped is told all at once, as before.
    @Test func a_wiped_receiver_is_not_asked() throws {
        let box = PairInABox()
        box.connect()
        try box.send([context(1, "a"), context(2, "b"), removal(2)])
        box.restart(.watch, epoch: 0x7100, keepsJournal: false)
        box.watch.host.delivered = []
        box.connect()
        #expect(box.watch.host.delivered.map { $0.payload } == [Array("a".utf8)])
        #expect(box.phone.host.events.contains(.counterpartChanged(.lostItsState)))
    }

    // MARK: Bounds

    private func known(_ box: PairInABox) -> [UInt128] {
        box.watch.peer.inbox.lanes[3].keys.keys.map(\.rawValue)
    }

    @Test func the_newest_removals_are_remembered() throws {
        let box = PairInABox { $0.limits.removals = 3 }
        box.connect()
        try box.send((UInt128(1)...8).map { context($0, "v") })
        for key: UInt128 in [4, 8, 2, 6, 1] { try box.send([removal(key)]) }
        box.cut()
        box.connect()
        let left = known(box)
        #expect(left.sorted() == [1, 2, 3, 5, 6, 7])
        #expect(box.watch.host.image.values.count == 6)
    }

    /// What is remembered gives way where the sender needs the room.
    @Test func remembered_removals_take_no_room() throws {
        let box = PairInABox {
            $0.limits.keys = 8
            $0.limits.handles = 8
        }
        box.connect()
        for round in UInt128(0)..<5 {
            let keys = (round * 8 + 1)...(round * 8 + 8)
            try box.send(keys.map { context($0, "v") })
            #expect(box.phone.outstanding.isEmpty)
            let left = known(box)
            #expect(left.sorted() == Array(keys))
            try box.send(keys.map { removal($0) })
            box.cut()
            box.connect()
            let remembered = known(box)
            #expect(remembered.sorted() == Array(keys))
        }
        #expect(box.watch.host.delivered.count == 80)
    }
}
