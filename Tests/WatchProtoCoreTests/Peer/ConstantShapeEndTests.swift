import Testing

@testable import WatchProtoCore

/// The ends and beginnings of links of a side in a constant shape, and a shape on one side alone.
@Suite struct ConstantShapeEndTests {
    typealias Line = ConstantShapeTests.Line

    /// A record of a side, so much later than the moment at which a direction of the line dies.
    private struct Act {
        var speaker: DeviceRole
        var after: Duration
    }

    private static let acts: [Act?] =
        [nil]
        + [Duration.seconds(-1), .milliseconds(-100)].flatMap { after in
            DeviceRole.allCases.map { Act(speaker: $0, after: after) }
        }

    /// A line whose round trip takes several moments of the grid.
    private static func slow(_ line: Line) -> PairConditions {
        var conditions = line.conditions
        conditions.delay = .milliseconds(150)
        return conditions
    }

    /// A moment at which one of two quiet sides has just asked the other one for an answer.
    private static func asking(_ conditions: PairConditions) -> Instant? {
        let pair = PeerPair.connected(conditions)
        pair.run(for: .seconds(3))
        let isAsked = pair.run {
            pair.phone.peer?.session?.pingDue != nil || pair.watch.peer?.session?.pingDue != nil
        }
        return isAsked ? pair.now : nil
    }

    /// All packets of both sides, where the packets of one are lost from a moment on.
    private static func ending(
        _ conditions: PairConditions, muted: DeviceRole, at moment: Instant, _ act: Act?
    ) throws -> ConstantShapeTests.Opening {
        let pair = PeerPair.connected(conditions)
        let start = pair.now
        if let act {
            pair.run(for: pair.now.duration(to: moment.advanced(by: act.after)))
            try pair.send(act.speaker == .phone ? pair.phone : pair.watch, [1, 2, 3], .urgent)
        }
        pair.run(for: pair.now.duration(to: moment))
        pair.muted = muted
        pair.run(for: .seconds(25))
        for side in [pair.phone, pair.watch] {
            let hasEnded = side.events.contains { if case .linkClosed = $0 { true } else { false } }
            #expect(hasEnded)
        }
        return ConstantShapeTests.Opening(pair, since: start)
    }

    @Test(
        "A link that dies in one direction ends in the same way, whatever was said (S-20, S-23)",
        arguments: Line.allCases)
    func endsTheSame(_ line: Line) throws {
        let conditions = Self.slow(line)
        let moment = try #require(Self.asking(conditions))
        for muted in DeviceRole.allCases {
            let endings = try Self.acts.map {
                try Self.ending(conditions, muted: muted, at: moment, $0)
            }
            for (act, ending) in zip(Self.acts, endings) {
                #expect(ending == endings[0], "\(muted) is muted; \(String(describing: act))")
            }
        }
    }

