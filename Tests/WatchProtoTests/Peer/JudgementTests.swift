import Testing
import WatchSecurity

@testable import WatchProto

/// What a greeting shows of the counterpart's past counts with the session's first packet: where
/// the link dies before that, the next greeting shows it again.
@Suite struct JudgementTests {
    private func send<Security>(
        _ text: String, from role: DeviceRole = .phone, _ box: Pair<Security>
    ) throws {
        let side = role == .phone ? box.phone : box.watch
        _ = try side.peer.send(userInfo(text), at: box.now)
        side.drain(at: box.now)
        box.settle()
    }

    private func changes<Security>(_ side: SideInABox<Security>) -> [CounterpartChange] {
        side.host.events.compactMap { event in
            if case .counterpartChanged(let change) = event { change } else { nil }
        }
    }

    /// Opens the link and carries flights until the session of `judge` stands, and nothing more.
    private func cutBeforeTheFirstPacket<Security>(
        _ box: Pair<Security>, judge: DeviceRole = .watch
    ) {
        for side in [box.phone, box.watch] {
            side.peer.activate(at: box.now)
            side.drain(at: box.now)
            side.peer.linkUp(box.carrier, at: box.now)
            side.drain(at: box.now)
        }
        let (judge, other) =
            judge == .watch ? (box.watch, box.phone) : (box.phone, box.watch)
        let before = changes(judge).count
        for _ in 0..<4 where judge.activationState != .activated {
            for (from, to) in [(judge, other), (other, judge)] {
                guard judge.activationState != .activated, !from.host.wire.isEmpty else { continue }
                let chunk = from.host.wire.removeFirst()
                to.peer.receive(chunk.span, at: box.now)
                to.drain(at: box.now)
            }
        }
        #expect(judge.activationState == .activated)
        let told = changes(judge).dropFirst(before)
        #expect(!told.contains(.rolledBack) && !told.contains(.cloned))
        box.cut()
    }

    private func rollsBack<Security>(
        _ box: Pair<Security>, times: Int, judge: DeviceRole = .watch
    ) throws {
        let role = judge.counterpart
        box.connect()
        try send("1", from: role, box)
        let backup = (role == .phone ? box.phone : box.watch).host.image
        try send("2", from: role, box)
        box.restart(role, epoch: 0x7001, on: backup)
        for _ in 0..<times { cutBeforeTheFirstPacket(box, judge: judge) }
        box.connect()
        // It is told once.
        box.cut()
        box.connect()
        let told = changes(judge == .phone ? box.phone : box.watch)
        #expect(told.filter { $0 == .rolledBack }.count == 1)
    }

    /// A pair whose phone begins its third life on a backup of its first; and what its second held.
    private func restored() throws -> (box: PairInABox, branch: JournalImage) {
        let box = PairInABox()
        box.connect()
        try send("1", box)
        let backup = box.phone.host.image
        box.restart(.phone, epoch: 0x7001)
        box.connect()
        try send("2", box)
        let branch = box.phone.host.image
        box.restart(.phone, epoch: 0x7002, on: backup)
        return (box, branch)
    }

    @Test(arguments: 0...2) func a_restored_counterpart_is_noticed(_ times: Int) throws {
        try rollsBack(PairInABox(), times: times)
    }

    /// Who is answered has a session before any packet.
    @Test(arguments: 0...2) func a_restored_counterpart_is_noticed_in_a_sealed_session(
        _ times: Int
    ) throws {
        let box = try SealedPair(sealed: .seqpacket)
        try rollsBack(box, times: times, judge: try box.winner)
    }

    /// It opens a second time before a packet of the first came through.
    @Test func a_restored_counterpart_that_restarts_is_noticed() throws {
        let (box, _) = try restored()
        // A record that waits makes its opening one that the next goes on from.
        _ = try box.phone.peer.send(userInfo("3"), at: box.now)
        box.phone.drain(at: box.now)
        cutBeforeTheFirstPacket(box)
        box.restart(.phone, epoch: 0x7003)
        cutBeforeTheFirstPacket(box)
        box.connect()
        #expect(box.watch.host.events.contains(.counterpartChanged(.rolledBack)))
    }

