import WatchProtoCore

extension Scenario {
    /// Makes the scenario of `seed`: a carrier, conditions, acts and faults, each fault class
    /// switched off in half of the seeds.
    ///
    /// - Parameters:
    ///   - seed: names the scenario.
    ///   - isSealed: whether sessions are sealed, so that packets may also be replayed; otherwise
    ///     the two scenarios of a seed are the same.
    package static func generated(seed: UInt64, isSealed: Bool = false) -> Scenario {
        var maker = ScenarioMaker(seed: seed)
        if seedsOfShapes.contains(seed) { return maker.makeShaped(isSealed: isSealed) }
        if seedsOfBlocks.contains(seed) { return maker.makeOfBlocks(isSealed: isSealed) }
        if seedsOfLimits.contains(seed) {
            return seed % 2 == 0
                ? maker.make(isSealed: isSealed) : maker.makeDense(isSealed: isSealed)
        }
        if seed >= firstDenseSeed { return maker.makeDense(isSealed: isSealed) }
        return maker.make(isSealed: isSealed)
    }
}

/// Draws one scenario. The order of the draws is part of what a seed means.
struct ScenarioMaker {
    var random: SeededGenerator
    var scenario: Scenario
    var activeNanoseconds: UInt64 = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed ^ 0x7363_656E_6172_696F)
        scenario = Scenario(seed: seed)
    }

    mutating func make(isSealed: Bool) -> Scenario {
        scenario.switches = FaultClass.allCases.filter { !$0.isDrawnApart && random.chance(0.5) }
        activeNanoseconds = random.uniform(in: 2_000_000_000...40_000_000_000)
        makeCarrier()
        let shared = makeLinkConditions()
        // Half of the links are alike in both directions.
        scenario.linkConditions = [shared, random.chance(0.5) ? shared : makeLinkConditions()]
        makeActs()
        makeFaults()
        if isOn(.slowDisk) { scenario.commitNanoseconds = 1_000_000...400_000_000 }
        if isOn(.unreceiptedCommits) { scenario.unreceiptedCommit = 0.6 }
        if isOn(.lateTimers) {
            scenario.timerLateness = random.chance(0.2) ? .seconds(3) : .milliseconds(80)
        }
        scenario.healAt = Instant(nanoseconds: activeNanoseconds + 5_000_000_000)
        if isOn(.deadDirection), random.chance(0.15) {
            scenario.deadDirection = (Int(random.uniform(in: 0...1)), moment())
        }
        if scenario.carrier.kind == .stream(.bytes), scenario.seed % 4 != 0 {
            // Byte by byte takes ten times as long as anything else: few seeds are enough.
            scenario.carrier.kind = .stream(.random(largestBytes: 20))
            for side in 0..<2 { scenario.linkConditions[side].kind = scenario.carrier.kind }
        }
        makeAlarm()
        makeWaits()
        makeInitiation()
        if isSealed { makeReplays() }
        makeClusters()
        makeCopies()
        if isSealed { makeAttackers() }
        return scenario
    }

    /// A scenario in which the traffic of both sides has a constant shape. Half of the seeds have
    /// the shortest time between packets. Three of four have the length of packets that the product
    /// has, the others a longer one. One packet a moment takes its time to settle.
    mutating func makeShaped(isSealed: Bool) -> Scenario {
        var scenario = make(isSealed: isSealed)
        scenario.shape = ConstantShape(
            every: scenario.seed % 2 == 0 ? .milliseconds(20) : .milliseconds(100),
            frameBytes: scenario.seed % 4 == 0 ? 4_000 : ConstantShape.defaultFrameBytes)
        scenario.settleTime *= 8
        return scenario
    }

    /// In half of the seeds both sides raise the alarm; drawn from a stream of its own.
    private mutating func makeAlarm() {
        var maker = self
        maker.random = SeededGenerator(seed: scenario.seed ^ 0x616C_6172_6D61_6765)
        guard maker.random.chance(0.5) else { return }
        scenario.overdueAge = maker.milliseconds(200...15_000)
    }

    /// Draws when the listener makes message 1 itself, from a stream of its own. On a lossy carrier
    /// no connection shows a restarted listener that the other side is there, so it may not wait to
    /// be called.
    mutating func makeInitiation() {
        var maker = self
        maker.random = SeededGenerator(seed: scenario.seed ^ 0x696E_6974_6961_7465)
        let choices: [InitiationTime] =
            scenario.carrier.isConnected
            ? [.whenCalled, .afterPatience, .atOnce] : [.afterPatience, .atOnce]
        scenario.carrier.listenerInitiation = maker.pick(choices)
    }

    /// In half of the seeds some records wait for their own commit, as a dose taken does; drawn
    /// from a stream of its own.
    private mutating func makeWaits() {
        var random = SeededGenerator(seed: scenario.seed ^ 0x7761_6974_636F_6D6D)
        guard random.chance(0.5) else { return }
        for index in scenario.acts.indices {
            scenario.acts[index].waitsForCommit = random.chance(0.5)
        }
    }

    /// In half of the seeds with sealed sessions packets are replayed; drawn from a stream of its
    /// own.
    private mutating func makeReplays() {
        var maker = self
        maker.random = SeededGenerator(seed: scenario.seed ^ 0x7265_706C_6179_6564)
        guard maker.random.chance(0.5) else { return }
        scenario.switches.append(.replays)
        for _ in 0..<maker.random.uniform(in: 1...6) {
            scenario.faults.append(
                Scenario.Fault(
                    at: maker.moment(),
                    .replay(
                        side: maker.side(), packets: Int(maker.random.uniform(in: 1...60)))))
        }
        scenario.sortFaults()
    }

    func isOn(_ fault: FaultClass) -> Bool { scenario.switches.contains(fault) }

    mutating func moment() -> Instant {
        Instant(nanoseconds: random.uniform(in: 0...activeNanoseconds))
    }

    mutating func milliseconds(_ range: ClosedRange<UInt64>) -> Duration {
        .microseconds(
            Int64(random.uniform(in: (range.lowerBound * 1_000)...(range.upperBound * 1_000))))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(random.uniform(in: 0...UInt64(elements.count - 1)))]
    }

    mutating func makeCarrier() {
        var carrier = SimulatedCarrier()
        carrier.largestDatagramBytes = pick([244, 512, 1_200, 4_096, 65_536])
        carrier.listener = Int(random.uniform(in: 0...1))
        let draw = random.unitInterval()
        if draw < 0.4 {
            carrier.kind = .lossyDatagram
        } else if draw < 0.6 {
            carrier.kind = .reliableDatagram
        } else if isOn(.chunking) {
            let largest = Int(random.uniform(in: 2...600))
            carrier.kind = .stream(
                pick([
                    .bytes, .random(largestBytes: largest), .random(largestBytes: largest),
                    .coalesced(window: .milliseconds(5)),
                ]))
        } else {
            carrier.kind = .stream(.whole)
        }
        scenario.carrier = carrier
    }

    mutating func makeLinkConditions() -> LinkOptions {
        var options = LinkOptions()
        options.kind = scenario.carrier.kind
        options.rateBitsPerSecond = pick([nil, nil, 100_000_000, 5_000_000, 1_000_000, 200_000])
        options.delay = milliseconds(random.chance(0.3) ? 0...1 : 1...150)
        if isOn(.stalls), random.chance(0.5) {
            options.sendInterval = .milliseconds(30)
            options.stalling = random.unitInterval() * 0.3
        }
        options.recoveryTime = options.delay * 2 + .milliseconds(10)
        if isOn(.loss) { options.loss = random.unitInterval() * 0.3 }
        if isOn(.bursts) { options.lossBurstPackets = 3 }
        if isOn(.duplication) { options.duplication = random.unitInterval() * 0.2 }
        if isOn(.reordering) { options.reordering = random.unitInterval() * 0.2 }
        if isOn(.jitter) {
            options.jitter = milliseconds(1...70)
            options.jitterShape = pick(JitterShape.allCases)
            options.jitterReorders = random.chance(0.5)
        }
        if isOn(.clogs) { options.clogging = random.unitInterval() * 0.01 }
        if isOn(.capacity) {
            options.queuePackets = Int(random.uniform(in: 2...20))
            options.queueBytes = Int(random.uniform(in: 300...16_000))
        }
        if isOn(.corruption) { options.corruption = random.unitInterval() * 0.05 }
        if isOn(.truncation) { options.truncation = random.unitInterval() * 0.05 }
        return options
    }

    mutating func makeActs() {
        let count = random.uniform(in: 5...60)
        var acts: [Scenario.Act] = []
        var burstAt = moment()
        for _ in 0..<count {
            if random.chance(0.4) { burstAt = moment() }
            let at =
                random.chance(0.5)
                ? moment() : burstAt.advanced(by: milliseconds(0...200))
            acts.append(Scenario.Act(at: at, side: Int(random.uniform(in: 0...1)), makeAct()))
        }
        acts += makeKeyedActs()
        acts += makeMedicationActs()
        makeUrgent(&acts)
        scenario.acts = acts.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    mutating func makeAct() -> Scenario.Act.What {
        let isSlow = scenario.carrier.kind == .stream(.bytes)
        let draw = random.unitInterval()
        switch draw {
        case ..<0.38:
            return .send(.background, bytes: size(), expiresAfter: expiry())
        case ..<0.58:
            return .send(
                .context, bytes: size(), key: random.uniform(in: 1...4), expiresAfter: expiry())
        case ..<0.76:
            return .complication(
                key: random.uniform(in: 1...3), value: random.uniform(in: 1...6))
        case ..<0.87:
            return .message(bytes: size(), expectsReply: random.chance(0.5))
        case ..<0.91:
            return .send(.bulk, bytes: isSlow ? 900 : Int(random.uniform(in: 2_000...40_000)))
        case ..<0.98:
            return .cancel(back: Int(random.uniform(in: 0...3)))
        default:
            return .suspend(milliseconds(100...8_000))
        }
    }

    mutating func size() -> Int {
        let draw = random.unitInterval()
        if draw < 0.03 { return 0 }
        if draw < 0.9 { return Int(random.uniform(in: 8...220)) }
        return Int(random.uniform(in: 300...3_000))
    }

    mutating func expiry() -> Duration? {
        random.chance(0.12) ? milliseconds(50...30_000) : nil
    }

    mutating func side() -> Int { Int(random.uniform(in: 0...1)) }
}
