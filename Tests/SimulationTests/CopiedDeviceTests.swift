import Simulation
import Testing
import WatchProtoCore

/// Two devices of one backup, of which one at a time meets the counterpart.
@Suite struct CopiedDeviceTests {
    /// The changes that the phone's peer reported, in order.
    private static func changes(_ faults: [Scenario.Fault]) -> [CounterpartChange] {
        var scenario = Scenario(seed: 1)
        scenario.isWritten = true
        scenario.faults = faults
        for second in 0..<30 {
            for side in 0..<2 {
                scenario.acts.append(
                    Scenario.Act(
                        at: Self.second(second), side: side, .send(.background, bytes: 20)))
            }
        }
        scenario.healAt = Self.second(40)
        scenario.settleTime = .seconds(20)
        var changes: [CounterpartChange] = []
        let world = World(
            scenario,
            makeSecurity: { side, life in
                NullSecurity(
                    PeerLabel(
                        role: side == 0 ? .phone : .watch, pairing: SimulatedSecurity.pairing),
                    seed: UInt64(life * 2 + side))
            },
            observe: { observation, side, _ in
                guard side == 0, case .event(.counterpartChanged(let change)) = observation else {
                    return
                }
                changes.append(change)
            })
        _ = world.run()
        return changes
    }

    private static func second(_ count: Int) -> Instant {
        Instant(nanoseconds: UInt64(count) * 1_000_000_000 + 500_000_000)
    }

    private static let copied: [Scenario.Fault] = [
        Scenario.Fault(at: second(5), .backup(side: 1)),
        // The device goes on, and is heard to have written a ticket.
        Scenario.Fault(at: second(8), .crash(side: 1, downFor: .milliseconds(100))),
        // The other one does so, too.
        Scenario.Fault(at: second(12), .exchange(side: 1, downFor: .milliseconds(100))),
    ]

    @Test func the_device_that_returns_after_its_copy_was_heard_is_recognized() {
        let returns = Scenario.Fault(
            at: Self.second(20), .exchange(side: 1, downFor: .milliseconds(100)))
        let changes = Self.changes(Self.copied + [returns])
        #expect(changes.prefix(3) == [.first, .restarted, .wentBack])
        #expect(changes.dropFirst(3).first == .cloned)
    }

    @Test func one_device_that_goes_on_from_a_backup_has_gone_back() {
        let changes = Self.changes(Self.copied)
        #expect(changes == [.first, .restarted, .wentBack])
    }
}
