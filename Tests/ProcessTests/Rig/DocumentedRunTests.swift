import CommandLine
import Foundation
import Testing

/// The documented loads, demos and comparisons, each shortened. With `WATCHPROTO_DOCUMENTED=1` in
/// the environment every other documented command that ends by itself is run as well, as it stands,
/// which takes about an hour: `WATCHPROTO_DOCUMENTED=1 ./test --filter DocumentedRunTests`.
@Suite struct DocumentedRunTests {
    private static let whole = DocumentedCommandTests.all.filter(\.isWhole).map(\.words)

    // MARK: Short ones

    /// Loads and demos in half a second. A line whose words another line has as well is left out:
    /// that other one tries them.
    private static let short: [[String]] = {
        let loads = whole.filter { words in
            words.starts(with: ["rig", "demo"])
                || words.starts(with: ["rig", "bench"])
                    && !words.contains("--against")
        }
        let lines = Set(loads.map(shortened)).sorted { $0.joined() < $1.joined() }
        let sets = lines.map(Set.init)
        return zip(lines, sets).filter { _, own in !sets.contains(where: own.isStrictSubset) }
            .map(\.0)
    }()

    private static func shortened(_ words: [String]) -> [String] {
        var words = words
        func set(_ name: String, _ value: String) {
            if let place = words.firstIndex(of: name) {
                words[place + 1] = value
            } else {
                words += [name, value]
            }
        }
        set("--duration", "500ms")
        if words[1] == "demo" { set("--store", "1000") } else { set("--warm-up", "0s") }
        if words.contains("--out") { words.append("--force") }
        if words.contains("--rounds") { set("--rounds", "2") }
        return words
    }

    @Test(.timeLimit(.minutes(2)), arguments: short)
    func a_load_works_shortened(words: [String]) throws {
        let place = try DocumentedPlace()
        let (code, text) = try place.run(words, seconds: 100)
        #expect([0, 2].contains(code), "\(words)\n\(text)")
        // The files are in the directory that the command names.
        if let out = words.firstIndex(of: "--out") {
            #expect(!names(in: "\(place.directory)/place/\(words[out + 1])").isEmpty)
        }
    }

    @Test func the_short_ones_are_some_and_few() {
        #expect((5...10).contains(Self.short.count), "\(Self.short)")
        #expect(Self.compared.count >= 2)
        #expect(Self.others.count >= 15, "\(Self.others)")
    }

    private static let compared = unique(whole.filter { $0.starts(with: ["rig", "compare"]) })

    private static func unique(_ lines: [[String]]) -> [[String]] {
        Set(lines).sorted { $0.joined(separator: " ") < $1.joined(separator: " ") }
    }

    @Test(.timeLimit(.minutes(2))) func runs_are_compared() throws {
        let place = try DocumentedPlace()
        for name in ["base", "run1"] {
            let words = Self.shortened(["rig", "bench", "--out", "out/\(name)"])
            let (code, text) = try place.run(words, seconds: 60)
            #expect([0, 2].contains(code), "\(text)")
        }
        try place.layResults()
        for words in Self.compared {
            let (code, text) = try place.run(words, seconds: 60)
            #expect([0, 2].contains(code), "\(words)\n\(text)")
        }
    }

    // MARK: All others

    /// Commands that do not end by themselves, or cannot be run in a directory of their own.
    private static let never = [
        "rig link --listen udp", "WatchSim --link udp", "PhoneSim --link udp",
        "rig pair couple --ask", "./test", "python3", "Examples/",
        // Half a day, and what reads its result.
        "rig explore --seeds 1..1000000", "rig explore --merge", "rig lab crash states --merge",
    ]

    /// What `DocumentedCommandTests` leave out and can be run; what others read comes before them.
    private static let others: [[String]] = {
        let lines = unique(whole).filter { words in
            let text = DocumentedCommandTests.quoted(words)
            return DocumentedCommandTests.isLeftOut(text) && !never.contains(where: text.hasPrefix)
        }
        return lines.filter { $0[1] != "compare" } + lines.filter { $0[1] == "compare" }
    }()

    @Test(
        .enabled(
            if: Files.environment("WATCHPROTO_DOCUMENTED") == "1",
            "an hour of them: WATCHPROTO_DOCUMENTED=1 runs them"), .timeLimit(.minutes(300)))
    func all_others_work_as_they_stand() throws {
        let place = try DocumentedPlace()
        _ = try place.run(Self.shortened(["rig", "bench", "--out", "out/base"]), seconds: 60)
        for words in Self.others {
            if words[1] == "compare" { try place.layResults() }
            let (code, text) = try place.run(words, seconds: 7200)
            // In real time a scenario has bounds that a debug build on a busy machine misses.
            let codes: [Int32] = words[1] == "run" ? [0, 1, 2] : [0, 2]
            #expect(codes.contains(code), "\(words)\n\(text)")
        }
    }
}

/// A directory with what the documented commands speak of.
private final class DocumentedPlace {
    let directory: String
    private let products: String

    init() throws {
        let own = Files.ownExecutable ?? ""
        products = own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        directory = try Files.makeTemporaryDirectory("documented")
        let manager = FileManager.default
        for name in ["place", "base/.build"] { try Files.makeDirectory("\(directory)/\(name)") }
        // The other build of `--against ../base/.build/release`.
        try manager.createSymbolicLink(
            atPath: "\(directory)/base/.build/release", withDestinationPath: products)
        for (from, to) in [
            ("Fixtures/medications/bundle.json", "bundle.json"),
            ("share/scenarios/gym.json", "mine.json"),
        ] {
            try manager.copyItem(
                atPath: "\(DocumentedCommand.root)/\(from)", toPath: "\(directory)/place/\(to)")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Two results, in the places where `rig compare` is shown to look for them.
    func layResults() throws {
        let work = "\(directory)/place"
        for (run, others) in [
            ("base", ["base.json", "out/old/1/results.json"]),
            ("run1", ["new.json", "out/new/1/results.json"]),
        ] {
            let bytes = try Files.read("\(work)/out/\(run)/results.json")
            for name in others {
                if name.hasPrefix("out/") {
                    try Files.makeDirectory("\(work)/\(name.dropLast("/results.json".count))")
                }
                try Files.write(bytes, to: "\(work)/\(name)")
            }
        }
    }

    /// Runs a command there, and says how it ended and what it wrote to standard error.
    func run(_ words: [String], seconds: Int) throws -> (code: Int32, text: String) {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "PATH=\(products):/usr/bin:/bin:/usr/sbin:/sbin", "TMPDIR=\(directory)", "CI=1",
                "timeout", "-k", "5", "\(seconds)",
            ] + words
        process.currentDirectoryURL = URL(filePath: "\(directory)/place")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let bytes = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}
