import Simulation
import Testing
import WatchProtoCore
import WatchProtoSecurity

/// A sealed world in which somebody sends again much of what was sent.
@Suite struct ReplayedWorldTests {
    private func at(_ seconds: UInt64) -> Instant {
        Instant(nanoseconds: seconds * 1_000_000_000)
    }

    /// Two sessions on a quiet line, records in both, and then much of both again, and once more.
    private func replayed(_ mutant: Mutant? = nil) throws -> WorldResult {
        var scenario = Scenario(seed: 11)
        scenario.carrier.kind = .lossyDatagram
        for second in 1...8 as ClosedRange<UInt64> {
            scenario.acts.append(
                Scenario.Act(at: at(second), side: Int(second % 2), .send(.background, bytes: 60)))
            scenario.acts.append(
                Scenario.Act(at: at(second), side: 0, .message(bytes: 20, expectsReply: false)))
        }
        scenario.faults = [Scenario.Fault(at: at(5), .cut)]
        for second in [4, 9, 10] as [UInt64] {
            for side in 0..<2 {
                scenario.faults.append(
                    Scenario.Fault(at: at(second), .replay(side: side, packets: 60)))
            }
        }
        scenario.healAt = at(11)
        return try run(scenario, mutant)
    }

    private func run(
        _ scenario: Scenario, _ mutant: Mutant? = nil, sameKeys: Bool = false
    ) throws -> WorldResult {
        let devices = try SimulatedPair(seed: 5)
        let world = World(
            scenario, mutant: mutant,
            makeSecurity: { side, life in
                devices.security(
                    of: side == 0 ? .phone : .watch, life: sameKeys ? 1 : UInt64(life))
            })
        return world.run()
    }

    @Test func what_is_sent_again_counts_once() throws {
        let result = try replayed()
        #expect(result.findings == [] && result.coverage[.replayed] == 6)
    }

    @Test func an_ephemeral_key_that_comes_again_is_found() throws {
        let found = try replayed(.environment(.nonceReset)).findings
        #expect(found.map(\.checker) == ["nonce"])
    }

    /// Two processes that draw the same ephemeral keys, on both sides, use each key twice.
    @Test func keys_of_two_processes_that_are_alike_are_found() throws {
        var scenario = Scenario(seed: 5)
        scenario.faults = (0..<2).map {
            Scenario.Fault(at: at(2), .crash(side: $0, downFor: .milliseconds(100)))
        }
        #expect(try run(scenario).findings == [])
        #expect(try run(scenario, sameKeys: true).findings.map(\.checker).contains("nonce"))
    }
}
