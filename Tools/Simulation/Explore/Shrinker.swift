/// Shrinks a failing scenario: delta debugging (Zeller and Hildebrandt, 2002) over its acts, its
/// faults and its switches.
package struct Shrinker: Sendable {
    /// One thing that can be taken away.
    private enum Part: Equatable {
        case act(Int)
        case fault(Int)
        case on(FaultClass)
    }

    /// How many runs may be spent.
    package var runLimit = 400

    /// Makes a shrinker.
    package init() {}

    /// The smallest cut found under which `fails` still holds; nil when the whole does not fail.
    package func shrink(_ scenario: Scenario, fails: (Scenario) -> Bool) -> ScenarioCut? {
        var parts =
            scenario.calmable.map(Part.on) + scenario.faults.indices.map(Part.fault)
            + scenario.acts.indices.map(Part.act)
        var runs = 1
        guard fails(scenario) else { return nil }
        var pieces = 2
        while parts.count >= 1, runs < runLimit {
            let size = max(1, (parts.count + pieces - 1) / pieces)
            var isReduced = false
            var start = 0
            while start < parts.count, runs < runLimit {
                let end = min(parts.count, start + size)
                let rest = Array(parts[..<start] + parts[end...])
                runs += 1
                if fails(scenario.applying(cut(keeping: rest, of: scenario))) {
                    parts = rest
                    pieces = max(2, pieces - 1)
                    isReduced = true
                } else {
                    start = end
                }
            }
            if !isReduced {
                if size == 1 { break }
                pieces = min(parts.count, pieces * 2)
            }
        }
        return cut(keeping: parts, of: scenario)
    }

    private func cut(keeping parts: [Part], of scenario: Scenario) -> ScenarioCut {
        var cut = ScenarioCut()
        cut.acts = scenario.acts.indices.filter { parts.contains(.act($0)) }
        cut.faults = scenario.faults.indices.filter { parts.contains(.fault($0)) }
        cut.calm = scenario.calmable.filter { !parts.contains(.on($0)) }
        return cut
    }
}
