import Locks
import WatchProtoCore

/// Many runs of the simulation of doses, one per seed.
package struct DoseCampaign: Sendable {
    /// A seed whose run broke a promise.
    package struct Failure: Sendable {
        package var seed: UInt64
        package var finding: DoseFinding
    }

    /// The number of runs so far.
    package private(set) var seedsDone: UInt64 = 0
    /// A fingerprint of all runs, in the order of their seeds.
    package private(set) var digest: UInt64 = 0
    /// The steps of all runs.
    package private(set) var steps = 0
    /// The events in the ledgers of all runs.
    package private(set) var events = 0
    /// The seeds that failed.
    package private(set) var failures: [Failure] = []

    /// Makes the campaign without any run.
    package init() {}

    /// Adds the runs of `seeds`, on `workers` threads.
    package mutating func add(
        _ seeds: ClosedRange<UInt64>, mutant: DoseMutant? = nil, workers: Int = 1
    ) async {
        let runs = await Self.runs(seeds, mutant, workers)
        for (seed, run) in zip(seeds, runs) {
            seedsDone += 1
            digest = ContentHash.continued(digest, with: run.digest)
            steps += run.steps
            events += run.events
            if let finding = run.finding {
                failures.append(Failure(seed: seed, finding: finding))
            }
        }
    }

    private static func runs(
        _ seeds: ClosedRange<UInt64>, _ mutant: DoseMutant?, _ workers: Int
    ) async -> [DoseRun] {
        let count = UInt64(max(1, workers))
        return await withTaskGroup(of: [(UInt64, DoseRun)].self) { group in
            for worker in 0..<count {
                group.addTask {
                    seeds.filter { $0 % count == worker }.map { seed in
                        (seed, DoseSimulation(seed: seed, mutant: mutant).run())
                    }
                }
            }
            var runs: [(UInt64, DoseRun)] = []
            for await part in group { runs += part }
            return runs.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// The first of `seeds` whose run breaks a promise with a planted bug.
    package static func hunt(
        _ mutant: DoseMutant, _ seeds: ClosedRange<UInt64>
    ) -> Failure? {
        for seed in seeds {
            if let finding = DoseSimulation(seed: seed, mutant: mutant).run().finding {
                return Failure(seed: seed, finding: finding)
            }
        }
        return nil
    }
}
