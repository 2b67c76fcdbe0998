import Simulation
import Testing

/// The share of the search for broken rules of doses that every change goes through.
@Suite struct DoseSimulationTests {
    @Test func three_devices_keep_every_promise_about_doses() async {
        var campaign = DoseCampaign()
        await campaign.add(1...400, workers: 2)
        for failure in campaign.failures {
            Issue.record("seed \(failure.seed): \(failure.finding)")
        }
        // The runs have doses to lose.
        #expect(campaign.events > 3_000)
    }

    /// The checker once held a check to events that the other device had after its answer.
    @Test func a_call_does_not_add_to_the_events_of_a_check() {
        #expect(DoseSimulation(seed: 33_610).run().finding == nil)
    }

    @Test func a_seed_gives_the_same_run_again() async {
        let runs = (1...20).map { DoseSimulation(seed: $0).run() }
        for (seed, run) in zip(UInt64(1)..., runs) {
            #expect(DoseSimulation(seed: seed).run().digest == run.digest)
        }
        #expect(Set(runs.map(\.digest)).count == runs.count)
    }

    @Test(arguments: DoseMutant.allCases)
    func a_planted_bug_is_caught_within_1_000_seeds(_ mutant: DoseMutant) {
        let caught = DoseCampaign.hunt(mutant, 1...1_000)
        #expect(caught != nil)
    }
}
