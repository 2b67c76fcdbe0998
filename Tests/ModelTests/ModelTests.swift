import Foundation
import Testing

/// The models of the identity protocol hold, and planted mistakes break them. This is the quick
/// part; `Models/verify.sh` and `Models/mutants.sh` run all of it.
@Suite(
    .serialized, .timeLimit(.minutes(2)),
    .enabled(
        if: ModelTools.hasCompiler,
        "no C compiler: neither bfs.c nor spin can check the models without cc"))
struct ModelTests {
    static let quick = Configuration.all.filter(\.isQuick)
    static let mistakes = PlantedMistake.all.filter(\.isQuick)
    static let models = ["tickets", "ordered", "latest"]

    @Test("the tables name every model, and the quick part covers each")
    func tables_are_read() {
        #expect(Configuration.all.count == 81)
        #expect(PlantedMistake.all.count == 65)
        #expect(PlantedMistake.all.count(where: \.isCaution) == 7)
        #expect(Limit.all.count == 7)
        for model in Self.models {
            #expect(Self.quick.contains { $0.model == model }, "\(model)")
            #expect(Self.mistakes.contains { $0.model == model && !$0.isCaution }, "\(model)")
            #expect(Walks.all.contains { $0.model == model }, "\(model)")
        }
    }

    @Test("every planted mistake in the models stands in the table")
    func table_is_complete() throws {
        let listed = Set(PlantedMistake.all.map(\.name))
        var found: Set<String> = []
        for file in ["core", "tickets", "ordered", "latest"] {
            let text = try String(
                contentsOf: ModelTools.folder.appending(path: "\(file).h"), encoding: .utf8)
            found.formUnion(text.matches(of: #/\bBUG_[A-Z_]+/#).map { String($0.output) })
            found.formUnion(text.matches(of: #/\bSTALE_OPENS\b/#).map { String($0.output) })
        }
        #expect(found == listed)
    }

    @Test("the model holds, in the recorded number of states", arguments: quick)
    func holds(_ row: Configuration) throws {
        let output = try ModelTools.search(model: row.model, flags: row.flags)
        #expect(output.text.hasPrefix("holds: "), "\(output.text)")
        #expect(output.status == 0)
        #expect(output.count(of: "states") == row.states)
    }

    @Test("the search finds the planted mistake", arguments: mistakes)
    func finds(_ row: PlantedMistake) throws {
        let output = try ModelTools.search(model: row.model, flags: ["-D" + row.name] + row.flags)
        #expect(output.status == 1)
        #expect(output.finding == row.finding, "\(output.text)")
        #expect(output.path?.count == row.number)
    }

    @Test(
        "Spin agrees with the breadth-first search",
        .enabled(if: ModelTools.hasSpin, "spin is not installed"),
        arguments: ["tickets", "latest"].compactMap { model in
            quick.first { $0.engine == "spin" && $0.model == model }
        })
    func spin_agrees(_ row: Configuration) throws {
        try ModelTools.inNewFolder { place in
            let files = try FileManager.default.contentsOfDirectory(
                atPath: ModelTools.folder.path)
            for name in files where name.hasSuffix(".h") || name == "model.pml" {
                try FileManager.default.copyItem(
                    at: ModelTools.folder.appending(path: name), to: place.appending(path: name))
            }
            try #require(try ModelTools.run(["spin", "-a", "model.pml"], in: place).status == 0)
            let compiled = try ModelTools.run(
                ["cc", "-O1", "-w", "-DSAFETY", "-DNOREDUCE", "-DCOLLAPSE", "-DMEMLIM=2000"]
                    + ["-DMODEL=\"\(row.model).h\""] + row.flags + ["-o", "pan", "pan.c"],
                in: place)
            try #require(compiled.status == 0, "\(compiled.text)")
            let output = try ModelTools.run(["./pan", "-m20000", "-w22", "-E"], in: place)
            #expect(output.text.contains("errors: 0\n"), "\(output.text)")
            // Spin counts the state before the first step, too.
            #expect(output.text.contains(" \(row.states + 1) states, stored"), "\(output.text)")
        }
    }
}
