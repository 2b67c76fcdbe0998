import Testing

@testable import WatchProtoCore

/// Traffic whose packets tell nothing of what is said.
@Suite struct ConstantShapeTests {
    private static let interval = Duration.milliseconds(50)

    /// The carriers on which a shape is tried.
    enum Line: CaseIterable {
        case stream, datagrams, smallDatagrams

        var conditions: PairConditions {
            var conditions: PairConditions =
                switch self {
                case .stream: PairConditions()
                case .datagrams: .datagrams()
                case .smallDatagrams: .datagrams(bytes: 244)
                }
            conditions.shape = ConstantShape(every: ConstantShapeTests.interval)
            return conditions
        }
    }

    /// A packet as somebody on the line sees it.
    private struct Seen: Equatable {
        var at: Instant
        var bytes: Int
    }

    /// The packets of a side from a moment on.
    private static func seen(_ side: PeerPair.Side, since start: Instant) -> [Seen] {
        zip(side.packetTimes, side.packetsSent).map { Seen(at: $0, bytes: $1) }
            .filter { $0.at >= start }
    }

    /// Records of every channel, small and large, from both sides.
    private static func talk(_ pair: PeerPair) throws -> [RecordID] {
        var ids: [RecordID] = []
        for round in 0..<4 {
            for side in [pair.phone, pair.watch] {
                let byte = UInt8(round)
                ids.append(try pair.send(side, [byte], .urgent))
                ids.append(try pair.send(side, [UInt8](repeating: byte, count: 40), .background))
                ids.append(try pair.write(side, UInt128(round), [byte, 1]))
                ids.append(
                    try pair.send(side, [UInt8](repeating: byte, count: 1500), .background))
            }
            pair.run(for: .milliseconds(333))
        }
        return ids
    }

    @Test(
        "Packets leave at the same moments with the same lengths, whatever is said (S-20, S-21)",
        arguments: Line.allCases)
    func isTheSameForAll(_ line: Line) throws {
        let (quiet, busy) = (
            PeerPair.connected(line.conditions), PeerPair.connected(line.conditions)
        )
        let start = quiet.now
        #expect(busy.now == start)
        let ids = try Self.talk(busy)
        quiet.run(for: .seconds(20))
        busy.run(for: busy.now.duration(to: quiet.now))
        let delivered = busy.phone.delivered.count + busy.watch.delivered.count
        #expect(delivered == ids.count)
        for id in ids {
            let outcome = busy.phone.settled(id) ?? busy.watch.settled(id)
            #expect(outcome == .applied)
        }
        for (one, other) in [(quiet.phone, busy.phone), (quiet.watch, busy.watch)] {
            let (expected, found) = (
                Self.seen(one, since: start), Self.seen(other, since: start)
            )
            #expect(expected.count == 400)
            #expect(found == expected)
            #expect(Set(expected.map { $0.bytes }).count == 1)
        }
        #expect(!quiet.isSpinning && !busy.isSpinning)
    }

    @Test("All packets are as long as the first one, also behind 16,384 (S-21)")
    func staysAsLong() throws {
        var conditions = PairConditions.datagrams()
        conditions.shape = ConstantShape(every: .milliseconds(20))
        let pair = PeerPair.connected(conditions)
        let start = pair.now
        pair.run(for: .seconds(340))
        for side in [pair.phone, pair.watch] {
            let seen = Self.seen(side, since: start)
            #expect(seen.count > 16_500 && Set(seen.map { $0.bytes }).count == 1)
        }
    }

    @Test("A dead link ends at the same time, whether or not something was said (S-23)")
    func endsTheSame() throws {
        func end(_ hasRecord: Bool) throws -> Instant? {
            let pair = PeerPair.connected(Line.datagrams.conditions)
            pair.conditions.loss = 1
            if hasRecord { try pair.send(pair.phone, [1], .urgent) }
            let start = pair.now
            pair.run(for: .seconds(30))
            return Self.seen(pair.phone, since: start).first { $0.bytes < 200 }?.at
        }
        let times = (try end(true), try end(false))
        #expect(times.0 == times.1 && times.0 != nil)
    }

    @Test("A remembered slow path does not slow the shape down (S-20)")
    func ignoresThePace() throws {
        let pair = PeerPair.connected(Line.datagrams.conditions)
        pair.run(for: .seconds(20))
        let ids = try (0..<20).map { try pair.write(pair.phone, UInt128($0), [UInt8]($0...200)) }
        let start = pair.now
        #expect(pair.run { ids.allSatisfy { pair.phone.settled($0) == .applied } })
        #expect(start.duration(to: pair.now) < .seconds(3))
    }

    @Test("Without the shape an act shows at once (the test can fail)")
    func showsWithout() throws {
        let (quiet, busy) = (PeerPair.connected(), PeerPair.connected())
        let start = quiet.now
        _ = try Self.talk(busy)
        quiet.run(for: .seconds(2))
        let (expected, found) = (
            Self.seen(quiet.phone, since: start), Self.seen(busy.phone, since: start)
        )
        #expect(found != expected)
    }

    @Test(
        "On a link that loses packets all records count once, one packet a moment (S-20)")
    func survivesLoss() throws {
        var conditions = PairConditions.datagrams(loss: 0.1)
        conditions.shape = ConstantShape(every: Self.interval)
        let pair = PeerPair.connected(conditions)
        let start = pair.now
        let ids = try Self.talk(pair)
        #expect(
            pair.run {
                ids.allSatisfy {
                    (pair.phone.settled($0) ?? pair.watch.settled($0)) == .applied
                }
            })
        #expect(pair.phone.delivered.count + pair.watch.delivered.count == ids.count)
        for side in [pair.phone, pair.watch] {
            let times = Self.seen(side, since: start).map { $0.at }
            #expect(times.count > 10)
            for (former, next) in zip(times, times.dropFirst()) {
                #expect(former.duration(to: next) >= Self.interval)
            }
        }
    }

    @Test("A record that waits for the link does not show in its opening (S-22)")
    func hasNoEarlyData() throws {
        func opening(_ hasRecord: Bool) throws -> [Seen] {
            let pair = PeerPair.connected(Line.datagrams.conditions)
            pair.isLinkPossible = false
            pair.cutLink()
            if hasRecord { try pair.send(pair.phone, [1, 2, 3], .urgent) }
            pair.run(for: .seconds(1))
            pair.isLinkPossible = true
            let start = pair.now
            pair.linkWanted()
            pair.run(for: .seconds(3))
            #expect(pair.watch.delivered.count == (hasRecord ? 1 : 0))
            return Self.seen(pair.phone, since: start)
        }
        let (waiting, idle) = (try opening(true), try opening(false))
        #expect(waiting.map { $0.at } == idle.map { $0.at })
        // Message 1 says more of a side that has queued something.
        #expect(waiting.dropFirst() == idle.dropFirst() && waiting.count > 40)
    }

    @Test("Moments that were missed bring no packets (S-20)")
    func missesMoments() {
        var grid = ShapeGrid()
        func at(_ milliseconds: UInt64) -> Instant {
            Instant(nanoseconds: milliseconds * 1_000_000)
        }
        // 110, 160 and 210 have passed at 230: one packet leaves, and the next one at 260.
        let taken = [10, 59, 60, 230].map { grid.take(.milliseconds(50), at: at($0)) }
        #expect(taken == [true, false, true, true])
        #expect(grid.next == at(260))
    }
}
