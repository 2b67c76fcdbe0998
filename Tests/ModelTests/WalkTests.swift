import Foundation
import Testing

/// The walker prints runs that another implementation can be held against.
@Suite(
    .serialized, .timeLimit(.minutes(2)),
    .enabled(if: ModelTools.hasCompiler, "no C compiler"))
struct WalkTests {
    /// The words of a line, by their keys; nil if a word is malformed or a key stands twice.
    static func words(_ line: Substring) -> [Substring: Substring]? {
        var found: [Substring: Substring] = [:]
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            let halves = word.split(separator: "=", omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty, !halves[1].isEmpty,
                found.updateValue(halves[1], forKey: halves[0]) == nil
            else { return nil }
        }
        return found
    }

    @Test("the walks of a model keep the invariants and take every action")
    func walks_cover_every_action() throws {
        for model in ModelTests.models {
            var taken: [Substring: Int] = [:]
            for row in Walks.all where row.model == model {
                let output = try Self.walk(row, count: row.walks, ["summary"])
                #expect(output.status == 0, "\(row.testDescription)")
                let line = try #require(output.text.split(separator: "\n").last)
                try #require(line.hasPrefix("summary "))
                let summary = try #require(Self.words(line.dropFirst(8)))
                #expect(summary["walks"] == "\(row.walks)")
                #expect(summary["violations"] == "0")
                for (key, value) in summary where key.first?.isUppercase == true {
                    taken[key, default: 0] += try #require(Int(value))
                }
            }
            #expect(taken.count > 15, "\(model)")
            for (action, count) in taken { #expect(count > 0, "\(model): \(action)") }
        }
    }

    @Test("every line is made of key=value words, and each step was enabled", arguments: Walks.all)
    func lines_are_well_formed(_ row: Walks) throws {
        let output = try Self.walk(row, count: 3)
        var enabled: [Substring] = []
        var lines = 0
        for line in output.text.split(separator: "\n") where !line.hasPrefix("summary ") {
            let words = try #require(Self.words(line), "\(line)")
            let step = try #require(words["step"].flatMap { Int($0) })
            let action = try #require(words["action"])
            let side = try #require(words["side"])
            if step > 0 { #expect(enabled.contains(action + "." + side), "\(line)") }
            enabled = try #require(words["enabled"]).split(separator: ",")
            #expect(words["violation"] == "0")
            lines += 1
        }
        #expect(lines > 60)
    }

    @Test("one seed yields one walk, and its path the same states")
    func walks_are_repeatable() throws {
        let row = try #require(Walks.all.first { $0.model == "tickets" })
        try ModelTools.inNewFolder { place in
            let program = try ModelTools.compile(
                "walk.c", model: row.model, flags: row.flags, in: place)
            let first = try ModelTools.run([program.path, "7", "1", "80"], in: place).text
            #expect(first == (try ModelTools.run([program.path, "7", "1", "80"], in: place)).text)
            #expect(first != (try ModelTools.run([program.path, "8", "1", "80"], in: place)).text)

            let lines = first.split(separator: "\n").dropLast()
            let path = try lines.dropFirst().map { line in
                let words = try #require(Self.words(line))
                return "\(words["action"] ?? "").\(words["side"] ?? "")"
            }
            let along = try ModelTools.run([program.path, "path"] + path, in: place)
            #expect(along.status == 0)
            #expect(
                along.text.split(separator: "\n").map { $0.dropFirst("walk=0".count) }
                    == lines.map { $0.dropFirst("walk=7".count) })
        }
    }

    @Test("a counterexample of the search breaks its invariant in the walker, too")
    func counterexamples_are_replayed() throws {
        let row = try #require(ModelTests.mistakes.first { $0.name == "BUG_KEEP_ACROSS" })
        let path = try #require(
            try ModelTools.search(model: row.model, flags: ["-D" + row.name] + row.flags).path)
        let broken = try Self.follow(path, row.model, flags: ["-D" + row.name] + row.flags)
        #expect(broken.status == 1)
        let last = try #require(broken.text.split(separator: "\n").last.flatMap(Self.words))
        #expect(last["violation"] == "1")
        // The design, without the mistake, does otherwise on the same path.
        #expect(try Self.follow(path, row.model, flags: row.flags).status != 1)
    }

    @Test(
        "a known limit of the design is still one, and its remedy still helps",
        arguments: Limit.all)
    func limits_are_replayed(_ row: Limit) throws {
        let output = try Self.follow(row.path, row.model, flags: row.flags)
        let last = try #require(output.text.split(separator: "\n").last.flatMap(Self.words))
        #expect(last["violation"] == "\(row.violation)", "\(output.text)")
        #expect(last["step"] == "\(row.path.count)")
    }

    private static func walk(
        _ row: Walks, count: Int, _ options: [String] = []
    ) throws -> ModelTools.Output {
        try ModelTools.inNewFolder { place in
            let program = try ModelTools.compile(
                "walk.c", model: row.model, flags: row.flags, in: place)
            return try ModelTools.run(
                [program.path, "1", "\(count)", "\(row.steps)"] + options, in: place)
        }
    }

    private static func follow(
        _ path: [String], _ model: String, flags: [String]
    ) throws -> ModelTools.Output {
        try ModelTools.inNewFolder { place in
            let program = try ModelTools.compile("walk.c", model: model, flags: flags, in: place)
            return try ModelTools.run([program.path, "path"] + path, in: place)
        }
    }
}
