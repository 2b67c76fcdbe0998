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
    struct Seen: Equatable {
        var at: Instant
        var bytes: Int
    }

    /// The packets of a side from a moment on.
    static func seen(_ side: PeerPair.Side, since start: Instant) -> [Seen] {
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
            #expect((399...401).contains(expected.count))
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
            // Message 1 of the next session.
            return Self.seen(pair.phone, since: start).first { $0.bytes == 244 }?.at
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
                let least = Self.interval - ConstantShape.longestLateness
                #expect(former.duration(to: next) >= least)
            }
        }
    }

    /// The packets of both sides from a new session on.
    struct Opening: Equatable {
        var phone: [Seen]
        var watch: [Seen]

        init(_ pair: PeerPair, since start: Instant) {
            phone = ConstantShapeTests.seen(pair.phone, since: start)
            watch = ConstantShapeTests.seen(pair.watch, since: start)
        }
    }

    private static let speakers: [DeviceRole?] = [nil, .phone, .watch]

    @Test("A record that waits for the link does not show in its opening (S-22, S-24, S-25)")
    func hasNoEarlyData() throws {
        func opening(_ speaker: DeviceRole?) throws -> Opening {
            let pair = PeerPair.connected(Line.datagrams.conditions)
            pair.isLinkPossible = false
            pair.cutLink()
            if let speaker {
                try pair.send(speaker == .phone ? pair.phone : pair.watch, [1, 2, 3], .urgent)
            }
            pair.run(for: .seconds(1))
            pair.isLinkPossible = true
            let start = pair.now
            pair.linkWanted()
            pair.run(for: .seconds(3))
            let delivered = pair.watch.delivered.count + pair.phone.delivered.count
            #expect(delivered == (speaker == nil ? 0 : 1))
            return Opening(pair, since: start)
        }
        let openings = try Self.speakers.map(opening)
        #expect(openings[1] == openings[0] && openings[2] == openings[0])
        #expect(openings[0].phone.count > 40 && openings[0].watch.count > 40)
    }

    /// The packets of the session behind one in which a side has recorded something.
    private static func reopening(
        _ conditions: PairConditions, behind speaker: DeviceRole?
    ) throws -> Opening {
        let pair = PeerPair.connected(conditions)
        if let speaker {
            let side = speaker == .phone ? pair.phone : pair.watch
            let id = try pair.send(side, [1, 2, 3], .urgent)
            pair.run(for: .seconds(3))
            #expect(side.settled(id) == .applied)
        } else {
            pair.run(for: .seconds(3))
        }
        let start = pair.now
        pair.cutLink()
        pair.linkWanted()
        pair.run(for: .seconds(3))
        return Opening(pair, since: start)
    }

    @Test(
        "A session begins in the same way, whatever was said in the one before (S-24, S-25)",
        arguments: Line.allCases)
    func beginsTheSame(_ line: Line) throws {
        let openings = try Self.speakers.map { try Self.reopening(line.conditions, behind: $0) }
        #expect(openings[1] == openings[0] && openings[2] == openings[0])
        #expect(openings[0].phone.count > 40 && openings[0].watch.count > 40)
    }

    @Test("Without the shape message 1 tells that the other side has said something")
    func tellsWithout() throws {
        var conditions = Line.datagrams.conditions
        conditions.shape = nil
        let quiet = try Self.reopening(conditions, behind: nil)
        let busy = try Self.reopening(conditions, behind: .watch)
        #expect(quiet.phone.first?.bytes != busy.phone.first?.bytes)
    }

    @Test("A side in a shape and one without it exchange records (W-28)", arguments: Line.allCases)
    func workOneSided(_ line: Line) throws {
        for unshaped in DeviceRole.allCases {
            var conditions = line.conditions
            conditions.unshaped = unshaped
            let pair = PeerPair.connected(conditions)
            let ids = try Self.talk(pair)
            #expect(
                pair.run {
                    ids.allSatisfy {
                        (pair.phone.settled($0) ?? pair.watch.settled($0)) == .applied
                    }
                })
        }
    }

    @Test("Packets are late by up to 2 ms at random, and the grid does not drift (S-20)")
    func isLate() {
        let pair = PeerPair.connected(Line.datagrams.conditions)
        let start = pair.now
        pair.run(for: .seconds(20))
        for side in [pair.phone, pair.watch] {
            let times = Self.seen(side, since: start).map { $0.at }
            let (interval, half) = (Int64(50_000_000), Int64(25_000_000))
            // How much later than the first one, beside whole intervals.
            let late = times.map {
                (times[0].duration(to: $0).nanosecondsClamped + half) % interval - half
            }
            let spread = (late.max() ?? 0) - (late.min() ?? 0)
            #expect((1_500_000...2_000_000).contains(spread))
            #expect(Set(late).count > times.count / 2)
        }
    }

    @Test("A link in a shape is poor, however fast it could be", arguments: Line.allCases)
    func isPoor(_ line: Line) {
        var conditions = line.conditions
        for isShaped in [true, false] {
            if !isShaped { conditions.shape = nil }
            let pair = PeerPair.connected(conditions)
            pair.run(for: .seconds(20))
            let quality = pair.phone.peer?.linkQuality
            #expect(isShaped ? quality == .poor : quality != .poor)
        }
    }

    @Test("Moments that were missed bring no packets, and lateness moves none (S-20)")
    func missesMoments() {
        var grid = ShapeGrid()
        let interval = Duration.milliseconds(50)
        func at(_ milliseconds: UInt64) -> Instant {
            Instant(nanoseconds: milliseconds * 1_000_000)
        }
        #expect(grid.isDue(at: at(10)))
        grid.advance(interval, at: at(10), random: .max)
        #expect(grid.next == at(62) && !grid.isDue(at: at(61)))
        grid.advance(interval, at: at(62), random: 0)
        #expect(grid.next == at(110))
        // 110, 160 and 210 have passed at 230: one packet leaves, and the next one at 260.
        grid.advance(interval, at: at(230), random: .max / 2)
        #expect(grid.next == at(261))
    }
}
