import Testing

@testable import WatchProtoCore

@Suite("The ticket layer in random walks of two sides")
struct TicketWalkTests {
    @Test(
        "Every invariant holds over crashes, restores, wipes, clones, replays and crossings",
        arguments: [
            "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DREPLAYS=3 -DCROSSED=1",
            "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DREPLAYS=3 -DCROSSED=1 -DRESTORES=1 -DWIPES=2",
            "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DREPLAYS=3 -DCROSSED=1 -DRESTORES=2 -DWIPES=1",
            "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DREPLAYS=3 -DCROSSED=1 -DRESTORES=3",
            "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DREPLAYS=3 -DCROSSED=1 -DRESTORES=3 -DBACKS=3",
            "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DREPLAYS=3 -DCROSSED=1 -DWIPES=3",
            "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DRESTORES=1 -DSWAPS=3",
            "-DMAXS=6 -DMAXF=3 -DCRASHES=3 -DKEEP=0 -DRESTORES=3",
        ])
    func holds(_ flags: String) {
        for seed in UInt64(1)...100 {
            var walk = TicketWalk(TicketRules(flags), seed: seed)
            walk.run(atMost: 120)
            if let violation = walk.world.violation {
                Issue.record("seed \(seed): \(violation); \(walk.taken.joined(separator: " "))")
                return
            }
        }
    }
}
