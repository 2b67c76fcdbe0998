import ControlProtocol
import Testing

@testable import CommandLine
@testable import Reports

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

    /// A writer into a new directory, which is removed.
    private func write(
        _ formats: OutputFormats?, _ report: Report = ReportTests.sample(),
        then check: (ReportWriter, String) throws -> Void
    ) throws {
        let directory = try Files.makeTemporaryDirectory("rig-test")
        defer { Files.removeDirectory(directory) }
        var writer = ReportWriter()
        writer.isQuiet = true
        writer.directory = directory
        writer.formats = formats
        try check(writer, directory)
    }

    @Test func every_form_is_written_unless_some_are_chosen() throws {
        try write(nil) { writer, directory in
            try writer.prepare()
            #expect(writer.write(ReportTests.sample()) == .targetMissed)
            for name in OutputFormats.all.fileNames {
                #expect((Files.size("\(directory)/\(name)") ?? 0) > 500, "\(name)")
            }
        }
        try write(OutputFormats([.hlog, .markdown])) { writer, directory in
            try writer.prepare()
            #expect(writer.write(ReportTests.sample()) == .targetMissed)
            let found = OutputFormats.all.fileNames.filter { Files.exists("\(directory)/\($0)") }
            #expect(found == ["latency.hlog", "report.md"])
        }
    }

    @Test(arguments: OutputFormats.all.fileNames)
    func a_file_that_cannot_be_written_takes_no_other_along(_ name: String) throws {
        try write(nil) { writer, directory in
            try Files.makeDirectory("\(directory)/\(name)")
            defer { Files.removeDirectory("\(directory)/\(name)") }
            #expect(writer.write(ReportTests.sample()) == .cannotWrite)
            for other in OutputFormats.all.fileNames where other != name {
                #expect((Files.size("\(directory)/\(other)") ?? 0) > 500, "\(other)")
            }
        }
    }

    /// All that stands there afterwards is of one run; what the rig did not make is not its to
    /// remove.
    @Test func what_an_older_run_left_is_removed() throws {
        try write(nil) { writer, directory in
            var writer = writer
            try writer.prepare()
            #expect(writer.write(ReportTests.sample()) == .targetMissed)
            try Files.write(Array("# My own words on rig".utf8), to: "\(directory)/report.md")
            try Files.write(Array("mine".utf8), to: "\(directory)/notes.txt")
            writer.formats = OutputFormats([.json, .prom])
            #expect(writer.write(ReportTests.sample()) == .targetMissed)
            #expect(
                Files.names(in: directory) == [
                    "metrics.prom", "notes.txt", "report.md", "results.json",
                ])
        }
    }

    /// A file of somebody else under a name of the run's is neither replaced nor removed, also with
    /// --force, and costs the run no time.
    @Test(arguments: OutputFormats.all.fileNames + ["packets.csv"], [false, true])
    func a_file_of_somebody_else_is_not_replaced(name: String, replaces: Bool) throws {
        try write(nil) { writer, directory in
            var writer = writer
            writer.replaces = replaces
            let (path, own) = ("\(directory)/\(name)", Array("my own words".utf8))
            try Files.write(own, to: path)
            let refusal = #expect(throws: RigFailure.self) { try writer.prepare() }
            #expect(
                refusal?.description == """
                    Error: '\(path)' is not a file of the rig, and stays.
                      Try: another directory, or move that file away.
                    """)
            #expect(refusal?.exitCode == .cannotWrite)
            // It may as well come while the run goes on.
            var report = ReportTests.sample()
            report.detail = HTMLReportTests.detail(5)
            report.detail?.addPackets(
                PacketJoin(sender: PacketTrace(), receiver: PacketTrace(), until: 0),
                isFromWatch: false)
            #expect(writer.write(report) == .cannotWrite)
            #expect(try Files.read(path) == own)
        }
    }

    /// Of two runs into one directory at once, the second is refused before it takes its time.
    @Test func two_runs_at_once_do_not_share_a_directory() throws {
        try write(nil) { first, directory in
            try first.prepare()
            try first.prepare()
            var second = ReportWriter()
            (second.isQuiet, second.directory, second.replaces) = (true, directory, true)
            let refusal = #expect(throws: RigFailure.self) { try second.prepare() }
            #expect(
                refusal?.description == """
                    Error: Another run is writing into '\(directory)'.
                      Try: another directory with --out, or this one after that run.
                    """)
            #expect(refusal?.exitCode == .cannotWrite)
        }
    }

    @Test func a_claim_on_a_directory_ends_with_its_value() throws {
        let directory = try Files.makeTemporaryDirectory("rig-test")
        defer { Files.removeDirectory(directory) }
        do {
            let claim = DirectoryClaim(directory)
            #expect(claim != nil && DirectoryClaim(directory) == nil)
            withExtendedLifetime(claim) {}
        }
        #expect(DirectoryClaim(directory) != nil)
        #expect(Files.names(in: directory) == [])
    }

    /// Each mark is in its file, or a stale one would stay.
    @Test func every_file_bears_its_mark() throws {
        for file in OutputFormats.all.formats.compactMap(\.file) {
            #expect(
                file.text(ReportTests.sample())?.contains(file.mark) == true, "\(file.name)")
        }
    }

    /// Beside the page stand the packets that it draws, and none of an older run.
    @Test func packets_stand_beside_the_page_where_there_are_any() throws {
        try write(OutputFormats([.html])) { writer, directory in
            #expect(writer.drawsPage)
            var report = ReportTests.sample()
            report.detail = HTMLReportTests.detail(5)
            report.detail?.addPackets(
                PacketJoin(sender: PacketTrace(), receiver: PacketTrace(), until: 0),
                isFromWatch: false)
            #expect(writer.write(report) == .targetMissed)
            #expect(Files.names(in: directory) == ["packets.csv", "report.html"])
            report.detail = HTMLReportTests.detail(5)
            #expect(writer.write(report) == .targetMissed)
            #expect(Files.names(in: directory) == ["report.html"])
        }
        try write(OutputFormats([.json])) { writer, _ in #expect(!writer.drawsPage) }
    }

    /// How a run ended early stands in its files as it does in its exit code.
    @Test func what_ended_a_run_stands_in_its_files() throws {
        try write(OutputFormats([.json, .prom])) { writer, directory in
            var report = ReportTests.sample()
            report.isComplete = false
            #expect(writer.write(report, failure: RigFailure(.timedOut, "late")) == .timedOut)
            let json = try JSONParser.parse(try Files.read("\(directory)/results.json")).value
            #expect(json["exit"] == 75 && json["passed"] == false && json["complete"] == false)
            let metrics = String(
                decoding: try Files.read("\(directory)/metrics.prom"), as: UTF8.self)
            #expect(metrics.contains("\nwatchproto_run_exit_code{") && metrics.contains("} 75\n"))
        }
    }

    @Test func what_has_no_place_is_refused_before_the_run() throws {
        var writer = ReportWriter()
        writer.formats = OutputFormats([.table, .json])
        try writer.prepare()
        writer.formats = OutputFormats([.table, .hlog, .junit])
        let homeless = #expect(throws: RigFailure.self) { try writer.prepare() }
        #expect(
            homeless?.description == """
                Error: --format junit,hlog is written to files, and there is no directory for them.
                  Try: add --out DIR, or ask for table and json alone, which go to the terminal.
                """)
        #expect(homeless?.exitCode == .usage)
        try write(OutputFormats([.table])) { quiet, _ in
            let silent = #expect(throws: RigFailure.self) { try quiet.prepare() }
            #expect(
                silent?.description == """
                    Error: --format asks for the table, and --quiet leaves it out.
                      Try: leave out one of the two.
                    """)
            var writer = quiet
            writer.isQuiet = false
            let idle = #expect(throws: RigFailure.self) { try writer.prepare() }
            #expect(
                idle?.description == """
                    Error: --out names a directory, and '--format table' writes no file.
                      Try: leave out --out, or ask for a file too, for example --format table,json.
                    """)
            #expect(idle?.exitCode == .usage)
        }
    }
}
