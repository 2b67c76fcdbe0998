import Testing

@testable import WatchProtoCore

/// Whole sets, and values that are equal to what the counterpart has.
@Suite("Promises of a peer about values")
struct ValuePromiseTests {
    private static let removal = ContentKind(rawValue: 3)

    private static func set(_ payloads: [UInt128: [UInt8]]) -> [SyncValue] {
        payloads.sorted { $0.key < $1.key }.map {
            SyncValue(key: RecordKey(rawValue: $0.key), kind: .opaque, payload: $0.value)
        }
    }

    private func synchronize(_ pair: PeerPair, _ payloads: [UInt128: [UInt8]]) -> SyncResult? {
        var result: SyncResult?
        pair.input(pair.phone) {
            result = try? $0.synchronize(
                .context, Self.set(payloads), kinds: [.opaque], removalKind: Self.removal, at: $1)
        }
        return result
    }

    private func queued(_ result: SyncResult?) -> Int {
        guard case .queued(let ids)? = result else { return 0 }
        return ids.count
    }

    private func held(_ pair: PeerPair) -> [UInt128: [UInt8]] {
        var held: [UInt128: [UInt8]] = [:]
        for record in pair.watch.delivered {
            guard let key = record.key?.rawValue else { continue }
            held[key] = record.kind == Self.removal ? nil : record.payload
        }
        return held
    }

    @Test("Of a whole set what differs is sent; nothing where it is not modified, or held there")
    func wholeSets() throws {
        let pair = PeerPair()
        pair.activate()
        _ = pair.run { pair.isActive && pair.phone.peer?.isReachable == true }
        var set: [UInt128: [UInt8]] = [1: [1], 2: [2], 3: [3]]
        var result = synchronize(pair, set)
        #expect(queued(result) == 3)
        result = synchronize(pair, set)
        #expect(result == .notModified(isHeld: false))
        pair.run(for: .seconds(2))
        #expect(held(pair) == set)
        let before = pair.phone.bytesSent
        result = synchronize(pair, set)
        pair.run(for: .seconds(2))
        #expect(result == .notModified(isHeld: true) && pair.phone.bytesSent == before)
        set[1] = nil
        set[2] = [22]
        set[4] = [4]
        result = synchronize(pair, set)
        #expect(queued(result) == 3)
        pair.run(for: .seconds(2))
        #expect(held(pair) == set && pair.watch.delivered.count == 6)
        // After a wipe of this side's journal the counterpart holds the set as it is.
        pair.restore(pair.phone, JournalImage(kinds: PeerPair.kinds))
        result = synchronize(pair, set)
        #expect(queued(result) == 3)
        pair.run(for: .seconds(3))
        #expect(held(pair) == set && pair.watch.delivered.count == 6)
        result = synchronize(pair, set)
        #expect(result == .notModified(isHeld: true))
    }

    @Test("A value equal to the newest one costs no packet, and is not given again")
    func equalValues() throws {
        for channel in [Channel.complication, .context] {
            let pair = PeerPair()
            pair.activate()
            _ = pair.run { pair.isActive && pair.phone.peer?.isReachable == true }
            let first = try pair.write(pair.phone, 5, [1], channel)
            pair.run(for: .seconds(2))
            #expect(pair.watch.payloads == [[1]])
            let before = pair.phone.bytesSent
            let equal = try pair.write(pair.phone, 5, [1], channel)
            pair.run(for: .seconds(2))
            #expect(equal == first && pair.phone.bytesSent == before)
            #expect(pair.phone.settled(equal) == .applied)
            #expect(pair.watch.payloads == [[1]])
            try pair.write(pair.phone, 5, [2], channel)
            pair.run(for: .seconds(2))
            #expect(pair.watch.payloads.last == [2])
        }
    }

    @Test(
        "After a restore the application hears of a different value there, and gets both",
        arguments: [1, 1500], [false, true])
    func conflict(_ writes: Int, restarts: Bool) throws {
        let pair = PeerPair()
        pair.activate()
        _ = pair.run { pair.isActive }
        try pair.write(pair.phone, 5, [1])
        pair.run(for: .seconds(2))
        let backup = pair.phone.image
        for _ in 1..<writes {
            try pair.write(pair.phone, 5, [9])
            pair.run(for: .milliseconds(10))
        }
        try pair.write(pair.phone, 5, [2])
        pair.run(for: .seconds(2))
        pair.restore(pair.phone, backup)
        try pair.write(pair.phone, 5, [3])
        pair.run(for: .milliseconds(restarts ? 50 : 0))
        if restarts { pair.crash(pair.phone) }
        pair.run(for: .seconds(3))
        func value(_ payload: [UInt8]) -> ConflictingValue {
            ConflictingValue(kind: .opaque, payload: payload)
        }
        let conflicts = pair.phone.events.filter { if case .conflict = $0 { true } else { false } }
        let key = RecordKey(rawValue: 5)
        #expect(pair.watch.payloads.first == [1] && pair.watch.payloads.suffix(2) == [[2], [3]])
        #expect(conflicts == [.conflict(.context, key, kept: value([3]), replaced: value([2]))])
    }
}
