import Testing
import WatchProto
import WatchProtoTesting

/// The library over each platform, with each limit and fault.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PlatformCarrierTests {
    /// A profile with one trait on, for the parameters of a test.
    struct Case: Sendable, CustomTestStringConvertible {
        var profile: PlatformProfile
        var trait: String
        var testDescription: String { "\(profile), \(trait)" }

        /// The size of a transfer in which the usual packets of a session have no room; else nil.
        var value: Int? { trait.hasSuffix("-bytes") ? 40 : nil }

        static let all: [Case] = [PlatformProfile.wcsession, .wear, .pebble].flatMap { profile in
            let others = PlatformCarrierTests.withoutEffect["\(profile)"] ?? []
            return profile.traits.filter { !others.contains($0) }
                .map { Case(profile: profile, trait: $0) }
        }
    }

    /// The traits that have no effect on the packets of a session, as the article lists them.
    static let withoutEffect: [String: Set<String>] = [
        "wcsession-like": [
            "state-bytes", "complications-per-day", "complication-untags", "off-face",
            "equal-state-skipped",
        ],
        "wear-like": ["state-bytes", "state-seconds"],
        "pebble-like": ["messages-in-flight", "queue-cleared", "offline-never-sent"],
    ]

    /// A day of an app's life, in short. A trait is on for a while only; without one, the watch is
    /// asleep meanwhile where the platform knows that.
    private static func script(_ app: LibraryApp, turning trait: String? = nil) async throws {
        let isAsleep = app.pair.link.conditions.platform?.traits.contains("watch-asleep")
        let trait = trait ?? (isAsleep == true ? "watch-asleep" : nil)
        for question in UInt8(0)..<15 {
            for role in DeviceRole.allCases { app.ask(question, from: role) }
            try await app.run(for: .seconds(1))
        }
        try await app.record(1, on: .watch)
        try await app.record(2, on: .phone)
        try app.sendList([1, 2, 3])
        try app.show(8)
        try await app.run(for: .seconds(30))
        await app.setConnected(false)
        try await app.record(3, on: .watch)
        try await app.record(4, on: .phone)
        try app.sendList([1, 2])
        try app.show(9)
        try await app.run(for: .seconds(45))
        await app.setConnected(true)
        try await app.run(for: .seconds(240))
        if let trait { try app.turn(trait, nil) }
        try await app.record(5, on: .watch)
        try await app.record(6, on: .phone)
        try await app.run(for: .seconds(30))
        if let trait { try app.turn(trait, 0) }
        try await app.run(for: .seconds(240))
        try await app.restart(.watch)
        try await app.record(7, on: .watch)
        try await app.run(for: .seconds(120))
    }

    private static func expectAll(_ result: AppResult) {
        #expect(result.phoneDoses == Array(1...7))
        #expect(result.watchDoses == Array(1...7))
        #expect(result.list == [1, 2] && result.listArrivals == 2)
        #expect(result.face == 9)
    }

    /// A trait that delays packets makes no device send more of them than two keep-alives a minute:
    /// those of both devices cross if a packet takes long. Each is a ping, its answer and the
    /// acknowledgement of that.
    @Test(arguments: Case.all.filter { $0.trait == "early-answer-seconds" })
    func an_idle_link_costs_few_packets_with_each_trait(_ one: Case) async throws {
        var options = TestPair.Options()
        options.conditions.platform = try one.profile.with(one.trait)
        let pair = try await TestPair(options)
        try pair.phone.send(UserInfo([1]))
        try pair.watch.send(UserInfo([2]))
        for session in [pair.phone, pair.watch] { session.apply(UserInfo.self) { _, _ in } }
        try await pair.run(for: .seconds(120))
        let before = DeviceRole.allCases.map { pair.link.packetsSent(by: $0) }
        try await pair.run(for: .seconds(600))
        let after = DeviceRole.allCases.map { pair.link.packetsSent(by: $0) }
        let counts = zip(after, before).map { $0 - $1 }
        #expect(counts.allSatisfy { $0 <= 66 }, "\(counts)")
        await pair.close()
    }

    @Test(arguments: Case.all)
    func everything_counts_once_with_each_trait(_ one: Case) async throws {
        // A direction that stays dead is dead for a while only.
        let isBrief = one.trait == "one-way"
        let app = try await LibraryApp(
            isBrief ? one.profile : one.profile.with(one.trait, one.value))
        // Messages without an answer.
        if one.trait == "answer-seconds" { app.pair.link.blackOut(for: .seconds(5)) }
        try await Self.script(app, turning: isBrief ? one.trait : nil)
        Self.expectAll(try await app.result())
        #expect(app.pair.link.effects(of: one.trait) > 0)
        await app.close()
    }

    @Test(arguments: [PlatformProfile.wcsession, .wear, .pebble])
    func the_other_traits_have_no_effect_on_packets(_ profile: PlatformProfile) async throws {
        let traits = try #require(Self.withoutEffect["\(profile)"])
        var all = profile
        for trait in traits { all = try all.with(trait) }
        let app = try await LibraryApp(all)
        try await Self.script(app)
        Self.expectAll(try await app.result())
        for trait in traits { #expect(app.pair.link.effects(of: trait) == 0, "\(trait)") }
        await app.close()
    }

    @Test(arguments: [PlatformProfile.wcsession, .wear, .pebble])
    func everything_counts_once_with_all_faults(_ profile: PlatformProfile) async throws {
        var all = profile
        // Copies of a queue that is stuck are those of another fault, and so is its end. User info
        // that never leaves is for a while only.
        let apart = ["one-way", "queue-stuck-until-next", "answer-seconds", "watch-asleep"]
        for trait in profile.traits where !apart.contains(trait) { all = try all.with(trait) }
        let app = try await LibraryApp(all)
        try await Self.script(app)
        try await app.run(for: .seconds(600))
        Self.expectAll(try await app.result())
        await app.close()
    }

    @Test func a_large_list_crosses_a_small_inbox() async throws {
        let list = (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
        let app = try await LibraryApp(.pebble)
        try app.sendList(list)
        try await app.run(for: .seconds(300))
        #expect(try await app.result().list == list)
        await app.close()
    }
}
