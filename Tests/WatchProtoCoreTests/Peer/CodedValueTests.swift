import Testing

@testable import WatchProtoCore

/// Values that are coded against a table which both sides have.
@Suite struct CodedValueTests {
    private static let kind = ContentKind(rawValue: 20)
    private static let coded = ContentKind(rawValue: 21)
    private static let prefix: [UInt8] = Array(repeating: 9, count: 100)

    /// Kinds whose coding leaves out a prefix that all payloads have, or all but the last byte of a
    /// base, and begins with the low byte of the reference's minute.
    private static func kinds(table: UInt32?, fails: Bool = false) -> RecordKinds {
        let coding = RecordCoding(
            coded,
            encode: { payload, _, base, reference in
                let head = UInt8(truncatingIfNeeded: reference.minute)
                if let base {
                    return payload.dropLast() == base.dropLast() ? [head] + payload.suffix(1) : nil
                }
                return payload.starts(with: prefix) ? [head] + payload.dropFirst(100) : nil
            },
            decode: { coded, _, base, reference in
                if fails { return nil }
                guard coded.first == UInt8(truncatingIfNeeded: reference.minute) else { return nil }
                return (base.map { Array($0.dropLast()) } ?? prefix) + coded.dropFirst()
            },
            batch: RecordCoding.Batch(
                encode: { payloads, _, reference in
                    guard payloads.allSatisfy({ $0.count == 103 && $0.starts(with: prefix) })
                    else { return nil }
                    return [UInt8(truncatingIfNeeded: reference.minute)]
                        + payloads.flatMap { $0.suffix(3) }
                },
                decode: { coded, keys, reference in
                    guard !fails, coded.first == UInt8(truncatingIfNeeded: reference.minute),
                        coded.count == 1 + 3 * keys.count
                    else { return nil }
                    return keys.indices.map { prefix + coded[(1 + 3 * $0)..<(4 + 3 * $0)] }
                }))
        let row = RecordKind(
            kind, makeDelta: { _, _ in nil }, applyDelta: { _, _ in nil },
            coding: table == nil ? nil : coding)
        return RecordKinds([row], codingTable: table)
    }

    private static func pair(_ phone: UInt32?, _ watch: UInt32?) -> PeerPair {
        var conditions = PeerPair.Conditions()
        conditions.kinds = [.phone: kinds(table: phone), .watch: kinds(table: watch)]
        conditions.watchIsAhead = 3_600_000
        return PeerPair(conditions)
    }

    private func send(
        _ pair: PeerPair, _ payload: [UInt8], from side: PeerPair.Side? = nil
    ) throws {
        let side = side ?? pair.phone
        var id: RecordID?
        pair.input(side) { peer, now in
            let draft = RecordDraft(
                channel: .context, kind: Self.kind, key: RecordKey(rawValue: 1), payload: payload)
            id = try? peer.send(draft, at: now)
        }
        let sent = try #require(id)
        let isDone = pair.run { side.settled(sent) == .applied }
        #expect(isDone)
        let record = try #require(pair.other(side).delivered.last)
        #expect(record.payload == payload && record.kind == Self.kind)
    }

    /// Bytes that the phone sends for a value, and for one that differs in its last byte.
    private func bytes(_ pair: PeerPair) throws -> (whole: Int, update: Int) {
        pair.activate()
        _ = pair.run { pair.isActive && pair.phone.peer?.isReachable == true }
        pair.run(for: .milliseconds(500))
        var before = pair.phone.bytesSent
        try send(pair, Self.prefix + [1, 2, 3])
        pair.run(for: .seconds(2))
        let whole = pair.phone.bytesSent - before
        before = pair.phone.bytesSent
        try send(pair, Self.prefix + [1, 2, 4])
        pair.run(for: .seconds(2))
        return (whole, pair.phone.bytesSent - before)
    }

    @Test("W-27, F-28: values are coded if both sides have the same table, and no others")
    func agreement() throws {
        let same = try bytes(Self.pair(5, 5))
        let plain = try bytes(Self.pair(nil, nil))
        #expect(plain.whole - same.whole == 99)
        #expect(plain.update - same.update > 90)
        for (phone, watch) in [(5, 6), (5, nil), (nil, 5)] as [(UInt32?, UInt32?)] {
            let other = try bytes(Self.pair(phone, watch))
            #expect(other.whole == plain.whole && other.update == plain.update)
        }
    }

