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
