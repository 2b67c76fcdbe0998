import WatchProtoCore

/// Draws what the applications do with their medications.
extension ScenarioMaker {
    /// Medications that change step by step, are removed and synchronized, in half of the seeds;
    /// drawn from a stream of its own, so that what a seed means otherwise stays.
    mutating func makeMedicationActs() -> [Scenario.Act] {
        var maker = self
        maker.random = SeededGenerator(seed: scenario.seed ^ 0x6D65_6469_6369_6E65)
        guard maker.random.chance(0.5) else { return [] }
        for side in 0..<2 {
            scenario.synchronizesAtStart[side] = maker.random.chance(0.3)
        }
        // Mostly it is the phone that has them.
        let isShared = maker.random.chance(0.3)
        let keeper = maker.random.chance(0.8) ? 0 : 1
        var acts: [Scenario.Act] = []
        var burstAt = maker.moment()
        for _ in 0..<maker.random.uniform(in: 4...24) {
            if maker.random.chance(0.4) { burstAt = maker.moment() }
            let at =
                maker.random.chance(0.5)
                ? maker.moment() : burstAt.advanced(by: maker.milliseconds(0...300))
            let side = isShared ? maker.side() : keeper
            acts.append(Scenario.Act(at: at, side: side, maker.makeMedicationAct()))
        }
        return acts
    }

    private mutating func makeMedicationAct() -> Scenario.Act.What {
        let number = random.uniform(in: 1...Medicines.count)
        switch random.unitInterval() {
        case ..<0.6: return .medication(number: number, change: random.uniform(in: 0...255))
        case ..<0.76: return .remove(number: number)
        case ..<0.8: return .synchronize(numbers: [], changed: 0)
        default:
            let numbers = (1...Medicines.count).filter { _ in random.chance(0.7) }
            return .synchronize(numbers: numbers, changed: random.uniform(in: 0...255))
        }
    }
}