    @Test("Each side decodes with the other one's clock, in each session anew")
    func references() throws {
        let pair = Self.pair(5, 5)
        pair.activate()
        for round in UInt8(0)..<4 {
            _ = pair.run { pair.isActive && pair.phone.peer?.isReachable == true }
            pair.run(for: .milliseconds(500))
            for side in [pair.phone, pair.watch] {
                let before = side.bytesSent
                try send(pair, Self.prefix + [round, UInt8(side.bytesSent & 0xFF)], from: side)
                #expect(side.bytesSent - before < 100, "the value left as it is")
            }
            if round == 1 { pair.crash(pair.watch) } else { pair.cutLink() }
            pair.run(for: .seconds(150))
        }
    }

    @Test("A value that cannot be decoded is asked for as it is, and the link stays")
    func damage() throws {
        var conditions = PeerPair.Conditions()
        conditions.kinds = [
            .phone: Self.kinds(table: 5), .watch: Self.kinds(table: 5, fails: true),
        ]
        let pair = PeerPair(conditions)
        pair.activate()
        _ = pair.run { pair.isActive && pair.phone.peer?.isReachable == true }
        for number in UInt8(0)..<5 { try send(pair, Self.prefix + [1, 2, number]) }
        #expect(pair.isActive)
        #expect(!pair.phone.events.contains { if case .linkClosed = $0 { true } else { false } })
    }

    @Test("A value of the kind that codings have is refused")
    func reserved() throws {
        let pair = Self.pair(5, 5)
        var refusal: SendRefusal?
        pair.input(pair.phone) { peer, now in
            let draft = RecordDraft(
                channel: .context, kind: Self.coded, key: RecordKey(rawValue: 1), payload: [1])
            do throws(SendRefusal) { _ = try peer.send(draft, at: now) } catch { refusal = error }
        }
        #expect(refusal == .channelMismatch)
    }

    @Test("Values that were queued before a session, and values in fragments, arrive")
    func earlyAndFragments() throws {
        for bytes in [1200, 244] {
            var conditions = PeerPair.Conditions.datagrams(bytes: bytes)
            let kinds = Self.kinds(table: 5)
            conditions.kinds = [.phone: kinds, .watch: kinds]
            let pair = PeerPair(conditions)
            let payload = Self.prefix + Array(repeating: 3, count: 400)
            var id: RecordID?
            pair.input(pair.phone) { peer, now in
                let draft = RecordDraft(
                    channel: .context, kind: Self.kind, key: RecordKey(rawValue: 1),
                    payload: payload)
                id = try? peer.send(draft, at: now)
            }
            let sent = try #require(id)
            pair.activate()
            let isDone = pair.run { pair.phone.settled(sent) == .applied }
            #expect(isDone && pair.watch.delivered.last?.payload == payload)
        }
    }

    /// The bytes that the phone sends for a value that fits no packet.
    private func largeBytes(_ table: UInt32?, _ conditions: PeerPair.Conditions) throws -> Int {
        var conditions = conditions
        let kinds = Self.kinds(table: table)
        conditions.kinds = [.phone: kinds, .watch: kinds]
        let pair = PeerPair(conditions)
        pair.activate()
        _ = pair.run { pair.isActive && pair.phone.peer?.isReachable == true }
        pair.run(for: .milliseconds(500))
        let before = pair.phone.bytesSent
        try send(pair, Self.prefix + [UInt8](repeating: 7, count: 40_000))
        pair.run(for: .seconds(2))
        return pair.phone.bytesSent - before
    }

    @Test("F-33: a coding leaves in fragments only where none can be lost")
    func codingsInFragments() throws {
        let stream = PeerPair.Conditions()
        let saved = try largeBytes(nil, stream) - largeBytes(5, stream)
        #expect((80...110).contains(saved), "\(saved)")
        let datagrams = PeerPair.Conditions.datagrams(bytes: 1_200)
        #expect(try largeBytes(5, datagrams) == largeBytes(nil, datagrams))
    }

    /// Writes values of a side at once, and logs its packets from now on.
    private func queue(
        _ count: UInt8, _ pair: PeerPair, _ side: PeerPair.Side,
        _ payload: (UInt8) -> [UInt8] = { Self.prefix + [$0, 1, 2] }
    ) -> [RecordID] {
        var ids: [RecordID] = []
        let drafts = (0..<count).map { number in
            SyncValue(
                key: RecordKey(rawValue: UInt128(number)), kind: Self.kind,
                payload: payload(number))
        }
        side.peer?.packetLog = PacketLog(limit: 10_000, at: pair.now)
        pair.input(side) { peer, now in
            let result = try? peer.synchronize(
                .context, drafts, kinds: [Self.kind],
                removalKind: ContentKind(rawValue: 3), at: now)
            if case .queued(let queued) = result { ids = queued }
        }
        #expect(ids.count == Int(count))
        return ids
    }

