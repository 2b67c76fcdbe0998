import Testing

@testable import WatchProtoCore

/// Random walks in the world of Models/latest.h: what holds there holds here, and each planted
/// mistake is seen.
@Suite struct LatestWalkTests {
    #if DEBUG
        static let seeds: UInt64 = 60
        static let patience: UInt64 = 3000
    #else
        static let seeds: UInt64 = 1000
        static let patience: UInt64 = 60_000
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

    @Test("I4, I5 and one write a version hold in random walks (L-1 to L-19)")
    func walks() throws {
        var met = ValueWalk.Met()
        for (index, plan) in Self.plans.enumerated() {
            for seed in 0..<Self.seeds {
                var walk = ValueWalk(seed: seed &* 64 + UInt64(index), plan: plan)
                do { try walk.run(steps: 400) } catch {
                    Issue.record("plan \(index), seed \(seed): \(error)")
                    return
                }
                met.add(walk.met)
            }
        }
        #expect(met.mended > 0 && met.adopted > 0 && met.conflicts > 0 && met.floors > 0)
        #expect(met.early > 0 && met.delivered > 0 && met.ownConclusions > 0)
    }

    /// The mistakes that walks see.
    static let mistakes: [(String, LatestMutants)] = [
        ("noReservation", .noReservation), ("noTopCheck", .noTopCheck), ("noMend", .noMend),
        ("mendAll", .mendAll), ("adoptUnreserved", .adoptUnreserved),
        ("adoptUnjudged", .adoptUnjudged), ("knowByValue", [.knowByValue, .takeUnknown]),
        ("knowEarly", .knowEarly), ("takeUnknown", .takeUnknown), ("tellDirty", .tellDirty),
        ("presentDurable", .presentDurable), ("coverAny", .coverAny),
        ("coverNoEnd", .coverNoEnd), ("coverUnknown", .coverUnknown), ("noFloor", .noFloor),
        ("floorUnmatched", .floorUnmatched), ("floorNotTop", .floorNotTop),
        ("floorBeforeKnown", .floorBeforeKnown),
    ]

    @Test("Each planted mistake is seen by a walk", arguments: mistakes)
    func mutants(name: String, mutants: LatestMutants) throws {
        #expect(Self.finds { $0 = ValueWalk(seed: $1, plan: $2, mutants: mutants) } != nil)
    }

    @Test("A sender that does not announce its epochs anew is seen by a walk")
    func epochs() throws {
        let found = Self.finds { walk, seed, plan in
            walk = ValueWalk(seed: seed, plan: plan)
            walk.pair.reannounces = false
        }
        #expect(found != nil)
    }

    /// The number of walks until one sees a rule broken; nil if none does.
    static func finds(_ make: (inout ValueWalk, UInt64, ValueWalk.Plan) -> Void) -> UInt64? {
        for seed in 0..<patience {
            let plan = plans[Int(seed % UInt64(plans.count))]
            var walk = ValueWalk(seed: seed, plan: plan)
            make(&walk, seed, plan)
            do { try walk.run(steps: 300) } catch {
                print("mistake seen by walk \(seed + 1): \(error)")
                return seed + 1
            }
        }
        return nil
    }
}
