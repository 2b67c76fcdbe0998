import Testing

@testable import WatchProtoCore

/// Random walks in the world of Models/latest.h: what holds there holds here, and each planted
/// mistake is seen.
@Suite struct LatestWalkTests {
    #if DEBUG
        static let seeds: UInt64 = 20
        static let patience: UInt64 = 2000
    #else
        static let seeds: UInt64 = 1000
        static let patience: UInt64 = 10_000
    #endif

    static let plans: [ValueWalk.Plan] = [
        ValueWalk.Plan(keys: 1, removes: false, restores: 0),
        ValueWalk.Plan(keys: 1, removes: false),
        ValueWalk.Plan(keys: 2, removes: true),
        ValueWalk.Plan(keys: 1, removes: true, wipes: 3),
        ValueWalk.Plan(keys: 2, removes: true, wipes: 3, faults: 1000),
        ValueWalk.Plan(keys: 3, removes: true, restores: 1, wipes: 2, travelsEarly: false),
        ValueWalk.Plan(keys: 1, restores: 1, quiet: 12, faults: 250),
        ValueWalk.Plan(keys: 2, restores: 0, wipes: 3, quiet: 12, faults: 250),
        ValueWalk.Plan(keys: 1, restores: 3, quiet: 12, faults: 250),
        ValueWalk.Plan(keys: 2, restores: 3, wipes: 3, quiet: 6),
    ]

    /// Shows L-1, L-3, L-11, L-12, L-15.
    @Test("I4, I5 and one write a version hold in random walks (L-1 to L-19)")
    func walks() throws {
        var met = ValueWalk.Met()
        for (index, plan) in Self.plans.enumerated() {
            for seed in 0..<Self.seeds {
                var plan = plan
                if seed & 1 == 1 { plan.rangeKeys = 0 }
                var walk = ValueWalk(seed: seed &* 64 + UInt64(index), plan: plan)
                do { try walk.run(steps: 400) } catch {
                    Issue.record("plan \(index), seed \(seed): \(error)")
                    return
                }
                met.add(walk.met)
            }
        }
        #expect(met.mended > 0 && met.adopted > 0 && met.conflicts > 0 && met.watermarks > 0)
        #expect(met.early > 0 && met.delivered > 0 && met.ownConclusions > 0)
    }

    /// The mistakes that walks see, each with the plan that meets it soonest. `LatestHistoryTests`
    /// show four more and `LatestWatermarkTests` three. `CoreMutantTests` catch the other two,
    /// `forgetAnnounced` and `noReannounce`.
    static let mistakes: [(String, LatestMutants, Int)] = [
        ("noTopCheck", .noTopCheck, 7), ("noMend", .noMend, 7), ("mendAll", .mendAll, 6),
        ("adoptUnjudged", .adoptUnjudged, 7),
        ("knowByValue", [.knowByValue, .takeUnknown], 3), ("knowEarly", .knowEarly, 7),
        ("takeUnknown", .takeUnknown, 9), ("presentDurable", .presentDurable, 7),
        ("coverAny", .coverAny, 7), ("coverNoEnd", .coverNoEnd, 5),
    ]

    @Test("Each planted mistake is seen by a walk", arguments: mistakes)
    func mutants(name: String, mutants: LatestMutants, plan: Int) throws {
        #expect(Self.finds(plan) { $0 = ValueWalk(seed: $1, plan: $2, mutants: mutants) } != nil)
    }

    @Test("A sender that does not announce its epochs anew is seen by a walk")
    func epochs() throws {
        let found = Self.finds(1) { walk, seed, plan in
            walk = ValueWalk(seed: seed, plan: plan)
            walk.pair.reannounces = false
        }
        #expect(found != nil)
    }

    /// The number of walks until one sees a rule broken; nil if none does.
    static func finds(
        _ plan: Int, _ make: (inout ValueWalk, UInt64, ValueWalk.Plan) -> Void
    ) -> UInt64? {
        for round in 0..<patience {
            let seed = round * UInt64(plans.count) + UInt64(plan)
            var walk = ValueWalk(seed: seed, plan: plans[plan])
            make(&walk, seed, plans[plan])
            do { try walk.run(steps: 300) } catch { return round + 1 }
        }
        return nil
    }
}
