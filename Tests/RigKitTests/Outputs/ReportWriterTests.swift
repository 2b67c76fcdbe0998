import RigKit
import Testing

@Suite struct ReportWriterTests {
    @Test func results_replace_older_ones_whole() throws {
        let directory = try Files.makeTemporaryDirectory("rig-test")
        defer { Files.removeDirectory(directory) }
        let path = "\(directory)/results.json"
        try Files.write(Array("old".utf8), to: path)
        try Files.write(Array("new".utf8), to: path)
        #expect(try Files.read(path) == Array("new".utf8))
    }

    @Test func a_full_disk_is_named() {
        #expect(throws: SystemError("write", "/dev/full", number: 28)) {
            try Files.write(Array("x".utf8), to: "/dev/full")
        }
    }

    @Test func results_that_cannot_be_written_end_with_73() throws {
        let directory = try Files.makeTemporaryDirectory("rig-test")
        defer { Files.removeDirectory(directory) }
        try Files.write(Array("x".utf8), to: "\(directory)/file")
        var writer = ReportWriter()
        writer.isQuiet = true
        writer.directory = "\(directory)/file/below"
        let failure = #expect(throws: RigFailure.self) { try writer.prepare() }
        #expect(failure?.exitCode == .cannotWrite)
        #expect(failure?.message.contains("\(directory)/file") == true)
        #expect(writer.write(ReportTests.sample()) == .cannotWrite)
    }

    @Test func an_output_directory_is_made_with_those_above_it() throws {
        let directory = try Files.makeTemporaryDirectory("rig-test")
        var writer = ReportWriter()
        writer.isQuiet = true
        writer.directory = "\(directory)/a/b"
        defer {
            Files.removeDirectory("\(directory)/a/b")
            Files.removeDirectory("\(directory)/a")
            Files.removeDirectory(directory)
        }
        try writer.prepare()
        #expect(writer.write(ReportTests.sample()) == .targetMissed)
        #expect(Files.exists("\(directory)/a/b/results.json"))
    }
}
