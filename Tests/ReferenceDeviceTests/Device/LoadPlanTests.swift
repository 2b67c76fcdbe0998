import ControlProtocol
import Testing

@testable import ReferenceDevice

@Suite struct LoadPlanTests {
    private func plan(_ fields: String) throws -> LoadPlan {
        let line = "{\"cmd\":\"load.start\",\(fields)}"
        return try LoadPlan(
            ControlRequest(line: Array(line.utf8)), kinds: ["message", "dose"], seed: 5)
    }

    @Test func the_moments_follow_from_the_plan_alone() throws {
        let mix = #"[{"kind":"dose","rate_per_s":100},{"kind":"message","rate_per_s":7.5}]"#
        let fields = "\"mix\":\(mix),\"duration_ms\":2000"
        for arrivals in ["constant", "poisson"] {
            let text = fields + ",\"arrivals\":\"\(arrivals)\""
            let first = Array(try plan(text + ",\"seed\":1").makeMoments())
            #expect(first == Array(try plan(text + ",\"seed\":1").makeMoments()))
            #expect(first != Array(try plan(text + ",\"seed\":2").makeMoments()))
            #expect(first.map(\.offsetNanoseconds) == first.map(\.offsetNanoseconds).sorted())
            #expect(first.allSatisfy { $0.offsetNanoseconds < 2_000_000_000 })
        }
    }

    @Test func a_constant_rate_is_met_exactly_and_a_random_one_on_average() throws {
        let fields = #""mix":[{"kind":"dose","rate_per_s":1000}],"duration_ms":10000"#
        let constant = Array(try plan(fields).makeMoments())
        #expect(constant.count == 10_000)
        let gaps = zip(constant, constant.dropFirst()).map { pair in
            pair.1.offsetNanoseconds - pair.0.offsetNanoseconds
        }
        #expect(gaps.allSatisfy { (999_999...1_000_001).contains($0) })
        let poisson = Array(try plan(fields + #","arrivals":"poisson""#).makeMoments())
        // Six standard deviations of a count with a mean of 10 000.
        #expect((9_400...10_600).contains(poisson.count))
        #expect(constant.map(\.sequence) == (0..<10_000).map { UInt64($0) })
    }

    @Test func the_warm_up_comes_first_and_is_marked() throws {
        let moments = Array(
            try plan(#""mix":[{"kind":"dose","rate_per_s":100}],"duration_ms":500,"warmup_ms":200"#)
                .makeMoments())
        #expect(moments.count == 50)
        #expect(moments.prefix(20).allSatisfy { $0.isWarmUp })
        #expect(moments.dropFirst(20).allSatisfy { !$0.isWarmUp })
    }
}