    /// Packets of a side with values of one coding, in the log.
    private func batches(of side: PeerPair.Side) -> Int {
        (side.peer?.packetLog?.sent ?? []).count { $0.frames.contains(.values) }
    }

    /// The phone writes values, and all are settled.
    ///
    /// - Returns: the pair, the bytes that left since, and the packets with values of one coding.
    private func together(
        _ count: UInt8, on conditions: PeerPair.Conditions = PeerPair.Conditions(),
        fails: Bool = false, _ payload: (UInt8) -> [UInt8] = { Self.prefix + [$0, 1, 2] }
    ) throws -> (pair: PeerPair, bytes: Int, batches: Int) {
        var conditions = conditions
        conditions.kinds = [
            .phone: Self.kinds(table: 5), .watch: Self.kinds(table: 5, fails: fails),
        ]
        // Values that travel early are not coded.
        let pair = PeerPair.connected(conditions)
        let before = pair.phone.bytesSent
        let ids = queue(count, pair, pair.phone, payload)
        let isDone = pair.run { ids.allSatisfy { pair.phone.settled($0) == .applied } }
        #expect(isDone)
        #expect(pair.watch.delivered.count == Int(count))
        for record in pair.watch.delivered {
            let number = UInt8(record.key?.rawValue ?? 255)
            #expect(record.payload == payload(number) && record.kind == Self.kind)
        }
        return (pair, pair.phone.bytesSent - before, batches(of: pair.phone))
    }

    @Test("New values leave in one frame, each in fewer bytes than alone (L-45, F-30)")
    func batches() throws {
        let one = try together(1)
        #expect(one.batches == 0)
        let (pair, fifty, batches) = try together(50)
        // A key, a step and three bytes of coding each.
        #expect(fifty < 50 * 21 + 60 && one.bytes > 27 && batches == 1)
        // Each has a handle and a base.
        let before = pair.phone.bytesSent
        try send(pair, Self.prefix + [1, 1, 9])
        #expect(pair.phone.bytesSent - before < 40)
    }

    @Test(
        "Values of a frame that was lost leave again; small packets have few each (L-45)",
        arguments: [0.0, 0.3], [244, 1200])
    func batchesAreLost(loss: Double, packet: Int) throws {
        let (pair, _, batches) = try together(60, on: .datagrams(loss: loss, bytes: packet))
        #expect(pair.phone.packetsSent.allSatisfy { $0 <= packet })
        // 21 bytes for each of the 60. No value leaves in such a frame twice.
        #expect(packet == 244 ? (6...8).contains(batches) : batches == 2, "\(batches)")
    }

    @Test("A frame of values that cannot be decoded is asked for value by value (L-45)")
    func batchesAreDamaged() throws {
        let (_, bytes, batches) = try together(5, fails: true)
        #expect(bytes > 5 * 120 && batches == 1)
    }

    @Test("Values that have no coding together leave alone (L-45)")
    func batchesAreRefused() throws {
        let (_, _, batches) = try together(9) { $0 == 4 ? [1, 2, 3] : Self.prefix + [$0, 1, 2] }
        // Four before the one without a coding, and four behind it, in one packet.
        #expect(batches == 1)
    }

    @Test(
        "Values that left together and were lost with the link leave alone (L-45)",
        arguments: [DeviceRole.phone, .watch])
    func batchesLeaveOnce(_ role: DeviceRole) throws {
        var conditions = PeerPair.Conditions()
        for role in [DeviceRole.phone, .watch] { conditions.kinds[role] = Self.kinds(table: 5) }
        // Early data has no codings, whatever left before.
        conditions.usesEarlyData = false
        let pair = PeerPair.connected(conditions)
        let side = role == .phone ? pair.phone : pair.watch
        pair.muted = role
        let ids = queue(5, pair, side)
        pair.run(for: .milliseconds(20))
        #expect(batches(of: side) == 1)
        pair.cutLink()
        pair.muted = nil
        side.peer?.packetLog = PacketLog(limit: 10_000, at: pair.now)
        let isDone = pair.run { ids.allSatisfy { side.settled($0) == .applied } }
        #expect(isDone && pair.other(side).delivered.count == 5)
        #expect(batches(of: side) == 0)
    }
}