    /// The waits for a carrier behind three short sessions.
    private static func waits(_ shape: ConstantShape?, isBusy: Bool) throws -> [Duration] {
        var conditions = PairConditions()
        (conditions.delay, conditions.commit) = (.milliseconds(1), .milliseconds(1))
        conditions.shape = shape
        let pair = PeerPair(conditions)
        pair.activate()
        func wanted() -> Int { pair.phone.events.count { $0 == .linkWanted } }
        return try (0..<3).map { _ in
            let isUp = pair.run { pair.isActive }
            #expect(isUp)
            let id = isBusy ? try pair.send(pair.phone, [1], .urgent) : nil
            // A session of this pair that lasts 100 ms is of use in any case.
            pair.run(for: .milliseconds(80))
            if let id { #expect(pair.phone.settled(id) == .applied) }
            pair.isLinkPossible = false
            let (start, count) = (pair.now, wanted())
            pair.cutLink()
            if wanted() == count { _ = pair.run { wanted() > count } }
            let wait = start.duration(to: pair.now)
            pair.isLinkPossible = true
            pair.linkWanted()
            return wait
        }
    }

    @Test("The wait behind a short session does not tell whether it was of use (S-26)")
    func waitsTheSame() throws {
        let shape = ConstantShape(every: .milliseconds(20))
        let (quiet, busy) = (
            try Self.waits(shape, isBusy: false), try Self.waits(shape, isBusy: true)
        )
        #expect(quiet == busy && quiet[1] > .zero && quiet[2] > .zero)
        // Without a shape it tells.
        #expect(try Self.waits(nil, isBusy: false)[1] > .zero)
        #expect(try Self.waits(nil, isBusy: true) == [.zero, .zero, .zero])
    }

    @Test("In a shape each packet has the answer that the responder waits for (W-26)")
    func repeatsTheAnswer() {
        let pair = PeerPair(Line.datagrams.conditions)
        // Behind message 1: the first packet of the session.
        pair.lost = [2]
        pair.activate()
        func acts(_ side: PeerPair.Side) -> Bool { side.events.contains(.activation(.activated)) }
        var hasActed = pair.run { acts(pair.phone) }
        #expect(hasActed && pair.phone.peer?.session?.ticketAnswer != nil)
        let start = pair.now
        hasActed = pair.run { acts(pair.watch) }
        #expect(hasActed && start.duration(to: pair.now) < .milliseconds(100))
    }

    private static func told(_ side: PeerPair.Side) -> Int {
        side.events.count { $0 == .shapeIsOneSided }
    }

    @Test(
        "A side in a shape tells once a session that the other side has none (S-27)",
        arguments: Line.allCases)
    func tellsOneSided(_ line: Line) throws {
        for unshaped in DeviceRole.allCases {
            var conditions = line.conditions
            conditions.unshaped = unshaped
            let pair = PeerPair.connected(conditions)
            let (with, without) =
                unshaped == .watch ? (pair.phone, pair.watch) : (pair.watch, pair.phone)
            pair.run(for: .seconds(5))
            #expect(Self.told(with) == 1)
            try pair.send(without, [1], .urgent)
            pair.run(for: .seconds(5))
            #expect(Self.told(with) == 1)
            pair.cutLink()
            pair.linkWanted()
            pair.run(for: .seconds(10))
            #expect(Self.told(with) == 2 && Self.told(without) == 0)
        }
    }

    /// The side in the shape asks, and the other one, which has nothing to send, answers.
    @Test("A shape on one side alone ends no idle link (S-23)", arguments: Line.allCases)
    func isOneSidedAndIdle(_ line: Line) throws {
        for unshaped in DeviceRole.allCases {
            var conditions = line.conditions
            conditions.unshaped = unshaped
            let pair = PeerPair.connected(conditions)
            func wanted() -> Int {
                [pair.phone, pair.watch].reduce(0) { sum, side in
                    sum + side.events.count { $0 == .linkWanted }
                }
            }
            let before = wanted()
            pair.run(for: .seconds(120))
            #expect(pair.phone.peer?.session != nil && pair.watch.peer?.session != nil)
            #expect(wanted() == before)
        }
    }

    @Test("Two sides in a shape tell nothing, whatever they say (S-27)", arguments: Line.allCases)
    func tellsNothing(_ line: Line) throws {
        var conditions = line.conditions
        if conditions.carrier.isLossy { conditions.loss = 0.1 }
        let pair = PeerPair.connected(conditions)
        for size in [1, 40, 200, 1500] {
            for side in [pair.phone, pair.watch] {
                try pair.send(side, [UInt8](repeating: 7, count: size), .background)
            }
        }
        pair.run(for: .seconds(20))
        #expect(pair.phone.delivered.count == 4 && pair.watch.delivered.count == 4)
        #expect(Self.told(pair.phone) == 0 && Self.told(pair.watch) == 0)
    }

    @Test("Short packets, and those of several lengths, have no shape (S-21, S-27)")
    func needsOneLength() {
        func places(_ lengths: [Int]) -> [Int] {
            var counterpart = CounterpartShape()
            return lengths.indices.filter { counterpart.isFirstUnlike(lengths[$0]) }
        }
        #expect(places([255, 255, 255]) == [] && places([128, 128]) == [])
        #expect(places([255, 255, 254, 255, 253]) == [2])
        #expect(places([127, 127, 255]) == [0])
    }
}
