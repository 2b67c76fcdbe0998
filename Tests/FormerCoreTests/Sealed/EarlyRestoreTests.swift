import Testing

@testable import FormerCore

/// Early data comes, the session does not, and its sender is restored from a backup meanwhile.
@Suite struct EarlyRestoreTests {
    /// The last value came after the backup, and is what the first one was: the digest looks as if
    /// only that had arrived. (Sealed seed 10002998 of the world.)
    @Test func what_came_early_before_a_backup_was_restored_is_compared() throws {
        let box = try SealedPair(sealed: .lossyDatagram)
        box.connect()
        box.advance(by: .seconds(1))
        box.restart(.phone, epoch: 0x7001)
        box.restart(.watch, epoch: 0x7002)
        // From here on nothing leaves the watch.
        box.arrivals = { role, bytes in role == .watch ? [] : [bytes] }
        box.connect()
        for text in ["a value", "another"] {
            _ = try box.send(context(1, text), from: .phone)
            box.settle()
        }
        let backup = box.phone.host.image
        _ = try box.send(context(1, "a value"), from: .phone)
        box.settle()
        #expect(box.watch.texts == ["a value", "another", "a value"])
        #expect(box.watch.activationState != .activated)

        // The watch sees another flight, and no end of the link.
        box.phone = SideInABox(
            box.phone.configuration, epoch: 0x7003, image: backup,
            clock: WallTime(milliseconds: Int64(box.now.nanoseconds / 1_000_000)),
            security: box.makeSecurity(.phone), at: box.now)
        box.arrivals = { [$1] }
        box.phone.peer.activate(at: box.now)
        box.phone.peer.linkUp(box.carrier, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        #expect(box.isActive && box.phone.outstanding.isEmpty)
        let back = box.phone.host.events.compactMap { event in
            if case .handedBack(_, _, _, let payload) = event { payload } else { nil }
        }
        #expect(back == [Array("a value".utf8)])
        #expect(box.watch.texts.last == "a value")
    }

    /// A greeting tells epochs that early data alone made known, with 0; and what was held of the
    /// others before it.
    @Test func a_greeting_tells_of_epochs_that_came_early_alone() {
        func known(_ id: UInt64, _ number: UInt64) -> Greeting.KnownEpoch {
            Greeting.KnownEpoch(
                id: EpochID(rawValue: id), receivedThrough: Lane.allCases.map { _ in number })
        }
        func epoch(_ id: UInt64, _ rank: UInt64, _ number: UInt64) -> InboundEpoch {
            var epoch = InboundEpoch(id: EpochID(rawValue: id), rank: rank, parent: nil)
            epoch.isUsed = true
            for lane in epoch.lanes.indices { epoch.lanes[lane].settle(below: number) }
            return epoch
        }
        var inbox = Inbox(limits: Limits(), image: JournalImage())
        inbox.epochs = [epoch(2, 2, 9), epoch(3, 3, 4)]
        #expect(inbox.knownToTell == [known(2, 9), known(3, 4)])
        inbox.knownBeforeEarly = [known(1, 5), known(2, 6)]
        #expect(inbox.knownToTell == [known(1, 5), known(2, 6), known(3, 0)])
        #expect(inbox.knownToTell.map(\.isOfEarlyDataAlone) == [false, false, true])
        // What was held before says more, where there is no room for all. (Sealed seed 11059747.)
        var limits = Limits()
        limits.epochs = 2
        var narrow = Inbox(limits: limits, image: JournalImage())
        narrow.epochs = inbox.epochs
        narrow.knownBeforeEarly = inbox.knownBeforeEarly
        #expect(narrow.knownToTell == [known(1, 5), known(2, 6)])
    }
}
