import Testing
import WatchProtoRecords

@testable import FormerCore

/// A value of a set that came in part only, when a newer one of its key is taken: the newer one's
/// receipt settles it at its sender, which says no more of it.
@Suite struct HalfReceivedTests {
    private static func value(_ key: UInt128, _ byte: UInt8, count: Int) -> RecordDraft {
        RecordDraft(
            lane: .context, kind: .applicationContext, key: RecordKey(rawValue: key),
            payload: Array(repeating: byte, count: count))
    }

    private static func halves(_ box: PairInABox) -> Int {
        box.watch.peer.inbox.lanes[Int(Lane.context.rawValue)].assemblies.count
    }

    private static func send(_ draft: RecordDraft, _ box: PairInABox) throws {
        _ = try box.phone.send(draft, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
    }

    /// Leaves one value of each of the first `count` keys half received and settled.
    private static func leaveHalves(_ count: UInt128, _ box: PairInABox) throws {
        // Its application has not decided on an earlier value: no floor can pass what follows.
        box.watch.host.disposition = { $0.key?.rawValue == 77 ? .pending : .applied }
        try send(value(77, 0, count: 20), box)
        for key in 1...count {
            _ = try box.phone.send(value(key, 1, count: 1_000), at: box.now)
            box.phone.drain(at: box.now)
            // Nothing follows the last part that could show it lost, or bring it back.
            box.phone.host.wire.removeAll { $0.count > 5 && $0[5] == FrameType.parity.rawValue }
            box.phone.host.wire.removeLast()
            box.settle()
            #expect(halves(box) == Int(key), "the last part is missing")
            try send(value(key, 2, count: 20), box)
            box.advance(by: .seconds(2))
        }
        #expect(box.phone.outstanding.count == 1, "the newer values settled the older ones")
        #expect(halves(box) == Int(count))
    }

    /// Every place is taken by what will never be whole: the next value gets one all the same.
    @Test func what_a_newer_value_settled_keeps_no_place_from_another() throws {
        let box = PairInABox(.bleDatagram)
        box.connect()
        let places = Limits().assemblies
        try Self.leaveHalves(UInt128(places), box)
        try Self.send(Self.value(9, 3, count: 1_000), box)
        box.advance(by: .seconds(10))
        #expect(box.watch.host.delivered.last?.payload == Array(repeating: 3, count: 1_000))
        #expect(box.phone.outstanding.count == 1)
        #expect(Self.halves(box) < places)
    }
}
