import Testing
import WatchProto
import WatchProtoRecords
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
            .context, values, kinds: [.applicationContext], removalKind: .medicationRemoval,
            at: box.now)
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
        #expect(try Self.synchronize(box, set) == .notModified(isHeld: true))
        set[7].payload = [1]
        set.removeLast()
        guard case .queued(let ids) = try Self.synchronize(box, set) else {
            Issue.record("nothing was queued")
            return
        }
        #expect(ids.count == 2)
        #expect(
            box.watch.host.delivered.suffix(2).map { $0.kind }
                == [.medicationRemoval, .applicationContext], "what makes room comes first")
    }

    /// Nothing has to be sent either way; whether the counterpart holds the set is told beside it.
    @Test func a_set_that_is_on_its_way_is_not_held_yet() throws {
        let box = PairInABox()
        box.connect()
        _ = try Self.synchronize(box, Self.values(3))
        for set in [Self.values(3, "new"), Self.values(2, "new"), []] {
            box.cut()
            #expect(try Self.synchronize(box, set).queued.isEmpty == false)
            #expect(try Self.synchronize(box, set) == .notModified(isHeld: false))
            box.connect()
            #expect(try Self.synchronize(box, set) == .notModified(isHeld: true))
        }
        // What is no value of the set does not count.
        box.cut()
        var other = context(9, "of another kind")
        other.kind = .opaque
        _ = try box.phone.send(other, at: box.now)
        #expect(try Self.synchronize(box, []) == .notModified(isHeld: true))
    }

    @Test func a_phone_without_memory_finds_the_set_not_modified() throws {
        let box = PairInABox()
        box.connect()
        _ = try Self.synchronize(box, Self.values(50))
        box.restart(.phone, epoch: 0x5555, keepsJournal: false)
        box.connect()
        let before = box.phone.counters.bytesSent
        #expect(try Self.synchronize(box, Self.values(50)) == .notModified(isHeld: true))
        #expect(box.phone.counters.bytesSent == before)
        // And what changes later is sent.
        var set = Self.values(50)
        set[3].payload = [9]
        _ = try Self.synchronize(box, set)
        #expect(box.watch.host.delivered.count == 51)
        #expect(box.watch.host.delivered.last?.payload == [9])
    }

    /// A set is taken whole or not at all, and what became of it is said.
    @Test func a_set_without_room_is_refused_whole() throws {
        let box = PairInABox(.stream, configure: { $0.limits.queuedRecords = 10 })
        box.connect()
        _ = try Self.synchronize(box, Self.values(8))
        let others = (0..<6).map { index in
            SyncValue(
                key: RecordKey(rawValue: UInt128(100 + index)), kind: .applicationContext,
                payload: [UInt8(index)])
        }
        #expect(throws: SendRefusal.queueFull(records: 0)) { try Self.synchronize(box, others) }
        #expect(box.phone.outstanding.isEmpty && box.watch.host.delivered.count == 8)
        // The same where the counterpart has to be asked first.
        box.cut()
        box.restart(.phone, epoch: 0x5555, keepsJournal: false)
        #expect(try Self.synchronize(box, others) == .comparing)
        box.connect()
        let told = box.phone.host.events.filter { event in
            if case .synchronizeRefused(.context, .queueFull) = event { true } else { false }
        }
        #expect(told.count == 1)
        #expect(box.phone.outstanding.isEmpty && box.watch.host.delivered.count == 8)
        #expect(try Self.synchronize(box, []) == .comparing)
        #expect(box.watch.host.delivered.count == 16)
        #expect(box.watch.host.delivered.suffix(8).allSatisfy { $0.kind == .medicationRemoval })
    }

    /// A set that fits takes the place of one that filled the lane, although both do not.
    @Test func what_makes_room_comes_first() throws {
        let box = PairInABox()
        let payload = [UInt8](repeating: 7, count: 60_000)
        let count = Lane.context.traits.setByteLimit / (payload.count + 100)
        func set(_ base: Int) -> [SyncValue] {
            (0..<count).map { index in
                SyncValue(
                    key: RecordKey(rawValue: UInt128(base + index)), kind: .applicationContext,
                    payload: payload)
            }
        }
        box.connect()
        _ = try Self.synchronize(box, set(0))
        guard case .queued(let ids) = try Self.synchronize(box, set(1000)) else {
            Issue.record("nothing was queued")
            return
        }
        #expect(ids.count == 2 * count)
        #expect(box.phone.outstanding.isEmpty)
    }

    static let carriers: [CarrierTraits] = [.stream, .bleDatagram]

    @Test(arguments: carriers) func a_phone_without_memory_asks_and_sends_the_difference(
        _ carrier: CarrierTraits
    ) throws {
        let box = PairInABox(carrier)
        box.connect()
        _ = try Self.synchronize(box, Self.values(50))
        box.advance(by: .seconds(2))
        box.restart(.phone, epoch: 0x5555, keepsJournal: false)
        var set = Self.values(50)
        set[3].payload = [9]
        set.removeLast(2)
        set.append(SyncValue(key: RecordKey(rawValue: 99), kind: .applicationContext, payload: [7]))
        #expect(try Self.synchronize(box, set) == .comparing)
        box.connect()
        box.advance(by: .seconds(2))
        let later = box.watch.host.delivered.dropFirst(50)
        #expect(later.map { $0.key?.rawValue } == [48, 49, 3, 99])
        #expect(later.prefix(2).allSatisfy { $0.kind == .medicationRemoval })
        #expect(box.phone.outstanding.isEmpty)
        // From here on both remember.
        #expect(try Self.synchronize(box, set) == .notModified(isHeld: true))
    }

    @Test func the_first_set_of_all_is_sent_without_asking() throws {
        let box = PairInABox()
        #expect(try Self.synchronize(box, Self.values(5)) == .comparing)
        box.connect()
        #expect(box.watch.host.delivered.count == 5)
        let told = box.phone.host.events.contains { event in
            if case .synchronized(.context, .queued(let ids)) = event {
                ids.count == 5
            } else {
                false
            }
        }
        #expect(told)
    }

    @Test func a_lost_question_or_answer_is_repeated() throws {
        for seed in UInt64(1)...20 {
            var generator = SeededGenerator(seed: seed)
            let box = PairInABox(.bleDatagram)
            box.connect()
            _ = try Self.synchronize(box, Self.values(60))
            box.advance(by: .seconds(5))
            box.restart(.phone, epoch: 0x5555, keepsJournal: false)
            var fates: [Bool] = []
            for _ in 0..<5_000 { fates.append(generator.chance(0.3)) }
            box.loses = { $0 < fates.count && fates[$0] }
            _ = try Self.synchronize(box, Self.values(58, "w"))
            box.connect()
            box.advance(by: .seconds(120))
            let held = box.watch.host.image.values.filter { $0.kind == .applicationContext }
            #expect(held.count == 58, "seed \(seed)")
            #expect(box.phone.outstanding.isEmpty, "seed \(seed)")
        }
    }

    @Test func other_kinds_in_the_lane_are_left_alone() throws {
        let box = PairInABox()
        box.connect()
        let other = RecordDraft(
            lane: .context, kind: .opaque, key: RecordKey(rawValue: 1_000), payload: [1])
        _ = try box.phone.peer.send(other, at: box.now)
        _ = try Self.synchronize(box, Self.values(3))
        #expect(try Self.synchronize(box, Self.values(2)) != .notModified(isHeld: true))
        // Also when the phone has to ask.
        box.restart(.phone, epoch: 0x5555, keepsJournal: false)
        _ = try Self.synchronize(box, Self.values(1))
        box.connect()
        let removed = box.watch.host.delivered.filter { $0.kind == .medicationRemoval }
        #expect(removed.map { $0.key?.rawValue } == [2, 1])
    }

    @Test func an_empty_set_removes_all_of_its_kinds() throws {
        let box = PairInABox()
        box.connect()
        let other = RecordDraft(
            lane: .context, kind: .opaque, key: RecordKey(rawValue: 1_000), payload: [1])
        _ = try box.phone.peer.send(other, at: box.now)
        _ = try Self.synchronize(box, Self.values(2))
        guard case .queued(let ids) = try Self.synchronize(box, []) else {
            Issue.record("the last values stay")
            return
        }
        #expect(ids.count == 2)
        #expect(box.watch.host.image.values.filter { !$0.kind.isRemoval }.map(\.kind) == [.opaque])
        #expect(try Self.synchronize(box, []) == .notModified(isHeld: true))
    }

    @Test func a_phone_without_memory_removes_all_with_an_empty_set() throws {
        let box = PairInABox()
        box.connect()
        _ = try Self.synchronize(box, Self.values(2))
        box.restart(.phone, epoch: 0x5555, keepsJournal: false)
        #expect(try Self.synchronize(box, []) == .comparing)
        box.connect()
        #expect(box.watch.host.image.values.allSatisfy { $0.kind.isRemoval })
        #expect(box.phone.outstanding.isEmpty)
    }

    @Test func a_removal_is_no_difference() throws {
        let box = PairInABox()
        box.connect()
        _ = try Self.synchronize(box, Self.values(3))
        _ = try Self.synchronize(box, Self.values(2))
        box.restart(.phone, epoch: 0x5555, keepsJournal: false)
        box.connect()
        #expect(try Self.synchronize(box, Self.values(2)) == .notModified(isHeld: true))
    }
}
