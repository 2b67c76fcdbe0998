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

        static let all = [PlatformProfile.wcsession, .wear, .pebble].flatMap { profile in
            // A direction that stays dead has a test of its own.
            profile.traits.filter { $0 != "one-way" }.map { Case(profile: profile, trait: $0) }
        }
    }

    /// A day of an app's life, in short.
    private static func script(_ app: any PlatformApp) async throws {
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
        try await app.restart(.watch)
        try await app.record(5, on: .watch)
        try await app.run(for: .seconds(120))
    }

    private static func expectAll(_ result: AppResult) {
        #expect(result.phoneDoses == [1, 2, 3, 4, 5])
        #expect(result.watchDoses == [1, 2, 3, 4, 5])
        #expect(result.list == [1, 2] && result.listArrivals == 2)
        #expect(result.face == 9)
    }

    @Test(arguments: Case.all)
    func everything_counts_once_with_each_trait(_ one: Case) async throws {
        let app = try await LibraryApp(one.profile.with(one.trait))
        try await Self.script(app)
        Self.expectAll(try await app.result())
        await app.close()
    }

    @Test(arguments: [PlatformProfile.wcsession, .wear, .pebble])
    func everything_counts_once_with_all_faults(_ profile: PlatformProfile) async throws {
        var all = profile
        // Copies of a queue that is stuck are those of another fault, and so is its end.
        let apart = ["one-way", "queue-stuck-until-next", "answer-seconds"]
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
