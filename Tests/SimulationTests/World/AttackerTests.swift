import Simulation
import Testing
import WatchProtoCore
import WatchProtoSecurity

/// An attacker on the link sends packets, and these reach the peers.
@Suite struct AttackerTests {
    private static func result(
        _ kind: LinkKind, _ faults: [Scenario.Fault.What], mutant: Mutant? = nil
    ) throws -> WorldResult {
        let devices = try SimulatedPair(seed: 1)
        var scenario = Scenario(seed: 1)
        scenario.carrier.kind = kind
        for side in 0..<2 { scenario.linkConditions[side].kind = kind }
        for (step, fault) in faults.enumerated() {
            scenario.faults.append(Scenario.Fault(at: second(2 + step), fault))
        }
        for step in 0..<12 {
            scenario.acts.append(
                Scenario.Act(
                    at: second(1 + step), side: step % 2, .send(.background, bytes: 20)))
        }
        return World(scenario, mutant: mutant) { side, life in
            devices.security(of: side == 0 ? .phone : .watch, life: UInt64(life))
        }.run()
    }

    private static func second(_ count: Int) -> Instant {
        Instant(nanoseconds: UInt64(count) * 1_000_000_000)
    }

    @Test func a_forged_reset_is_counted_and_ends_nothing() throws {
        let faults: [Scenario.Fault.What] = [.forgedReset(side: 0), .forgedReset(side: 1)]
        let result = try Self.result(.lossyDatagram, faults)
        #expect(result.coverage[.resetForged] == 2)
        #expect(result.findings.isEmpty && result.isDrained)
        let planted = try Self.result(.lossyDatagram, faults, mutant: .connection(.anyReset))
        #expect(planted.findings.map(\.checker) == ["forged-reset"])
    }

    @Test(arguments: [LinkKind.stream(.whole), .reliableDatagram])
    func newcomers_are_refused_and_the_link_stays(_ kind: LinkKind) throws {
        let result = try Self.result(kind, [.newcomer, .oldMessage1(side: 0, back: 0)])
        #expect(result.coverage[.newcomerRefused] == 2)
        #expect(result.coverage[.activated] == 2)
        #expect(result.findings.isEmpty && result.isDrained)
    }

    @Test func records_cross_where_a_translator_changes_an_address() throws {
        let result = try Self.result(
            .lossyDatagram, [.newMapping(side: 0), .newMapping(side: 0)])
        #expect(result.coverage[.mappedAnew] == 2)
        #expect(result.findings.isEmpty && result.isDrained)
    }
}
