import NetworkEmulation
import Testing
import WatchProtoCore

@testable import Scenarios

/// A scenario that ends with a link on which nothing passes is told of.
@Suite struct LinkLeftDownTests {
    private func closure(_ acts: [ScenarioStep.Act]) -> String? {
        var plan = ScenarioPlan(name: "trip", title: "A trip", why: "To see.")
        for (entry, act) in acts.enumerated() {
            plan.steps.append(ScenarioStep(.seconds(entry), act, entry: entry))
        }
        return plan.lastClosure
    }

    @Test func a_link_left_down_is_found() throws {
        let offline = try NetworkConditions.named("offline")
        let edge = try NetworkConditions.named("edge")
        #expect(closure([]) == nil && closure([.linkDown(true), .linkDown(false)]) == nil)
        #expect(closure([.linkDown(true), .take(1)]) == "the last step about it takes it down")
        #expect(closure([.link(edge)]) == nil && closure([.link(offline), .link(edge)]) == nil)
        #expect(closure([.link(edge), .link(offline)]) == "'offline' carries nothing")
    }
}
