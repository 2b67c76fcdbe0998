import Foundation
import Testing

/// The rules of the house that text alone can show.
@Suite struct HouseRuleTests {
    /// The modules a file imports.
    static func imports(_ file: SourceFile) -> [String] {
        file.code.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place < 3, place + 1 < words.count
            else { return nil }
            return String(words[place + 1])
        }
    }

    static let core = "Sources/WatchProtoCore"

    @Test func the_core_imports_nothing() {
        let files = SourceTree.files(below: Self.core)
        #expect(!files.isEmpty)
        for file in files { #expect(Self.imports(file) == [], "\(file.path)") }
    }

    @Test func the_core_is_safe() {
        let files = SourceTree.files(below: Self.core)
        #expect(!files.isEmpty)
        for file in files {
            #expect(!file.words.contains("unsafe"), "\(file.path)")
            #expect(!file.code.contains("Unsafe"), "\(file.path)")
        }
    }

    @Test(arguments: [
        "Sources/WatchProto", "Sources/WatchProtoCore", "Sources/WatchProtoRecords",
        "Sources/WatchProtoSecurity", "Sources/WatchProtoTransport", "Sources/WatchProtoJournal",
        "Sources/ControlProtocol", "Sources/WatchSim", "Tools/Simulation",
    ])
    func foundation_stays_out_of(_ folder: String) {
        let files = SourceTree.files(below: folder)
        #expect(!files.isEmpty)
        for file in files {
            let modules = Self.imports(file)
            #expect(
                !modules.contains("Foundation") && !modules.contains("Dispatch"), "\(file.path)")
        }
    }

    /// The ledgers of doses are the library's; no other part knows anything above the core.
    @Test func the_simulation_of_peers_knows_only_the_core_and_its_records() {
        let files = SourceTree.files(below: "Tools/Simulation").filter {
            !$0.path.hasPrefix("Tools/Simulation/Doses/")
        }
        #expect(!files.isEmpty)
        for file in files {
            let known: Set = ["WatchProtoCore", "WatchProtoRecords"]
            #expect(known.isSuperset(of: Self.imports(file)), "\(file.path)")
        }
    }

    @Test func the_link_model_knows_only_the_core() {
        let files = SourceTree.files(below: "Tools/Simulation/Link")
        #expect(!files.isEmpty)
        for file in files {
            #expect(Self.imports(file).allSatisfy { $0 == "WatchProtoCore" }, "\(file.path)")
        }
    }

    @Test func records_know_only_the_core() {
        let files = SourceTree.files(below: "Sources/WatchProtoRecords")
        #expect(!files.isEmpty)
        // One file reads the table of words, which is a C array, and one calls libzstd.
        let bridges = [
            "Sources/WatchProtoRecords/Vocabulary/Vocabulary+Shared.swift",
            "Sources/WatchProtoRecords/Compression/Zstandard.swift",
        ]
        #expect(files.count { bridges.contains($0.path) } == bridges.count)
        for file in files where !bridges.contains(file.path) {
            #expect(Self.imports(file).allSatisfy { $0 == "WatchProtoCore" }, "\(file.path)")
            #expect(!file.words.contains("unsafe"), "\(file.path)")
            #expect(!file.code.contains("Unsafe"), "\(file.path)")
        }
    }

    /// The meaning of records is no business of the core: their names stand in none of its files.
    @Test func the_core_knows_no_record() {
        for file in SourceTree.files(below: Self.core) {
            for name in ["Medication", "Dose", "ComplicationState"] {
                #expect(!file.code.contains(name), "\(file.path) names \(name)")
            }
        }
    }

    /// A dictionary's order changes with every process: the core keeps it behind `OrderedTable`.
    @Test func the_core_keeps_dictionaries_in_one_place() {
        for file in SourceTree.files(below: Self.core)
        where !file.path.hasSuffix("OrderedTable.swift") {
            #expect(!file.words.contains("Dictionary"), "\(file.path)")
            #expect(!file.words.contains("Set"), "\(file.path)")
            #expect(!file.code.contains("[:]"), "\(file.path)")
        }
    }

    @Test func lines_keep_to_a_hundred_columns() throws {
        for folder in ["Sources", "Tools", "Tests"] {
            for file in SourceTree.files(below: folder) {
                let text = try String(
                    contentsOf: SourceTree.root.appendingPathComponent(file.path), encoding: .utf8)
                for (number, line) in text.split(
                    separator: "\n", omittingEmptySubsequences: false
                ).enumerated() where line.count > 100 && !Self.mayBeLong(line) {
                    Issue.record("\(file.path):\(number + 1): \(line.count) columns")
                }
            }
        }
    }

    /// A row of a table, and a line that is one string which a test compares whole.
    static func mayBeLong(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " }
        return text.hasPrefix("/// |")
            || ["\"", "#\"", "== #\"", "+ \""].contains { text.hasPrefix($0) }
    }

    /// Files that may be longer than the rest, because what they hold is one thing: the link
    /// model; of the core the handshake, packets, what leaves and what arrives, the path estimate,
    /// and the comparison of values.
    static let longFiles: Set<String> = [
        "Sources/WatchProtoCore/Channels/LatestValue/LatestValueSender+Comparison.swift",
        "Sources/WatchProtoCore/Connection/Connection+Handshake.swift",
        "Sources/WatchProtoCore/Connection/Connection+Packets.swift",
        "Sources/WatchProtoCore/Peer/Peer+Receive.swift",
        "Sources/WatchProtoCore/Peer/Peer+Transmit.swift",
        "Tools/Simulation/Link/LinkModel.swift",
    ]

    @Test func files_are_of_readable_length() {
        var unfound = Self.longFiles
        for file in SourceTree.ours {
            let isLong = unfound.remove(file.path) != nil
            let limit = isLong ? 500 : 250
            #expect(
                file.lineCount <= limit,
                "\(file.path) has \(file.lineCount) lines, at most \(limit) are wanted")
            #expect(
                !isLong || file.lineCount > 250,
                "\(file.path) has only \(file.lineCount) lines: take it off the list")
        }
        #expect(unfound == [], "on the list of long files, and not there")
    }
}
