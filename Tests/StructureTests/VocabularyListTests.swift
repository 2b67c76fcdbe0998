import Foundation
import Testing

/// No entry of the table of words comes from a set that sizes are measured on: `scripts/vocabulary`
/// reads lists that name another source.
@Suite struct VocabularyListTests {
    /// Runs the script on the lists, of which one has another first line.
    private func refusal(of list: String, beginning line: String) throws -> String {
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
        let file = root.appending(path: "share/vocabulary/\(list)")
        let rest = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        try (line + "\n" + rest.joined(separator: "\n")).write(
            to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-B", root.appending(path: "scripts/vocabulary").path]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        return String(decoding: text, as: UTF8.self)
    }

    @Test(arguments: [
        ("# Source: a sample of openFDA", "sizes are measured on 'openFDA', so no entry may come"),
        ("# Source: the records of Synthea", "sizes are measured on 'Synthea', so no entry may"),
        ("# usual words", "the first line does not name the source"),
    ]) func a_list_from_a_measured_set_is_refused(line: String, text: String) throws {
        let refusal = try refusal(of: "substances.txt", beginning: line)
        #expect(refusal.contains("share/vocabulary/substances.txt: \(text)"), "\(refusal)")
    }

    @Test func every_list_names_its_source() throws {
        let folder = SourceTree.root.appending(path: "share/vocabulary")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count > 20)
        for name in names {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            #expect(text.hasPrefix("# Source: "), "\(name)")
        }
    }
}
