import Testing

@testable import FormerCore

/// A side was opened more often than a journal remembers; then a backup is restored.
@Suite struct OutdatedBackupTests {
    /// A pair that remembers so many openings.
    private func pair(remembering epochs: Int) -> PairInABox {
        let box = PairInABox()
        for role in DeviceRole.allCases {
            var image = JournalImage()
            image.bounds.epochs = epochs
            box.restart(role, epoch: role == .phone ? 0x1112 : 0x2223, on: image)
        }
        return box
    }

    /// The phone is opened anew, and something is sent in each opening.
    private func openAnew(_ box: PairInABox, _ names: Range<Int>, key: UInt128 = 2) throws {
        for name in names {
            box.restart(.phone, epoch: 0x7000 + UInt64(name))
            _ = try box.phone.send(context(key, "\(name)"), at: box.now)
            box.phone.drain(at: box.now)
            box.connect()
            box.advance(by: .seconds(1))
        }
    }

    private func shown(_ box: PairInABox, _ key: UInt128) -> [UInt8]? {
        box.watch.peer.inbox.lanes[3].keys[RecordKey(rawValue: key)]?.held?.payload
    }

    /// The watch goes back to a state of yesterday, in which it shows a value from an opening that
    /// the phone has forgotten. What the phone sent since is newer.
    @Test(arguments: [4, 5, 6, 12])
    func a_value_from_a_forgotten_opening_does_not_win(openings: Int) throws {
        let box = pair(remembering: 3)
        box.connect()
        _ = try box.phone.send(context(1, "old"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        try openAnew(box, 0..<openings)
        let backup = box.watch.host.image
        _ = try box.phone.send(context(1, "new"), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        #expect(shown(box, 1) == Array("new".utf8))
        box.restart(.phone, epoch: 0x7200)
        box.restart(.watch, epoch: 0x2224, on: backup)
        box.connect()
        box.advance(by: .seconds(10))
        #expect(shown(box, 1) == Array("new".utf8))
        let own = box.phone.host.image.ownValuesInOrder().first { $0.key.rawValue == 1 }
        #expect(own?.payload == Array("new".utf8))
    }

    /// The phone goes back to a state of eight openings ago, in which a record that came to the
    /// watch is open, or settled; and says something new.
    private func backFromLongAgo(settled: Bool, saying draft: RecordDraft) throws -> PairInABox {
        let box = pair(remembering: 3)
        box.connect()
        _ = try box.phone.send(userInfo("once"), at: box.now)
        box.phone.drain(at: box.now)
        if settled { box.settle() }
        let backup = box.phone.host.image
        box.settle()
        try openAnew(box, 0..<8)
        box.restart(.phone, epoch: 0x7100, on: backup)
        _ = try box.phone.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        box.advance(by: .seconds(10))
        let once = box.watch.host.delivered.filter { $0.payload == Array("once".utf8) }
        #expect(once.count == 1)
        #expect(shown(box, 2) == Array("7".utf8))
        return box
    }

    /// Of what is open in that state the watch remembers nothing any more.
    @Test func who_comes_back_from_too_long_ago_must_pair_anew() throws {
        let box = try backFromLongAgo(settled: false, saying: context(2, "of the backup"))
        #expect(box.watch.host.events.contains(.counterpartChanged(.outdated)))
        #expect(box.watch.host.events.contains(.linkClosed(.outdated)))
        #expect(box.phone.host.events.contains(.linkClosed(.counterpart(.pairAnew))))
        #expect(box.watch.activationState == .notActivated)
    }

    /// Nothing was open in that state: what came since is handed back, and all goes on.
    @Test func a_state_of_long_ago_in_which_all_was_settled_is_brought_up_to_date() throws {
        let box = try backFromLongAgo(settled: true, saying: context(3, "since"))
        #expect(!box.watch.host.events.contains(.counterpartChanged(.outdated)))
        #expect(shown(box, 3) == Array("since".utf8))
        let own = box.phone.host.image.ownValuesInOrder().first { $0.key.rawValue == 2 }
        #expect(own?.payload == Array("7".utf8))
    }

    /// A wiped device begins to count anew, which says nothing of its age.
    @Test func a_wiped_device_is_not_taken_for_one_from_long_ago() throws {
        let box = pair(remembering: 3)
        box.connect()
        try openAnew(box, 0..<8)
        box.restart(.phone, epoch: 0x0070_0000_0000_7100, keepsJournal: false)
        _ = try box.phone.send(userInfo("after the wipe"), at: box.now)
        box.phone.drain(at: box.now)
        box.connect()
        try openAnew(box, 10..<14)
        #expect(!box.watch.host.events.contains(.counterpartChanged(.outdated)))
        #expect(box.watch.host.delivered.contains { $0.payload == Array("after the wipe".utf8) })
        #expect(shown(box, 2) == Array("13".utf8))
    }
}
