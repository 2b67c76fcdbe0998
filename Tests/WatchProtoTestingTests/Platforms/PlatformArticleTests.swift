import Foundation
import Locks
import Testing
import WatchProto
import WatchProtoTesting

private let dose = DoseEvent.example(1)

private final class Counter: Sendable {
    private let state = Mutex<[[UInt8]]>([])
    var doses: [[UInt8]] { state.withLock { $0 } }
    func add(_ dose: [UInt8]) { state.withLock { $0.append(dose) } }
}

/// A phone and a watch, for a script.
protocol DosePair: Sendable {
    func setPlatform(_ platform: PlatformProfile)
    func takeDose() async throws
    func run(for duration: Duration) async throws
    func dosesOnPhone() async throws -> Int
}

/// On the platform's own calls.
private struct PlainPair: DosePair {
    let pair: PlatformPair
    let counted = Counter()

    init(_ platform: PlatformProfile) {
        pair = PlatformPair(platform)
        pair.onReceive(at: .phone) { [counted] _, dose in
            counted.add(dose)
            return []
        }
    }

    func setPlatform(_ platform: PlatformProfile) { pair.profile = platform }
    func takeDose() throws {
        try pair.send(
            [1], as: .interactive, from: .watch,
            error: { _ in try? pair.send([1], as: .background, from: .watch) })
    }
    func run(for duration: Duration) { pair.run(for: duration) }
    func dosesOnPhone() -> Int { counted.doses.count }
}

/// On the sessions of the library.
extension TestPair: DosePair {
    func setPlatform(_ platform: PlatformProfile) { link.conditions.platform = platform }
    func takeDose() async throws { try await watch.doses.record(dose) }
    func dosesOnPhone() async throws -> Int {
        try await phone.doses.newestEvents(limit: 10).count
    }
}

/// The article on platforms: its code runs, and its tables are those of the profiles.
@Suite(.timeLimit(.minutes(1))) struct PlatformArticleTests {
    func count(_ devices: some DosePair, on platform: PlatformProfile) async throws -> Int {
        devices.setPlatform(try platform.with("error-after-delivery"))
        try await devices.takeDose()
        try await devices.run(for: .seconds(10))
        devices.setPlatform(platform)
        try await devices.run(for: .seconds(10))
        return try await devices.dosesOnPhone()
    }

    @Test func one_script_runs_on_both() async throws {
        for name in ["wcsession-like", "pebble-like"] {
            let platform = try PlatformProfile(name)
            let plain = PlainPair(platform)
            #expect(try await count(plain, on: platform) == 2)
            #expect(plain.pair.outstandingTransfers(of: .watch) == 0)
            var options = TestPair.Options()
            options.conditions.platform = platform
            let devices = try await TestPair(options)
            #expect(try await count(devices, on: platform) == 1)
            await devices.close()
        }
    }

    @Test func the_platform_counts_twice() throws {
        let counted = Counter()
        let pair = PlatformPair(try PlatformProfile("wcsession-like").with("error-after-delivery"))
        pair.onReceive(at: .phone) { _, dose in
            counted.add(dose)
            return []
        }
        try pair.send(
            [1], as: .interactive, from: .watch,
            error: { _ in try? pair.send([1], as: .background, from: .watch) })
        pair.run(for: .seconds(10))
        #expect(counted.doses == [[1], [1]])
    }

    @Test func the_library_counts_once() async throws {
        var options = TestPair.Options()
        options.conditions.platform = try PlatformProfile("wcsession-like").with(
            "error-after-delivery")
        let devices = try await TestPair(options)
        try await devices.watch.doses.record(dose)
        try await devices.run(for: .seconds(10))
        #expect(try await devices.phone.doses.newestEvents(limit: 10) == [dose])
        await devices.close()
    }

    /// The rows of a section's table, each as its cells.
    private static func rows(of section: String) throws -> [[String]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = "Tools/WatchProtoTesting/WatchProtoTesting.docc/testing-against-the-platforms.md"
        let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
        let part = try #require(text.components(separatedBy: "\n### \(section)\n").last)
        let table = try #require(part.components(separatedBy: "\n### ").first)
        return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.dropFirst().dropLast().components(separatedBy: "|")
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test func the_traits_without_effect_are_those_of_the_test() throws {
        var listed: [String: Set<String>] = [:]
        for row in try Self.rows(of: "Under the sessions") {
            try #require(row.count == 3)
            for platform in row[1].components(separatedBy: ", ") {
                listed[platform, default: []].insert(row[0].replacing("`", with: ""))
            }
        }
        #expect(listed == PlatformCarrierTests.withoutEffect)
    }

    @Test func the_tables_are_those_of_the_profiles() throws {
        let profiles = [PlatformProfile.wcsession, .wear, .pebble]
        var listed = [[String]](repeating: [], count: 3)
        for (section, isOn) in [("Limits", true), ("Faults", false)] {
            for row in try Self.rows(of: section) {
                try #require(row.count == 6)
                let trait = row[0].replacing("`", with: "")
                for (place, profile) in profiles.enumerated() where !row[place + 1].isEmpty {
                    listed[place].append(trait)
                    let usual = try profile.with(trait)
                    #expect(try usual == profile.with(trait, Int(row[place + 1])), "\(trait)")
                    #expect((usual == profile) == isOn, "\(trait)")
                    #expect(profile.sources[trait] == row[5])
                }
            }
        }
        #expect(listed == profiles.map(\.traits))
    }
}
