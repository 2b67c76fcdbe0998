import Testing
import WatchSecurity

@testable import FormerCore

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

    /// Neither of the two ever sends anything. Each is opened anew when it comes again, or lives
    /// on; the side that meets them is opened anew each time.
    @Test(arguments: [DeviceRole.phone, .watch], [true, false])
    func a_copy_that_only_listens_is_noticed(_ role: DeviceRole, isOpenedAnew: Bool) throws {
        let box = try SealedPair(sealed: .seqpacket)
        box.connect()
        box.advance(by: .seconds(1))
        var epoch: UInt64 = 0x7000
        func sides() -> (device: SideInABox<PairedSecurity>, judge: SideInABox<PairedSecurity>) {
            role == .phone ? (box.phone, box.watch) : (box.watch, box.phone)
        }
        func meet() -> [CounterpartChange] {
            epoch += 1
            box.restart(role.counterpart, epoch: epoch)
            sides().device.peer.linkDown(
                CarrierFailure(call: "end of stream", errorNumber: 0), at: box.now)
            sides().device.host.wire = []
            box.connect()
            box.advance(by: .seconds(1))
            return changes(sides().judge)
        }
        func open(_ image: JournalImage) {
            epoch += 1
            box.restart(role, epoch: epoch, on: image)
        }
        let copied = sides().device.host.image
        open(copied)
        #expect(meet() == [.restarted])
        // As often as it likes, and it is none but itself.
        #expect(meet() == [])
        open(sides().device.host.image)
        #expect(meet() == [.restarted])
        let original = sides().device
        open(copied)
        #expect(meet() == [.restarted], "one that was restored from a backup and lost nothing")
        let copy = sides().device
        if isOpenedAnew {
            open(original.host.image)
        } else if role == .phone {
            box.phone = original
        } else {
            box.watch = original
        }
        #expect(meet().last == .cloned)
        #expect(!box.isActive)
        // However often it is started: what it opened when it was refused is known, too.
        for _ in 0..<4 {
            open(sides().device.host.image)
            #expect(meet().last == .cloned)
        }
        open(copy.host.image)
        #expect(meet() == [.restarted], "the line that goes on")
    }

    /// A side that reads version 2 names no openings.
    @Test(arguments: [(UInt8(2), UInt8(3)), (3, 2), (3, 3)])
    func openings_are_named_from_version_3_on(phone: UInt8, watch: UInt8) {
        let box = PairInABox { $0.frameVersion = $0.role == .phone ? phone : watch }
        var openings: [EpochID] = []
        for epoch in [0x7001, 0x7002, 0x7003, 0x7004] as [UInt64] {
            box.restart(.phone, epoch: epoch)
            box.connect()
            box.advance(by: .seconds(1))
            openings.append(box.phone.peer.currentEpoch)
        }
        #expect(box.phone.host.image.formerOpenings == openings.suffix(2))
        #expect(box.watch.host.image.metOpenings.openings.map(\.id) == openings)
        box.restart(.phone, epoch: 0x7005)
        box.phone.peer.activate(at: box.now)
        #expect(box.phone.peer.outbox.formerOpenings == openings.suffix(2))
        let (bytes, _) = box.phone.peer.makeGreeting()
        let greeting = try? Greeting.decode(bytes.span, limits: Limits())
        #expect(greeting?.formerOpenings == (phone == 3 ? openings.suffix(2) : []))
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