    /// A copied device is let in neither at the second greeting nor after it was found once.
    @Test(arguments: 0...2) func a_copied_counterpart_is_noticed(_ times: Int) throws {
        let (box, branch) = try restored()
        box.connect()
        try send("3", box)
        box.restart(.phone, epoch: 0x7003, on: branch)
        for _ in 0..<times { cutBeforeTheFirstPacket(box) }
        for found in 1...2 {
            box.connect()
            let told = box.watch.host.events.filter { $0 == .counterpartChanged(.cloned) }
            #expect(told.count == found)
            #expect(box.watch.activationState == .notActivated)
            box.cut()
        }
    }

    /// Neither of the two ever sends anything, and each is opened anew when it comes again; so is
    /// the side that meets them.
    @Test(arguments: [DeviceRole.phone, .watch])
    func a_copy_that_only_listens_is_noticed_when_either_comes_again(_ role: DeviceRole) throws {
        let box = try SealedPair(sealed: .seqpacket)
        box.connect()
        box.advance(by: .seconds(1))
        let copied = (role == .phone ? box.phone : box.watch).host.image
        var epoch: UInt64 = 0x7000
        func meet(_ image: JournalImage) -> (told: [CounterpartChange], image: JournalImage) {
            epoch += 2
            box.restart(role.counterpart, epoch: epoch)
            box.restart(role, epoch: epoch + 1, on: image)
            box.connect()
            box.advance(by: .seconds(1))
            let (device, judge) =
                role == .phone ? (box.phone, box.watch) : (box.watch, box.phone)
            return (changes(judge), device.host.image)
        }
        let original = meet(copied)
        #expect(original.told == [.restarted])
        // As often as it likes, and it is none but itself.
        let again = meet(original.image)
        #expect(again.told == [.restarted])
        let copy = meet(copied)
        #expect(copy.told.contains(.rolledBack) && !copy.told.contains(.cloned))
        #expect(meet(again.image).told.last == .cloned)
        #expect(!box.isActive)
        #expect(!meet(copy.image).told.contains(.cloned), "the line that goes on")
    }

    /// An opening whose entry the journal does not hold yet is nothing to count on: a crash undoes
    /// it, and what is opened next does not name it.
    @Test func an_opening_is_told_once_the_journal_holds_it() {
        let box = PairInABox()
        box.phone.commitsAtOnce = false
        box.connect()
        box.advance(by: .seconds(1))
        #expect(box.phone.activationState == .activated)
        #expect(box.watch.host.image.counterpartEpochs.isEmpty)
        box.phone.commitsAtOnce = true
        box.phone.drain(at: box.now)
        box.settle()
        let known = box.watch.host.image.counterpartEpochs
        #expect(known.map(\.id) == box.phone.host.image.ownEpochs.map(\.id))
        #expect(known.map(\.isUsed) == [false])
    }

    /// A side of version 2 writes floors of 1 where its journal may not hold their epoch; and it is
    /// told of none.
    @Test(arguments: [(UInt8(2), UInt8(3)), (3, 2), (3, 3)])
    func openings_are_told_and_heeded_from_version_3_on(phone: UInt8, watch: UInt8) {
        let box = PairInABox { $0.frameVersion = $0.role == .phone ? phone : watch }
        box.connect()
        box.advance(by: .seconds(1))
        let isNewest = phone == 3 && watch == 3
        #expect(box.watch.host.image.counterpartEpochs.isEmpty == !isNewest)
        #expect(box.phone.host.image.counterpartEpochs.isEmpty == !isNewest)
        #expect(box.phone.host.image.ownEpochs.count == 1)
    }

    /// Two devices of one journal that are both alive, and send nothing: the opening of the one
    /// comes back after the other's.
    @Test func an_opening_that_another_followed_does_not_come_back() {
        let box = PairInABox()
        box.connect()
        let original = box.phone
        box.restart(.phone, epoch: 0x7001)
        box.connect()
        let isFound = { box.watch.host.events.contains(.counterpartChanged(.cloned)) }
        // The same opening may come as often as it likes, and a later one after it.
        box.cut()
        box.connect()
        #expect(!isFound())
        box.cut()
        original.peer.linkDown(
            CarrierFailure(call: "end of stream", errorNumber: 0), at: box.now)
        original.host.wire = []
        box.phone = original
        box.connect()
        #expect(isFound())
        #expect(box.watch.activationState == .notActivated)
    }
}
