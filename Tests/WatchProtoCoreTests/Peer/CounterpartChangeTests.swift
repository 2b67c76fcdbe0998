import Testing

@testable import WatchProtoCore

/// A session tells of each change of the counterpart's journal that the table *Changes of the
/// counterpart* in the article *Identity, order and history* names.
@Suite("Changes of the counterpart")
struct CounterpartChangeTests {
    /// A pair with a session in which both have stated something.
    private func connected() throws -> PeerPair {
        let pair = PeerPair()
        pair.activate()
        try talk(pair)
        #expect(pair.phone.changes == [.first] && pair.watch.changes == [.first])
        return pair
    }

    /// A record each way, in a session.
    private func talk(_ pair: PeerPair) throws {
        _ = pair.run { pair.isActive }
        let ids = try [pair.phone, pair.watch].map { ($0, try pair.send($0, [1])) }
        let isDone = pair.run { ids.allSatisfy { $0.0.settled($0.1) == .applied } }
        #expect(isDone)
        pair.run(for: .seconds(1))
    }

    /// Starts `side`, by default the watch, with this journal, and gives the change that the other
    /// side reports. A clone may try again.
    private func change(
        _ pair: PeerPair, _ image: JournalImage, of side: PeerPair.Side? = nil
    ) -> CounterpartChange? {
        let side = side ?? pair.watch
        let other = pair.other(side)
        let before = other.changes.count
        pair.restore(side, image)
        pair.run(for: .seconds(3))
        let changes = other.changes.dropFirst(before)
        return Set(changes).count == 1 ? changes.first : nil
    }

    private func paired() -> JournalImage {
        var image = JournalImage(kinds: PeerPair.kinds)
        image.apply(TicketState.Image.paired(Ticket(rawValue: 99)))
        return image
    }

    @Test("A counterpart restarted, went back, or was wiped")
    func changes() throws {
        let pair = try connected()
        let backup = pair.watch.image
        #expect(change(pair, pair.watch.image) == .restarted)
        try talk(pair)
        #expect(change(pair, backup) == .wentBack)
        try talk(pair)
        #expect(change(pair, JournalImage(kinds: PeerPair.kinds)) == .wiped)
        #expect(pair.phone.peer?.activationState == .activated)
    }

    /// The phone calls, so that it hears of its copy in message 2, and a watch with the first
    /// packet.
    @Test(
        "Of two devices with one journal the one that returns is a clone, and is refused",
        arguments: [DeviceRole.watch, .phone])
    func cloned(_ copied: DeviceRole) throws {
        let pair = try connected()
        let (side, finder) =
            copied == .watch ? (pair.watch, pair.phone) : (pair.phone, pair.watch)
        let copy = side.image
        pair.crash(side)
        try talk(pair)
        let original = side.image
        #expect(change(pair, copy, of: side) == .wentBack)
        try talk(pair)
        #expect(change(pair, original, of: side) == .cloned)
        #expect(finder.peer?.activationState != .activated)
        #expect(finder.events.contains(.linkClosed(.cloned)))
        // The clone hears of it, and does not take the other one for a clone.
        #expect(side.events.contains(.linkClosed(.counterpart(.pairAnew))))
        #expect(!side.changes.contains(.cloned))
    }

    /// Shows the row *three sessions in a row* of the article *Loss recovery* (seed 269891).
    @Test("A clone does not send its records in every session that is refused")
    func refusedAgainAndAgain() throws {
        let pair = try connected()
        let copy = pair.watch.image
        pair.crash(pair.watch)
        try talk(pair)
        let original = pair.watch.image
        #expect(change(pair, copy) == .wentBack)
        try talk(pair)
        #expect(change(pair, original) == .cloned)
        let bytes = 16_000
        try pair.send(pair.watch, [UInt8](repeating: 7, count: bytes), .bulk)
        let former = pair.watch.bytesSent
        let refusals = pair.watch.events.count { $0 == .linkClosed(.counterpart(.pairAnew)) }
        pair.run(for: .seconds(60))
        let further =
            pair.watch.events.count { $0 == .linkClosed(.counterpart(.pairAnew)) } - refusals
        let sent = pair.watch.bytesSent - former
        // They leave once or twice in every fourth session; a handshake takes about 200 bytes.
        let most = 6 * bytes + further * (bytes / 2 + 250)
        #expect(further > 100 && sent < most, "\(sent) bytes in \(further) sessions")
    }

    @Test("A counterpart that was wiped and then restored from before looks like a clone")
    func limit() throws {
        let pair = try connected()
        let backup = pair.watch.image
        #expect(change(pair, JournalImage(kinds: PeerPair.kinds)) == .wiped)
        try talk(pair)
        #expect(change(pair, backup) == .cloned)
    }

    @Test("A record leaves early, and once more to a counterpart that was wiped (seed 38871)")
    func earlyToWiped() throws {
        let pair = try connected()
        pair.isLinkPossible = false
        pair.restore(pair.watch, paired())
        pair.run(for: .seconds(1))
        let former = pair.phone.bytesSent
        let bytes = 16_000
        let id = try pair.send(pair.phone, [UInt8](repeating: 7, count: bytes), .bulk)
        pair.isLinkPossible = true
        pair.linkWanted()
        let isDone = pair.run { pair.phone.settled(id) == .applied }
        let sent = pair.phone.bytesSent - former
        #expect(isDone && sent > 2 * bytes && sent < 2 * bytes + 1_000, "\(sent)")
    }

    @Test("An epoch that its wiped sender does not know is returned and closed")
    func foreignEpoch() throws {
        let pair = try connected()
        let present = pair.phone.peer?.presentEpoch
        let epoch = try #require(present)
        pair.restore(pair.phone, paired())
        pair.run(for: .seconds(3))
        #expect(pair.phone.events.contains(.tailLost(epoch, .background, 1...1)))
        let isClosed = pair.watch.peer?.rooms.counterpartEpochs.isClosed(epoch)
        #expect(isClosed == true)
    }

    @Test(
        "A restored receiver closes an epoch that is gone at its sender (seed 4020418)",
        arguments: 1...40 as ClosedRange<UInt64>)
    func goneEpoch(_ seed: UInt64) throws {
        var conditions = PairConditions.datagrams(loss: 0.3)
        conditions.seed = seed
        let pair = PeerPair(conditions)
        pair.activate()
        try talk(pair)
        let present = pair.phone.peer?.presentEpoch
        let epoch = try #require(present)
        let backup = pair.watch.image
        pair.crash(pair.phone)
        try talk(pair)
        let isGone = pair.phone.peer?.rooms.ownEpochs.isGone(epoch)
        #expect(isGone == true)
        pair.restore(pair.watch, backup)
        pair.run(for: .seconds(3))
        let isClosed = pair.watch.peer?.rooms.counterpartEpochs.isClosed(epoch)
        #expect(isClosed == true)
    }
}
