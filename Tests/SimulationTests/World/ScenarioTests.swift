import Simulation
import Testing

@Suite struct ScenarioTests {
    @Test func a_seed_is_a_scenario() {
        #expect(Scenario.generated(seed: 9).summary == Scenario.generated(seed: 9).summary)
        #expect(Scenario.generated(seed: 9).summary != Scenario.generated(seed: 10).summary)
    }

    @Test func acts_and_faults_are_in_the_order_of_time() {
        for seed in UInt64(1)...50 {
            let scenario = Scenario.generated(seed: seed)
            #expect(zip(scenario.acts, scenario.acts.dropFirst()).allSatisfy { $0.at <= $1.at })
            #expect(scenario.faults.allSatisfy { $0.at <= scenario.healAt })
        }
    }

    @Test func each_fault_class_is_on_in_about_half_of_the_seeds() {
        let classes = FaultClass.allCases.filter { !$0.isOfAttackers }
        var counts = [Int](repeating: 0, count: classes.count)
        for seed in UInt64(1)...400 {
            let switches = Scenario.generated(seed: seed, isSealed: true).switches
            for (slot, fault) in classes.enumerated() where switches.contains(fault) {
                counts[slot] += 1
            }
        }
        // Six standard deviations of a fair coin thrown 400 times.
        #expect(counts.allSatisfy { (140...260).contains($0) })
    }

    /// A seed means the same with and without a seal, but for what only a seal can tell.
    @Test func packets_are_replayed_and_forged_only_where_sessions_are_sealed() {
        func attack(_ fault: Scenario.Fault) -> Int? {
            switch fault.what {
            case .replay: 0
            case .oldMessage1: 1
            case .forgedReset: 2
            case .newcomer: 3
            case .newMapping: 4
            default: nil
            }
        }
        func isAttack(_ fault: Scenario.Fault) -> Bool { attack(fault) != nil }
        var (attacks, calls) = ([0, 0, 0, 0, 0], 0)
        for seed in UInt64(1)...50 {
            let (clear, sealed) = (
                Scenario.generated(seed: seed), Scenario.generated(seed: seed, isSealed: true)
            )
            #expect(!clear.faults.contains(where: isAttack))
            #expect(clear.faults.map(\.at) == sealed.faults.filter { !isAttack($0) }.map(\.at))
            #expect(zip(sealed.faults, sealed.faults.dropFirst()).allSatisfy { $0.at <= $1.at })
            // Behind the last act somebody calls whose address was changed on the way.
            let further = sealed.acts.dropFirst(clear.acts.count)
            #expect(sealed.acts.map(\.at).starts(with: clear.acts.map(\.at)))
            #expect(further.count <= 1 && further.allSatisfy { $0.at > sealed.healAt })
            calls += further.count
            for place in sealed.faults.compactMap(attack) { attacks[place] += 1 }
        }
        #expect(attacks.allSatisfy { $0 > 5 } && calls > 3, "\(attacks), \(calls)")
    }

    /// A restore of a disk without a backup is a crash.
    @Test func most_disks_are_backed_up_before_they_are_restored() {
        var (restores, crashes) = (0, 0)
        for seed in UInt64(1)...100 {
            var backedUp = [false, false]
            for fault in Scenario.generated(seed: seed).faults {
                if case .backup(let side) = fault.what { backedUp[side] = true }
                if case .restore(let side, _) = fault.what {
                    if backedUp[side] { restores += 1 } else { crashes += 1 }
                }
            }
        }
        #expect(restores > 20 && restores > crashes)
    }
}
