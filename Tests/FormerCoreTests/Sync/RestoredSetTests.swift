import Testing
import WatchProtoRecords
import WatchSecurity

@testable import FormerCore

/// A sender restored from a backup and a counterpart that was told more since agree in the end.
@Suite struct RestoredSetTests {
    private func held(_ box: PairInABox) -> [UInt128] {
        let keys = box.phone.peer.outbox.lanes[3].keys
        return zip(keys.keys, keys.values).compactMap { key, state in
            state.held.map { !$0.kind.isRemoval } ?? false ? key.rawValue : nil
        }.sorted()
    }

    private func shown(_ box: PairInABox) -> [UInt128] {
        box.watch.peer.inbox.heldEntries(.context).map { $0.key.rawValue }.sorted()
    }

    /// A value is under way in the backup, and the greeting says that it has arrived. (Seeds 75858,
    /// 51129, 54191 and 96461; in the last two another was confirmed in the backup.)
    @Test(arguments: [[1], [2, 1]], [false, true])
    func both_sides_agree_on_what_was_removed(keys: [UInt128], isSettled: Bool) throws {
        let box = PairInABox()
        box.connect()
        for key in keys.dropLast() { try box.send([context(key, "confirmed")]) }
        _ = try box.phone.send(context(1, "under way"), at: box.now)
        box.phone.drain(at: box.now)
        let backup = box.phone.host.image
        box.settle()
        for key in keys { _ = try box.phone.send(removal(key), at: box.now) }
        box.phone.drain(at: box.now)
        box.carry(from: box.phone, to: box.watch)
        if isSettled { box.settle() }
        #expect(shown(box) == [])

        box.restart(.phone, epoch: 0x7001, on: backup)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(box.phone.outstanding.isEmpty)
        #expect(shown(box) == held(box))
    }

    /// So much is under way that the digest of a restored receiver cannot be explained: what it has
    /// lost is found once all that has arrived. (Seeds 117363 and 174604.)
    @Test(arguments: [1, 13])
    func what_a_receiver_lost_is_found_behind_many_values(keys: Int) throws {
        let box = PairInABox()
        box.connect()
        for key in 1...keys { try box.send([context(UInt128(key), "confirmed")]) }
        let backup = box.watch.host.image
        try box.send([context(99, "lost there")])
        box.cut()
        for key in 1...keys {
            _ = try box.phone.send(context(UInt128(key), "under way"), at: box.now)
        }
        box.phone.drain(at: box.now)
        box.restart(.watch, epoch: 0x7100, on: backup)
        box.connect()
        box.advance(by: .seconds(5))
        #expect(shown(box) == (1...keys).map { UInt128($0) } + [99])
        #expect(box.phone.outstanding.isEmpty)
    }

    /// What was handed back had been left pending, and is refused: of a record that the sender does
    /// not list nothing can be told, but the next greeting shows it. (Seeds 36512 and 132059.)
    @Test func a_refusal_of_what_was_handed_back_shows_in_the_next_session() throws {
        let box = PairInABox()
        box.connect()
        try box.send([context(1, "a")])
        let backup = box.phone.host.image
        box.watch.host.disposition = { _ in .pending }
        try box.send([context(1, "b")])
        box.restart(.phone, epoch: 0x7001, on: backup)
        box.connect()
        let pending = try #require(box.watch.host.delivered.last)
        box.watch.peer.rejected(pending.id, code: 7, at: box.now)
        box.watch.drain(at: box.now)
        box.settle()
        #expect(payload(box) == Array("b".utf8))

        box.watch.host.disposition = { _ in .rejected(code: 7) }
        box.cut()
        box.connect()
        box.advance(by: .seconds(5))
        let settled = box.phone.host.events.contains { event in
            if case .settled(_, .rejected(code: 7)) = event { true } else { false }
        }
        #expect(settled)
        #expect(payload(box) == Array("a".utf8))
        #expect(box.phone.outstanding.isEmpty)
    }

    private func payload(_ box: PairInABox) -> [UInt8]? {
        box.phone.peer.outbox.lanes[3].keys[RecordKey(rawValue: 1)]?.held?.payload
    }
}
