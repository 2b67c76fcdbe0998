import WatchProtoCore

/// Acts that are drawn from streams of their own, and leave what a seed means otherwise as it is.
extension ScenarioMaker {
    /// Acts under idempotency keys, in half of the seeds.
    func makeKeyedActs() -> [Scenario.Act] {
        var maker = self
        maker.random = SeededGenerator(seed: scenario.seed ^ 0x6B65_7965_6461_6374)
        guard maker.random.chance(0.5) else { return [] }
        var acts: [Scenario.Act] = []
        for key in 1...maker.random.uniform(in: 1...8) {
            let side = maker.side()
            let at = maker.moment()
            let channel: Channel = maker.pick([.background, .background, .background, .interactive])
            acts.append(
                Scenario.Act(at: at, side: side, .once(channel, bytes: maker.size(), key: key)))
            for _ in 0..<maker.random.uniform(in: 0...2) {
                let wait = maker.milliseconds(maker.random.chance(0.5) ? 0...500 : 0...20_000)
                acts.append(Scenario.Act(at: at.advanced(by: wait), side: side, .again(key: key)))
            }
        }
        return acts
    }

    /// A scenario with the blocks of files: requests of a few bytes and blocks of up to 64 KiB,
    /// many at once, around faults and other acts. Their receiver allows fewer bytes than are sent.
    mutating func makeOfBlocks(isSealed: Bool) -> Scenario {
        var scenario =
            scenario.seed % 2 == 0 ? make(isSealed: isSealed) : makeDense(isSealed: isSealed)
        var maker = self
        maker.random = SeededGenerator(seed: scenario.seed ^ 0x626C_6F63_6B73_2121)
        let times =
            [Instant(nanoseconds: 1_000_000_000)] + scenario.faults.map(\.at)
            + scenario.acts.map(\.at)
        let isSlow = scenario.carrier.kind == .stream(.bytes)
        for _ in 0..<maker.random.uniform(in: 2...8) {
            // Up to a second before, so that a fault meets them.
            let time = maker.pick(times).nanoseconds
            var at = Instant(
                nanoseconds: time - min(time, maker.random.uniform(in: 0...1_000_000_000)))
            let wait: ClosedRange<UInt64> = maker.pick([0...1, 0...40, 0...400])
            let side = maker.side()
            for _ in 0..<maker.random.uniform(in: 1...(isSlow ? 4 : 40)) {
                at = at.advanced(by: maker.milliseconds(wait))
                let length = maker.pick([16, 16, 16, 300, 300, 4_000, 4_000, 20_000, 65_536])
                scenario.acts.append(
                    Scenario.Act(
                        at: at, side: side, .send(.block, bytes: isSlow ? 16 : length)))
            }
        }
        scenario.acts.sort { $0.at < $1.at }
        scenario.settleTime *= 4
        scenario.healAt = max(scenario.healAt, scenario.acts.last?.at ?? scenario.healAt)
        return scenario
    }

    /// Makes some durable records of half of the seeds urgent.
    func makeUrgent(_ acts: inout [Scenario.Act]) {
        var random = SeededGenerator(seed: scenario.seed ^ 0x7572_6765_6E74_2121)
        guard random.chance(0.5) else { return }
        for place in acts.indices {
            guard case .send(.background, let bytes, let key, let expiry) = acts[place].what,
                random.chance(0.3)
            else { continue }
            acts[place].what = .send(.urgent, bytes: bytes, key: key, expiresAfter: expiry)
        }
    }
}
