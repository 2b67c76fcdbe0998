import Simulation
import Testing

@Suite struct ShrinkerTests {
    @Test(arguments: [
        "", "acts=0-3,7;faults=1;calm=loss,jitter", "faults=", "acts=2", "calm=slowDisk",
    ])
    func a_cut_survives_its_text(text: String) throws {
        let cut = try #require(ScenarioCut(text))
        #expect(cut.description == text)
    }

    @Test(arguments: ["acts", "acts=x", "acts=3-1", "calm=rain", "acts=1-2-3", "speed=9"])
    func what_is_no_cut_is_refused(text: String) {
        #expect(ScenarioCut(text) == nil)
    }

    @Test func a_cut_keeps_what_it_names() throws {
        let whole = Scenario.generated(seed: 3)
        var cut = ScenarioCut()
        cut.acts = [1, 3]
        cut.faults = []
        cut.calm = FaultClass.allCases
        let part = whole.applying(cut)
        #expect(part.acts.map(\.at) == [whole.acts[1].at, whole.acts[3].at])
        #expect(part.faults.isEmpty)
        #expect(part.switches.isEmpty)
        #expect(part.linkConditions.allSatisfy { $0.loss == 0 && $0.duplication == 0 })
    }

    @Test func shrinking_finds_the_two_acts_that_matter() throws {
        let whole = Scenario.generated(seed: 4)
        try #require(whole.acts.count > 12)
        let wanted = [whole.acts[4].at, whole.acts[11].at]
        let cut = Shrinker().shrink(whole) { smaller in
            wanted.allSatisfy { at in smaller.acts.contains { $0.at == at } }
        }
        let left = try #require(cut)
        #expect(whole.applying(left).acts.map(\.at) == wanted)
        #expect(left.faults == [])
        #expect(whole.applying(left).switches.isEmpty || left.calm.count > 0)
    }

    @Test func what_does_not_fail_does_not_shrink() {
        #expect(Shrinker().shrink(Scenario.generated(seed: 4)) { _ in false } == nil)
    }
}
