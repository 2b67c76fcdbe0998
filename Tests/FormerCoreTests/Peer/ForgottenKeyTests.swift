import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A sender forgets the keys whose removal has been applied, and no others.
@Suite struct ForgottenKeyTests {
    private func box() -> PairInABox {
        PairInABox {
            $0.limits.keys = 8
            $0.limits.handles = 8
        }
    }

    private func keys(_ box: PairInABox) -> Int { box.phone.peer.outbox.lanes[3].keys.count }

    @Test(arguments: [false, true]) func many_keys_in_turn_are_never_too_many(
        restarts: Bool
    ) throws {
        let box = box()
        box.connect()
        for key in UInt128(1)...40 {
            try box.send([context(key, "v")])
            try box.send([removal(key)])
            if restarts, key.isMultiple(of: 7) {
                box.restart(.phone, epoch: UInt64(0x3000 + key))
                box.connect()
            }
        }
        let known = keys(box)
        #expect(known <= 8)
        #expect(box.phone.host.image.ownValuesInOrder().count <= 8)
        #expect(box.watch.host.delivered.count == 80)
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func as_many_removals_are_remembered_as_the_article_says() throws {
        let box = PairInABox()
        box.connect()
        let all = UInt128(1)...UInt128(Limits().removals + 40)
        try box.send(all.map { context($0, "v") })
        try box.send(all.map { removal($0) } + [context(7_000, "stays")])
        box.advance(by: .seconds(5))
        #expect(box.phone.outstanding.isEmpty)
        let known = keys(box)
        #expect(known == Limits().removals + 1)
        let stored = box.phone.host.image.ownValuesInOrder()
        #expect(stored.count == Limits().removals + 1)
        #expect(stored.contains { !$0.kind.isRemoval })
    }

    /// One that has a value again is not among the removed.
    @Test func a_key_that_came_back_keeps_its_value() throws {
        let box = box()
        box.connect()
        try box.send([context(1, "a")])
        try box.send([removal(1)])
        try box.send([context(1, "b")])
        for key in UInt128(2)...20 {
            try box.send([context(key, "v")])
            try box.send([removal(key)])
        }
        let value = box.phone.peer.outbox.lanes[3].keys[RecordKey(rawValue: 1)]?.held
        #expect(value?.payload == Array("b".utf8))
        #expect(box.phone.host.image.ownValuesInOrder().contains { $0.key.rawValue == 1 })
    }

    @Test func keys_that_are_all_under_way_are_too_many() throws {
        let box = box()
        try box.send((UInt128(1)...8).map { context($0, "v") })
        #expect(throws: SendRefusal.tooManyKeys(limit: 8)) {
            try box.phone.send(context(9, "v"), at: box.now)
        }
        box.connect()
        try box.send([removal(1)])
        try box.send([context(9, "v")])
        #expect(box.phone.outstanding.isEmpty)
    }
}
