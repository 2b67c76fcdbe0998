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

    /// What the phone is told of the watch that comes with this journal; a clone may try again.
    private func change(_ pair: PeerPair, _ image: JournalImage) -> CounterpartChange? {
        let before = pair.phone.changes.count
        pair.restore(pair.watch, image)
        pair.run(for: .seconds(3))
        let changes = pair.phone.changes.dropFirst(before)
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

    @Test("Of two devices with one journal the one that returns is a clone, and is refused")
    func cloned() throws {
        let pair = try connected()
        let copy = pair.watch.image
        pair.crash(pair.watch)
        try talk(pair)
        let original = pair.watch.image
        #expect(change(pair, copy) == .wentBack)
        try talk(pair)
        #expect(change(pair, original) == .cloned)
        #expect(pair.phone.peer?.activationState != .activated)
        #expect(pair.phone.events.contains(.linkClosed(.cloned)))
    }

    @Test("A counterpart that was wiped and then restored from before looks like a clone")
    func limit() throws {
        let pair = try connected()
        let backup = pair.watch.image
        #expect(change(pair, JournalImage(kinds: PeerPair.kinds)) == .wiped)
        try talk(pair)
        #expect(change(pair, backup) == .cloned)
    }
}
