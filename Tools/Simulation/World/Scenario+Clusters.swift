import WatchProtoCore

/// Draws faults that follow one another closely, as a handshake's steps do: a fault in the middle
/// of a handshake, or right behind it, is rare by chance. Each is drawn from a stream of its own.
extension ScenarioMaker {
    /// In half of the seeds one to three clusters of faults, of classes that are on.
    mutating func makeClusters() {
        var maker = self
        maker.random = SeededGenerator(seed: scenario.seed ^ 0x636C_7573_7465_7273)
        guard maker.random.chance(0.5) else { return }
        for _ in 0..<maker.random.uniform(in: 1...3) {
            var at = maker.moment()
            // Mostly one side suffers, and its packets are lost.
            let suffering = maker.side()
            for _ in 0..<maker.random.uniform(in: 2...6) {
                let side = maker.random.chance(0.75) ? suffering : 1 - suffering
                if let fault = maker.makeCloseFault(side) {
                    scenario.faults.append(Scenario.Fault(at: at, fault))
                }
                at = at.advanced(by: maker.closeWait())
            }
        }
        scenario.sortFaults()
    }

    /// From 0.1 ms to 3 s, each order of magnitude as often as another.
    mutating func closeWait() -> Duration {
        var longest: UInt64 = 300
        for _ in 0..<random.uniform(in: 0...4) { longest *= 10 }
        return .microseconds(Int64(random.uniform(in: 100...min(longest, 3_000_000))))
    }

    private mutating func makeCloseFault(_ side: Int) -> Scenario.Fault.What? {
        switch random.unitInterval() {
        case ..<0.3: isOn(.crashes) ? .crash(side: side, downFor: milliseconds(1...60)) : nil
        case ..<0.5: isOn(.cuts) ? .cut : nil
        case ..<0.6:
            isOn(.storageCrashes)
                ? .storageCrash(
                    side: side, pick(StorageMoment.allCases),
                    afterCalls: Int(random.uniform(in: 0...3))) : nil
        case ..<0.7: isOn(.pauses) ? .pause(side: side, milliseconds(5...800)) : nil
        case ..<0.8: isOn(.restores) ? .backup(side: side) : nil
        case ..<0.95: isOn(.restores) ? .restore(side: side, downFor: milliseconds(1...60)) : nil
        default: isOn(.wipes) ? .wipe(side: side, downFor: milliseconds(1...60)) : nil
        }
    }

    /// In one of four seeds each, attackers: drawn from a stream of its own.
    mutating func makeAttackers() {
        var maker = self
        maker.random = SeededGenerator(seed: scenario.seed ^ 0x7374_7261_6E67_6572)
        let translated = 1 - scenario.carrier.listener
        for kind in FaultClass.allCases where kind.isOfAttackers && maker.random.chance(0.25) {
            scenario.switches.append(kind)
            for _ in 0..<maker.random.uniform(in: 1...4) {
                let what: Scenario.Fault.What =
                    switch kind {
                    case .oldMessages1:
                        .oldMessage1(
                            side: maker.side(), back: Int(maker.random.uniform(in: 0...3)))
                    case .forgedResets: .forgedReset(side: maker.side())
                    case .newcomers: .newcomer
                    default: .newMapping(side: translated)
                    }
                scenario.faults.append(Scenario.Fault(at: maker.moment(), what))
            }
        }
        scenario.sortFaults()
        callAfterTranslations()
    }

    /// Nobody finds a side whose address was changed on the way, until it sends something.
    mutating func callAfterTranslations() {
        let isTranslated = scenario.faults.contains {
            if case .newMapping = $0.what { true } else { false }
        }
        guard isTranslated else { return }
        scenario.acts.append(
            Scenario.Act(
                at: scenario.healAt.advanced(by: .seconds(1)), side: 1 - scenario.carrier.listener,
                .send(.background, bytes: 8)))
    }

    /// In one of 16 seeds a device and a copy of it take turns, and nobody else loses anything: a
    /// restored device cannot be told from a copy.
    mutating func makeCopies() {
        var maker = self
        maker.random = SeededGenerator(seed: scenario.seed ^ 0x636F_7069_6573_6F66)
        guard maker.random.chance(1 / 16) else { return }
        scenario.faults.removeAll {
            switch $0.what {
            case .wipe, .backup, .restore: true
            default: false
            }
        }
        let side = maker.side()
        let count = Int(maker.random.uniform(in: 3...7))
        let moments = (0..<count).map { _ in maker.moment() }.sorted()
        scenario.faults.append(Scenario.Fault(at: moments[0], .backup(side: side)))
        for (place, moment) in moments.enumerated().dropFirst() {
            let downFor = maker.milliseconds(1...500)
            scenario.faults.append(
                Scenario.Fault(
                    at: moment,
                    place == 1
                        ? .crash(side: side, downFor: downFor)
                        : .exchange(side: side, downFor: downFor)))
        }
        scenario.sortFaults()
    }
}
