import Foundation
import Testing

/// No entry of the table of words comes from a set that sizes are measured on alone.
/// `scripts/vocabulary` reads lists that name another source, and says which words only writers
/// have who had seen such a set.
@Suite struct VocabularyListTests {
    private static let folder = SourceTree.root.appending(path: "share/vocabulary")

    private static let lists: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []

    /// Runs the script on lists that are changed: one, or all.
    private func runChanged(
        _ lists: [String], _ arguments: [String] = [], _ change: (String) -> String
    ) throws -> (status: Int32, output: String, errors: String) {
        let root = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        for name in ["scripts", "share"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: name), withIntermediateDirectories: true)
        }
        for path in ["scripts/vocabulary", "share/vocabulary"] {
            try FileManager.default.copyItem(
                at: SourceTree.root.appending(path: path), to: root.appending(path: path))
        }
        for list in lists {
            let file = root.appending(path: "share/vocabulary/\(list)")
            try change(String(contentsOf: file, encoding: .utf8))
                .write(to: file, atomically: true, encoding: .utf8)
        }
        return try Self.run(root, arguments)
    }

    /// Runs the script below `root`.
    private static func run(
        _ root: URL, _ arguments: [String]
    ) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["python3", "-B", root.appending(path: "scripts/vocabulary").path] + arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let fault = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: text, as: UTF8.self),
            String(decoding: fault, as: UTF8.self)
        )
    }

    /// Refuses every list that begins with another line, in these words.
    private func expectRefusals(_ words: String, beginning line: String) throws {
        #expect(Self.lists.count > 20)
        let (status, _, errors) = try runChanged(Self.lists) { text in
            line + "\n" + text.split(separator: "\n").dropFirst().joined(separator: "\n")
        }
        #expect(status == 1)
        for list in Self.lists {
            #expect(errors.contains("share/vocabulary/\(list): \(words)\n"), "\(errors)")
        }
    }

    @Test func a_list_without_a_source_is_refused() throws {
        try expectRefusals(
            "the first line does not name the source", beginning: "# usual words")
    }

    /// The sets by the names of their files, and as people call them.
    @Test(arguments: [
        ("a sample of openFDA", "open FDA"), ("FDA_sample_5000.json", "FDA sample"),
        ("the FDA sample", "FDA sample"), ("shared/vectors/drugs", "shared vectors"),
        ("the records of Synthea", "Synthea"), ("synthea_rxnorm_drugs.tsv", "Synthea"),
        ("hl7_r4_medication_examples.ndjson", "HL7"), ("lists in FHIR R4", "FHIR"),
        ("FixtureWords.swift", "Fixture Words"), ("records.json", "records json"),
        ("usual words\n# the words of CodecFixtures", "Codec Fixtures"),
        ("what `rig lab codec` reads", "rig lab codec"), ("Fixtures/medications", "Fixtures"),
    ]) func every_list_from_a_measured_set_is_refused(source: String, name: String) throws {
        try expectRefusals(
            "sizes are measured on '\(name)', so no entry may come from it",
            beginning: "# Source: " + source)
    }

    @Test func every_list_names_its_source() throws {
        for name in Self.lists {
            let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            #expect(text.hasPrefix("# Source: "), "\(name)")
        }
    }
}

/// Words of the table that are in a measured set.
extension VocabularyListTests {
    private static let generator = SourceTree.root.appending(
        path: "Tools/Bench/Codec/FixtureWords.swift")
    /// Sets from elsewhere; where they are not there, the tests say so and do nothing.
    private static let sets = SourceTree.root.deletingLastPathComponent()
        .appending(path: "shared/vectors")

    private static let exceptions: [String: String] = {
        let file = SourceTree.root.appending(path: "Fixtures/words/vocabulary.tsv")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        var exceptions: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let cells = line.split(separator: "\t")
            if cells.count == 3 { exceptions[String(cells[0])] = String(cells[1]) }
        }
        return exceptions
    }()

    /// The words that only lists have whose writers had seen the files, and those lists.
    private static func seenAlone(_ output: String) -> [String: String] {
        var words: [String: String] = [:]
        for line in output.split(separator: "\n") {
            let cells = line.split(separator: "\t")
            words[String(cells[0])] = cells.count == 2 ? String(cells[1]) : ""
        }
        return words
    }

    private func seenAlone(in files: [URL]) throws -> [String: String] {
        let (status, output, errors) = try Self.run(
            SourceTree.root, ["--seen"] + files.map(\.path))
        #expect(status == 0, "\(errors)")
        return Self.seenAlone(output)
    }

    private func expectExceptions(_ found: [String: String]) {
        for (word, lists) in found where Self.exceptions[word] != lists {
            Issue.record(
                """
                The table has '\(word)' from \(lists) alone, whose writers had seen the set that \
                has it. Take the word out, or put it into a list by somebody who has not seen the \
                set
                """)
        }
    }

    @Test func no_word_comes_from_the_generated_records_alone() throws {
        let found = try seenAlone(in: [Self.generator])
        #expect(found.count >= 5, "the words of the generator are not read")
        expectExceptions(found)
    }

    private static var isThere: Bool {
        let isThere = FileManager.default.fileExists(atPath: sets.path)
        if !isThere { print("skipped: no ../shared/vectors") }
        return isThere
    }

    @Test(.enabled(if: isThere, "needs ../shared/vectors"))
    func no_word_comes_from_a_measured_set_alone() throws {
        var files = [Self.sets.appending(path: "records/records.json")]
        for folder in ["drugs", "fhir"].map({ Self.sets.appending(path: $0) }) {
            files += try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
        }
        #expect(files.count > 8)
        let found = try seenAlone(in: files + [Self.generator])
        expectExceptions(found)
        // The list of exceptions only shrinks.
        #expect(Self.exceptions == found)
        #expect(Self.exceptions.count <= 27)
    }

    /// The test itself must be able to fail: a name of the generator in a list whose writer had
    /// seen it, and a list that is marked.
    @Test func a_word_that_was_seen_is_found() throws {
        let arguments = ["--seen", Self.generator.path]
        let added = try runChanged(["prescribed.txt"], arguments) { $0 + "lindqvist\n" }
        let found = Self.seenAlone(added.output)
        #expect(found["lindqvist"] == "prescribed.txt" && found["mycophenolate"] == nil)
        let marked = try runChanged(["substances.txt"], arguments) { text in
            text.replacing("\n# A ", with: "\n# Seen: FixtureWords.swift\n# A ", maxReplacements: 1)
        }
        #expect(Self.seenAlone(marked.output)["mycophenolate"] == "substances.txt")
    }
}
