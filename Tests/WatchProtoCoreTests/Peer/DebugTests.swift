import Testing
@testable import WatchProtoCore
@Suite struct DebugTests {
    @Test func find() throws {
        for faults in [0, 1, 3] {
            for seed in UInt64(1)...20 {
                let f = PeerWalk(seed: seed, faults: PeerWalk.Faults(rawValue: faults)).run(debug: true)
                if !f.isEmpty { print("== faults \(faults) seed \(seed): \(f)") }
            }
        }
    }
}
