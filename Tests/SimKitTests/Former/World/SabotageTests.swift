import SimKit
import Testing
import WatchProto
import WatchSecurity

/// Each planted mistake is noticed, by the checker that is there for it and by no other.
@Suite struct SabotageTests {
    /// A calm link and a little of everything: neighbours in an ordered lane, three states of one
    /// complication well apart, a value of a key.
    private var scenario: Scenario {
        var scenario = Scenario(seed: 7)
        func act(_ milliseconds: UInt64, _ what: Scenario.Act.What) {
            let at = Instant(nanoseconds: milliseconds * 1_000_000)
            scenario.acts.append(Scenario.Act(at: at, side: 0, what))
        }
        act(300, .send(.background, bytes: 40))
        act(400, .complication(key: 1, value: 1))
        act(500, .send(.context, bytes: 40, key: 1))
        // Accepted while there is no link, so that both arrive in one packet.
        act(550, .suspend(.milliseconds(300)))
        act(600, .send(.background, bytes: 40))
        act(600, .send(.background, bytes: 40))
        act(2_000, .complication(key: 1, value: 2))
        act(4_000, .complication(key: 1, value: 3))
        act(4_100, .complication(key: 1, value: 4))
        // A dose taken, twice, and then none is left.
        act(4_200, .medication(number: 1, change: 8))
        act(4_250, .medication(number: 1, change: 8))
        act(4_300, .medication(number: 1, change: 8))
        act(4_350, .medication(number: 1, change: 8))
        act(4_400, .medication(number: 2, change: 8))
        act(4_450, .remove(number: 2))
        act(4_500, .once(.background, bytes: 40, key: 1))
        act(5_000, .send(.background, bytes: 40))
        act(5_200, .again(key: 1))
        act(6_000, .suspend(.seconds(3)))
        act(6_100, .send(.context, bytes: 40, key: 2))
        act(10_000, .send(.background, bytes: 40))
        act(10_200, .send(.background, bytes: 40))
        scenario.acts[scenario.acts.count - 1].waitsForCommit = true
        scenario.overdueAge = .seconds(1)
        scenario.healAt = Instant(nanoseconds: 11_000_000_000)
        scenario.settleTime = .seconds(60)
        return scenario
    }

    private func found(_ sabotage: [Sabotage]) -> [Finding] {
        World(scenario, sabotage: sabotage, makeSecurity: { _, _ in Unsealed() }).run().findings
    }

    private func foundSealed(_ sabotage: [Sabotage]) throws -> [Finding] {
        let devices = try SimulatedPair(seed: 7)
        let world = World(
            scenario, sabotage: sabotage,
            makeSecurity: { side, life in
                devices.security(of: side == 0 ? .phone : .watch, life: UInt64(life))
            })
        return world.run().findings
    }

    @Test func without_sabotage_all_checkers_are_silent() throws {
        #expect(found([]) == [])
        #expect(try foundSealed([]) == [])
    }

    @Test(arguments: Sabotage.allCases)
    func a_planted_mistake_is_found_by_its_checker(sabotage: Sabotage) throws {
        let isOfSeals = [.sealAgain, .openAgain, .sendReadable, .takeUnopened].contains(sabotage)
        let found = isOfSeals ? try foundSealed([sabotage]) : found([sabotage])
        #expect(found.map(\.checker) == [sabotage.checker])
    }

    @Test func every_checker_has_a_mistake_to_notice() {
        let noticed = Sabotage.allCases.map(\.checker)
        for name in CheckerPanel.names { #expect(noticed.contains(name), "\(name)") }
    }
}
