import RigKit
import SimKit
import Testing
import WatchProto
import WatchSecurity

@testable import FloorKit

@Suite struct FloorBenchTests {
    static let bench: FloorBench<PairedSecurity> = {
        guard let devices = try? SimulatedPair(seed: 1) else { preconditionFailure("no memory") }
        return FloorBench { role, life in devices.security(of: role, life: life) }
    }()

    @Test func lossesAreMet() async {
        let settings = FloorSettings(LinkProfile.named("3g")!)
        let samples = await Self.bench.run(.complication, settings, trials: 2000, jobs: 2)
        let late = zip(samples.ours, samples.ideal).count { $0 > $1 }
        print("late", late, samples.ours.filter { $0 > 160_000_000 }.count)
        #expect((20...60).contains(late))
    }
}
