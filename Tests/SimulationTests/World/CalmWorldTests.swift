import Simulation
import Testing
import WatchProtoCore

/// Small worlds that somebody wrote: every carrier and profile carries, a promise outlives a crash,
/// a dead direction is noticed.
@Suite struct CalmWorldTests {
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
        let result = SimulatedSecurity.run(scenario)
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
        let result = SimulatedSecurity.run(scenario)
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
            scenario.linkConditions = [
                profile.options(kind), profile.options(kind, reading: .oneWay),
            ]
            scenario.acts = (0..<10).map {
                Scenario.Act(at: at(UInt64($0) * 200), side: $0 % 2, .send(.background, bytes: 90))
            }
            let result = SimulatedSecurity.run(scenario)
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
        let result = SimulatedSecurity.run(scenario) { lines.append($0) }
        #expect(result.findings == [])
        #expect(result.isDrained)
        let crash = lines.firstIndex { $0.contains("  crash") }
        let delivery = lines.lastIndex { $0.contains("  deliver") }
        #expect(crash.flatMap { crash in delivery.map { crash < $0 } } == true)
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
                let result = SimulatedSecurity.run(scenario)
                #expect(result.findings == [])
                #expect(!result.isDrained)
            }
        }
    }

    // MARK: Determinism

    /// The digests of some worlds, folded.
    static func foldedDigest() -> UInt64 {
        (UInt64(1)...12).reduce(0) {
            LinkDraws.mixed($0 ^ SimulatedSecurity.inClear.replay(seed: $1).digest)
        }
    }

    /// Hash seeds differ between processes; a world must not notice.
    @Test func the_same_seed_gives_the_same_digest_in_another_process() async throws {
        let other = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                print("digest \(CalmWorldTests.foldedDigest())")
            })
        let text = String(decoding: other.standardOutputContent, as: UTF8.self)
        #expect(text.contains("digest \(Self.foldedDigest())"))
    }
}
