import Testing

@testable import WatchProtoCore

/// A key of a session is left after an hour, by the next packet that leaves anyway; a session after
/// a day.
@Suite("Key updates and renewal of the session")
struct KeyUpdateTests {
    static let carriers: [PairConditions] = [
        .init(), .datagrams(), .datagrams(bytes: 244), .datagrams(loss: 0.1),
    ]
    private static let perKey = ToySealer.numbersPerKey

    private func joined(_ conditions: PairConditions) throws -> PeerPair {
        let pair = PeerPair(conditions) { ToySecurity($0, psk: 77, seed: $1) }
        pair.activate()
        try exchange(pair)
        return pair
    }

    /// One record each way.
    private func exchange(_ pair: PeerPair) throws {
        let sides = [pair.phone, pair.watch]
        let isReady = pair.run { pair.isActive }
        let ids = try sides.map { try pair.send($0, [UInt8($0.delivered.count)]) }
        let isDone = pair.run {
            zip(sides, ids).allSatisfy { $0.0.settled($0.1) == .applied }
        }
        #expect(isReady && isDone)
        pair.run(for: .seconds(2))
    }

    /// The key of the last packet that a side sealed.
    private func key(_ side: PeerPair.Side) -> UInt64? {
        guard let next = side.peer?.connection.currentSession?.nextSent else { return nil }
        return ToySealer.traits.key(of: max(next, 1) - 1)
    }

    private func ends(_ side: PeerPair.Side) -> [ConnectionEnd] {
        var ends: [ConnectionEnd] = []
        for case .linkClosed(let end) in side.events { ends.append(end) }
        return ends
    }

    @Test("An hour old key is left on every carrier", arguments: carriers.indices)
    func age(_ index: Int) throws {
        let pair = try joined(Self.carriers[index])
        pair.run(for: .seconds(59 * 60))
        try exchange(pair)
        for side in [pair.phone, pair.watch] { #expect(key(side) == 0) }
        for hour in UInt64(1)...3 {
            pair.run(for: .seconds(61 * 60))
            for _ in 0..<3 { try exchange(pair) }
            for side in [pair.phone, pair.watch] {
                #expect(key(side) == hour)
                #expect(ends(side) == [])
                if pair.conditions.loss == 0 {
                    #expect(side.peer?.connection.counters.packetsNotAuthentic == 0)
                    #expect(side.peer?.counters.framesResent == 0)
                }
            }
        }
    }

    @Test("A session begins with its first key", arguments: carriers.indices)
    func first(_ index: Int) throws {
        let pair = try joined(Self.carriers[index])
        pair.cutLink()
        pair.isLinkPossible = false
        pair.run(for: .seconds(2 * 3600))
        pair.isLinkPossible = true
        pair.linkWanted()
        try exchange(pair)
        for side in [pair.phone, pair.watch] { #expect(key(side) == 0) }
    }

    @Test("A quiet link is not woken for a key", arguments: carriers.indices)
    func quiet(_ index: Int) throws {
        let pair = try joined(Self.carriers[index])
        pair.run(for: .seconds(60))
        let sent = [pair.phone.bytesSent, pair.watch.bytesSent]
        pair.run(for: .seconds(5 * 3600))
        #expect([pair.phone.bytesSent, pair.watch.bytesSent] == sent)
    }

    @Test("A key of which nothing came back is kept: the receiver may not know it")
    func unheard() throws {
        let pair = try joined(.datagrams())
        pair.run(for: .seconds(3601))
        pair.lost = Set(1...100_000)
        try pair.send(pair.phone, [1])
        pair.run(for: .milliseconds(100))
        #expect(key(pair.phone) == 1)
        pair.input(pair.phone) { peer, now in
            peer.connection.makeKeyOld(at: now)
        }
        try pair.send(pair.phone, [2])
        pair.run(for: .milliseconds(100))
        #expect(key(pair.phone) == 1)
        pair.lost = []
        try exchange(pair)
        #expect(key(pair.phone) == 2)
        pair.input(pair.phone) { peer, now in
            peer.connection.makeKeyOld(at: now)
        }
        try exchange(pair)
        #expect(key(pair.phone) == 3)
    }

    @Test("A key update on datagrams, or before the end of its packet, ends the link (F-7)")
    func misplaced() throws {
        let ping: [UInt8] = [FrameType.ping.rawValue, 2]
        let update = [FrameType.keyUpdate.rawValue]
        for (conditions, frames, isFault) in [
            (PairConditions(), ping + update, false), (PairConditions(), update + ping, true),
            (.datagrams(), ping + update, true),
        ] {
            let pair = try joined(conditions)
            pair.input(pair.phone) { peer, _ in
                // The phone seals any frames in the way in which it seals a key update.
                _ = peer.sealPacket(frames, [.ping], isBulk: false)
            }
            pair.run(for: .milliseconds(100))
            #expect(ends(pair.watch).isEmpty == !isFault, "\(frames)")
        }
    }

    @Test("A day old session is replaced, and records go on (C-26)", arguments: carriers.indices)
    func renewal(_ index: Int) throws {
        let pair = try joined(Self.carriers[index])
        let id = pair.phone.peer?.connection.currentSession?.ownID
        pair.run(for: .seconds(24 * 3600 - 60))
        #expect(pair.phone.peer?.connection.currentSession?.ownID == id)
        pair.run(for: .seconds(70))
        try exchange(pair)
        #expect(pair.phone.peer?.connection.currentSession?.ownID != id)
        let all = ends(pair.phone) + ends(pair.watch)
        #expect(all.contains(.renewal))
        for side in [pair.phone, pair.watch] { #expect(key(side) == 0) }
    }

    @Test("Padding makes no chunk of bulk, and no ping behind it, longer than the chunk")
    func paddedBulk() throws {
        let pair = try joined(PairConditions())
        pair.phone.packetsSent = []
        let id = try pair.send(pair.phone, [UInt8](repeating: 7, count: 300_000), .bulk)
        let isDone = pair.run { pair.phone.settled(id) == .applied }
        #expect(isDone)
        let long = pair.phone.packetsSent.filter { $0 >= 2048 }
        // Lengths of a stream take up to three bytes, the seal 16.
        #expect(long.allSatisfy { $0 % 1024 <= 19 })
        #expect(long.prefix(2).allSatisfy { $0 < 4096 + 32 }, "the first chunks")
        #expect(pair.phone.packetsSent.max() ?? 0 <= 16_384 + 32)
    }
}

extension Connection {
    /// As if the key that this side seals with had been used for two hours.
    fileprivate mutating func makeKeyOld(at now: Instant) {
        _ = withSession { session, _ in session.keySince = now.advanced(by: .seconds(-7200)) }
    }
}
