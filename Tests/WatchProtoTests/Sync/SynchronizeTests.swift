import Testing
import WatchProto
import WatchSecurity

@Suite struct SynchronizeTests {
    static func values(_ count: Int, _ text: String = "v") -> [SyncValue] {
        (0..<count).map { index in
            SyncValue(
                key: RecordKey(rawValue: UInt128(index)), kind: .applicationContext,
                payload: Array("\(text) \(index)".utf8))
        }
    }

    static func synchronize(_ box: PairInABox, _ values: [SyncValue]) throws -> SyncResult {
        let result = try box.phone.peer.synchronize(
            .context, values, removalKind: .medicationRemoval, at: box.now)
        box.phone.drain(at: box.now)
        box.settle()
        return result
    }

    @Test func only_what_changed_travels() throws {
        let box = PairInABox()
        box.connect()
        var set = Self.values(50)
        _ = try Self.synchronize(box, set)
        #expect(box.watch.host.delivered.count == 50)
        #expect(try Self.synchronize(box, set) == .notModified)
        set[7].payload = [1]
        set.removeLast()
        guard case .queued(let ids) = try Self.synchronize(box, set) else {
            Issue.record("nothing was queued")
            return
        }
        #expect(ids.count == 2)
        #expect(
            box.watch.host.delivered.suffix(2).map { $0.kind }
                == [.applicationContext, .medicationRemoval])
    }

    @Test func a_phone_without_memory_finds_the_set_not_modified() throws {
        let box = PairInABox()
        box.connect()
        _ = try Self.synchronize(box, Self.values(50))
        box.restart(.phone, epoch: 0x5555, keepsJournal: false)
        box.connect()
        let before = box.phone.counters.bytesSent
        #expect(try Self.synchronize(box, Self.values(50)) == .notModified)
        #expect(box.phone.counters.bytesSent == before)
        // And what changes later is sent.
        var set = Self.values(50)
        set[3].payload = [9]
        _ = try Self.synchronize(box, set)
        #expect(box.watch.host.delivered.count == 51)
        #expect(box.watch.host.delivered.last?.payload == [9])
    }

    @Test func a_phone_without_memory_and_another_set_sends_it() throws {
        let box = PairInABox()
        box.connect()
        _ = try Self.synchronize(box, Self.values(5))
        box.restart(.phone, epoch: 0x5555, keepsJournal: false)
        box.connect()
        guard case .queued(let ids) = try Self.synchronize(box, Self.values(5, "w")) else {
            Issue.record("taken for unmodified")
            return
        }
        #expect(ids.count == 5)
        #expect(
            box.watch.host.delivered.suffix(5).map { $0.payload }
                == Self.values(5, "w").map { $0.payload })
    }
}
