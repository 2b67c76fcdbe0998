import SimKit
import Testing
import WatchProto
import WatchSecurity

@Suite struct WorldTests {
    private func run(_ scenario: Scenario, trace: ((String) -> Void)? = nil) -> WorldResult {
        World(scenario, makeSecurity: { _, _ in Unsealed() }, trace: trace).run()
    }

    private func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func a_calm_world_settles_everything() {
        var scenario = Scenario(seed: 3)
        scenario.acts = [
            Scenario.Act(at: at(200), side: 0, .send(.background, bytes: 100)),
            Scenario.Act(at: at(300), side: 1, .send(.context, bytes: 100, key: 1)),
            Scenario.Act(at: at(400), side: 0, .complication(key: 1, value: 2)),
            Scenario.Act(at: at(500), side: 1, .message(bytes: 30, expectsReply: true)),
            Scenario.Act(at: at(600), side: 0, .send(.bulk, bytes: 300_000)),
        ]
        let result = run(scenario)
        #expect(result.findings == [])
        #expect(result.isDrained)
        #expect(result.coverage[.activated] == 2)
        #expect(result.coverage[.replied] == 1)
        #expect(result.coverage[.bulkDelivered] == 1)
    }

    @Test(arguments: [
        LinkKind.stream(.bytes), .stream(.random(largestBytes: 9)),
        .stream(.coalesced(window: .milliseconds(5))), .reliableDatagram, .lossyDatagram,
    ])
    func every_carrier_carries(kind: LinkKind) {
        var scenario = Scenario(seed: 4)
        scenario.carrier.kind = kind
        scenario.carrier.largestDatagramBytes = 244
        scenario.acts = [
            Scenario.Act(at: at(200), side: 0, .send(.background, bytes: 3_000)),
            Scenario.Act(at: at(300), side: 1, .complication(key: 1, value: 2)),
        ]
        let result = run(scenario)
        #expect(result.findings == [])
        #expect(result.isDrained)
    }

    @Test(arguments: LinkProfile.all.filter { $0.name != "offline" }.map(\.name))
    func every_profile_carries(name: String) throws {
        let profile = try #require(LinkProfile.named(name))
        for kind in [LinkKind.lossyDatagram, .stream(.whole)] {
            var scenario = Scenario(seed: 5)
            scenario.carrier.kind = kind
            scenario.carrier.largestDatagramBytes = 1_200
            scenario.weather = [profile.options(kind), profile.options(kind, reading: .oneWay)]
            scenario.acts = (0..<10).map {
                Scenario.Act(at: at(UInt64($0) * 200), side: $0 % 2, .send(.background, bytes: 90))
            }
            let result = run(scenario)
            #expect(result.findings == [], "\(name)")
            #expect(result.isDrained, "\(name)")
        }
    }

    @Test func an_accepted_record_survives_a_crash_once_it_was_promised() {
        var scenario = Scenario(seed: 6)
        scenario.acts = [
            Scenario.Act(at: at(500), side: 0, .send(.background, bytes: 100))
        ]
        scenario.faults = [
            Scenario.Fault(at: at(400), .partition(side: nil, .seconds(4))),
            Scenario.Fault(at: at(600), .crash(side: 0, downFor: .milliseconds(100))),
        ]
        var lines: [String] = []
        let result = run(scenario) { lines.append($0) }
        #expect(result.findings == [])
        #expect(result.isDrained)
        #expect(lines.contains { $0.contains("crash") })
        #expect(lines.last { $0.contains("deliver") } != nil)
    }

    @Test func a_dead_direction_is_noticed_without_a_busy_loop() {
        for kind in [LinkKind.lossyDatagram, .stream(.whole)] {
            for side in 0..<2 {
                var scenario = Scenario(seed: 8)
                scenario.carrier.kind = kind
                scenario.carrier.largestDatagramBytes = 1_200
                scenario.deadDirection = (side, at(1_000))
                scenario.acts = [
                    Scenario.Act(at: at(2_000), side: 0, .send(.background, bytes: 100)),
                    Scenario.Act(at: at(2_000), side: 1, .send(.background, bytes: 100)),
                ]
                let result = run(scenario)
                #expect(result.findings == [])
                #expect(!result.isDrained)
            }
        }
    }

    /// `rig explore` runs thousands; these few are the smoke test of every change.
    @Test(arguments: UInt64(1)...10)
    func the_first_seeds_keep_every_promise(seed: UInt64) {
        #expect(run(Scenario.generated(seed: seed)).findings == [])
    }

    // MARK: Determinism

    /// The digests of some worlds, folded.
    static func foldedDigest() -> UInt64 {
        var folded: UInt64 = 0
        for seed in UInt64(1)...12 {
            let world = World(Scenario.generated(seed: seed), makeSecurity: { _, _ in Unsealed() })
            folded = ContentHash.continued(folded, with: world.run().digest)
        }
        return folded
    }

    @Test func the_same_seed_gives_the_same_digest_with_and_without_a_trace() {
        for seed in UInt64(1)...12 {
            let scenario = Scenario.generated(seed: seed)
            var lines = 0
            let traced = run(scenario) { _ in lines += 1 }
            #expect(traced.digest == run(scenario).digest)
            #expect(lines == traced.eventCount)
        }
        let one = run(Scenario.generated(seed: 1)).digest
        #expect(one != run(Scenario.generated(seed: 2)).digest)
    }

    /// The counterpart refuses the later value before it has told what it holds; then the set that
    /// waited counts again, and is the sender's own.
    @Test func a_set_that_waited_may_count_again() throws {
        let explorer = Explorer<Unsealed> { _, _ in Unsealed() }
        let cut = try #require(ScenarioCut("acts=2,18-20;faults=0,7,9;calm=bursts,reordering"))
        var deliveries: [String] = []
        let result = explorer.replay(seed: 66236, cut: cut) { line in
            if line.contains("phone  deliver") { deliveries.append(line) }
        }
        #expect(result.findings == [])
        #expect(deliveries.contains { $0.contains("rejected") })
    }

    /// Hash seeds differ between processes; a world must not notice.
    @Test func the_same_seed_gives_the_same_digest_in_another_process() async throws {
        let other = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                print("digest \(WorldTests.foldedDigest())")
            })
        let text = String(decoding: other.standardOutputContent, as: UTF8.self)
        #expect(text.contains("digest \(Self.foldedDigest())"))
    }
}
