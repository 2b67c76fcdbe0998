import Testing

@testable import FormerCore

/// A record is settled by a receipt of what came in the session before, while the frame that told
/// what its key's handle stands for was lost in this one.
@Suite struct LostHandleTests {
    /// What is longer than a packet is cut once, and its head with it: it names its key.
    /// (Seed 95777, sealed.)
    @Test(arguments: [20, 6_000])
    func what_follows_finds_its_key(bytes: Int) throws {
        let box = PairInABox(.lossyDatagram)
        box.connect()
        box.watch.commitsAtOnce = false
        let small = String(repeating: "a", count: 600)
        // The first does not arrive: the greeting cannot say that the second has.
        for key in [2, 1] {
            box.arrivals = { $0 == .phone && key == 2 ? [] : [$1] }
            _ = try box.phone.send(context(UInt128(key), small), at: box.now)
            box.phone.drain(at: box.now)
            box.settle()
        }
        box.cut()
        // In the next session its frame is lost, and its receipt comes.
        box.arrivals = { $0 == .phone && $1.count > 600 ? [] : [$1] }
        box.connect()
        box.watch.commitsAtOnce = true
        box.watch.drain(at: box.now)
        box.settle()
        #expect(box.phone.outstanding.count == 1)
        #expect(box.phone.peer.outbox.lanes[3].keys[RecordKey(rawValue: 1)]?.isHandleKnown == true)
        #expect(box.watch.peer.inbox.lanes[3].handles.isEmpty)
        box.arrivals = { [$1] }
        let next = String(repeating: "b", count: bytes)
        _ = try box.phone.send(context(1, next), at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        box.advance(by: .seconds(5))
        let held = box.watch.peer.inbox.lanes[3].keys[RecordKey(rawValue: 1)]?.held?.payload
        let isHeld = held == Array(next.utf8)
        #expect(isHeld)
        #expect(box.phone.outstanding.isEmpty)
    }
}
