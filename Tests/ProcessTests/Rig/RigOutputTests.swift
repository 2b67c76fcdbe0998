import ControlProtocol
import Glibc
import Testing

@testable import CommandLine

/// The files of a run, as `--out` and `--format` choose them.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RigOutputTests {
    let rig: RigProgram
    private var out: String { "\(rig.directory)/out" }

    init() throws { rig = try RigProgram() }

    private static let allFiles = [
        "junit.xml", "latency.hlog", "metrics.prom", "report.html", "report.md", "results.json",
    ]

    private func text(_ name: String) throws -> String {
        String(decoding: try Files.read("\(out)/\(name)"), as: UTF8.self)
    }

    @Test func a_run_writes_every_file_and_they_say_the_same() throws {
        let run = try rig.demo(["--out", out])
        #expect(run.isWell, "\(run.stderr)\(run.stdout)")
        #expect(names(in: out) == Self.allFiles)
        let list =
            "\(out)/results.json  junit.xml  latency.hlog  metrics.prom  report.md  report.html\n"
        #expect(run.stdout.contains(list), "\(run.stdout)")

        let json = try JSONParser.parse(try text("results.json")).value
        #expect(JSONSchema(published: "rig.results-1").complaints(about: json) == [])
        #expect((json["started_unix_ns"]?.integer ?? 0) > 1_700_000_000_000_000_000)
        let rows = json["metrics"]?.array ?? []
        let failed = rows.count { ["FAIL", "NODATA"].contains($0["status"]?.string) }
        let skipped = rows.count { ["TOO FEW", "not built"].contains($0["status"]?.string) }
        let junit = try text("junit.xml")
        let heading =
            #"<testsuites name="rig demo" tests="\#(rows.count)" failures="\#(failed)" errors="0" "#
            + #"skipped="\#(skipped)" "#
        #expect(junit.contains(heading), "\(junit)")
        #expect(junit.split(separator: "<testcase ").count == rows.count + 1)

        let series = (json["latencies"]?.array ?? []).filter { $0["n"] != 0 }
        let log = try text("latency.hlog")
        let tags = log.split(separator: "\nTag=").dropFirst().map { $0.prefix { $0 != "," } }
        #expect(Set(tags).count == series.count && tags.count > series.count)
        let metrics = try text("metrics.prom")
        let labels = #"{verb="demo",link="loopback, unix stream"}"#
        #expect(metrics.contains("\nwatchproto_run_complete\(labels) 1\n"))
        let count = series.first { $0["name"] == "sync" }?["n"]?.integer ?? 0
        let own = labels.dropLast() + #",series="sync"}"#
        #expect(metrics.contains("\nwatchproto_duration_seconds_count\(own) \(count)\n"))
        let markdown = try text("report.md")
        #expect(markdown.hasPrefix("# rig demo\n"))
        for row in rows {
            #expect(markdown.contains("\n| \(row["title"]?.string ?? "?")"), "\(row["id"] ?? "")")
        }
    }

    @Test func only_what_is_chosen_is_written_and_printed() throws {
        let run = try rig.demo(["--out", out, "--format", "junit,markdown"])
        #expect(run.exitCode == 0 || run.exitCode == 2, "\(run.stderr)")
        #expect(run.stdout == "")
        #expect(names(in: out) == ["junit.xml", "report.md"])
    }

    @Test func without_a_directory_json_goes_to_stdout() throws {
        let run = try rig.demo(["--format", "json"])
        #expect(try JSONParser.parse(run.stdout).value["schema"] == "rig.results/1")
        #expect(!run.stderr.contains("Metric"))
        let both = try rig.demo(["--format", "table,json"])
        #expect(try JSONParser.parse(both.stdout).value["schema"] == "rig.results/1")
        #expect(both.stderr.contains("\nMetric  "))
    }

    @Test(arguments: [
        (
            ["--format", "table,junit"],
            """
            Error: --format junit is written to files, and there is no directory for them.
              Try: add --out DIR, or ask for table and json alone, which go to the terminal.

            """
        ),
        (
            ["--format", "table", "--out", "OUT"],
            """
            Error: --out names a directory, and '--format table' writes no file.
              Try: leave out --out, or ask for a file too, for example --format table,json.

            """
        ),
        (
            ["--format", "table,markdwon", "--out", "OUT"],
            """
            Error: The value 'table,markdwon' is invalid for '--format': 'markdwon' is none of \
            table, json, junit, hlog, prom, markdown, html; did you mean 'markdown'?

            """
        ),
    ])
    func what_cannot_be_meant_is_refused_at_once(arguments: [String], text: String) throws {
        let run = try rig.demo(arguments.map { $0 == "OUT" ? out : $0 })
        #expect(run.exitCode == 64)
        #expect(run.stderr.hasPrefix(text), "\(run.stderr)")
        #expect(run.stdout == "")
        #expect(!Files.exists(out))
        #expect(run.leftovers == [])
    }

    @Test func a_file_that_cannot_be_written_names_itself_and_takes_no_other_along() throws {
        try Files.makeDirectory(out)
        unsafe symlink("/dev/full", "\(out)/latency.hlog")
        let run = try rig.demo(["--out", out])
        #expect(run.exitCode == 73)
        #expect(
            run.stderr.hasSuffix(
                """
                Error: Cannot write results: write \(out)/latency.hlog: No space left on device.
                  Try: free space there, or give another directory with --out.

                """), "\(run.stderr)")
        #expect(names(in: out) == Self.allFiles)
        // The last words are of what was written, and of how the program ends.
        let written =
            " \(out)/results.json  junit.xml  metrics.prom  report.md  report.html\n"
            + "NOT WRITTEN: latency.hlog\nrepeat: rig demo "
        #expect(run.stdout.contains(written), "\(run.stdout)")
        #expect(run.stdout.hasSuffix("        exit 73\n"), "\(run.stdout)")
        for name in Self.allFiles where name != "latency.hlog" {
            #expect((Files.size("\(out)/\(name)") ?? 0) > 1000, "\(name)")
        }
    }

    @Test func a_directory_in_place_of_the_results_is_told_last() throws {
        try Files.makeDirectory("\(out)/results.json")
        let run = try rig.demo(["--out", out, "--format", "table,json"])
        #expect(run.exitCode == 73)
        #expect(run.stdout.contains("\nNOT WRITTEN: results.json\n"), "\(run.stdout)")
        #expect(!run.stdout.contains("\(out)/results.json"))
        #expect(run.stdout.hasSuffix("        exit 73\n"))
        #expect(run.stderr.contains("Error: Cannot write results: open \(out)/results.json: "))
    }

    /// A run that stops at its input leaves no directory that it made, and each that it found.
    @Test func a_run_that_stops_at_its_input_leaves_no_empty_directory() throws {
        let words = ["demo", "--import", "\(rig.directory)/nowhere.json", "--simulators"]
        let run = try rig.run(words + [rig.directory, "--out", "\(out)/a/b"])
        #expect(run.exitCode == 66)
        #expect(!Files.exists(out))
        try Files.makeDirectory("\(out)/a")
        _ = try rig.run(words + [rig.directory, "--out", "\(out)/a/b"])
        #expect(names(in: out) == ["a"] && names(in: "\(out)/a") == [])
        Files.removeEmptyDirectory("\(out)/a")
    }

    /// Nobody gave a directory, so that no other one helps.
    @Test func a_terminal_that_takes_nothing_is_advised_about_itself() throws {
        func said(_ shell: String) throws -> String {
            let run = try rig.demo(["--progress", "none"], shell: shell)
            #expect(run.exitCode == 73)
            return run.stderr
        }
        #expect(
            try said(">&-") == """
                Error: Cannot write results: write stdout: Bad file descriptor.
                  Try: keep stdout open, or give --quiet with --out.

                """)
        #expect(
            try said(">/dev/full") == """
                Error: Cannot write results: write stdout: No space left on device.
                  Try: free space there, or give --quiet with --out.

                """)
    }

    /// Files of two runs beside each other would be taken for those of one.
    @Test func files_of_an_older_run_do_not_stay() throws {
        _ = try rig.demo(["--out", out])
        let refused = try rig.run(
            ["lab", "store", "--medications", "1000", "--out", out], replacesRuns: false)
        #expect(refused.exitCode == 73 && refused.stderr.contains("holds an earlier run"))
        #expect(refused.stderr.contains("or --force to replace that run."))
        let run = try rig.demo(["--out", out, "--format", "json"])
        #expect(names(in: out) == ["results.json"])
        #expect(
            run.stderr.hasSuffix(
                "rig: removed from '\(out)', being of an older run: junit.xml, latency.hlog, "
                    + "metrics.prom, report.md, report.html\n"), "\(run.stderr)")
    }

    @Test func every_file_of_an_interrupted_run_says_so() throws {
        let run = try rig.run(
            [
                "demo", "--simulators", rig.directory, "--import", "\(rig.directory)/list.json",
                "--duration", "50s", "--rate", "20/s", "--out", out, "--timeout", "2s",
            ]
        ) { pid, line in
            if line.contains("load both ways") {
                usleep(200_000)
                kill(pid, SIGINT)
            }
        }
        #expect(run.exitCode == 130, "\(run.stderr)")
        let json = try JSONParser.parse(try text("results.json")).value
        #expect(json["complete"] == false)
        #expect(JSONSchema(published: "rig.results-1").complaints(about: json) == [])
        #expect(try text("junit.xml").contains(#" errors="1" "#))
        #expect(try text("junit.xml").contains(#"<property name="complete" value="false"/>"#))
        #expect(try text("latency.hlog").contains("\n#[INCOMPLETE: the run ended early]\n"))
        #expect(try text("metrics.prom").hasPrefix("# INCOMPLETE: the run ended early.\n"))
        #expect(try text("report.md").contains("\n**INCOMPLETE**: the run ended early;"))
    }

    private static let package = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(4).joined(separator: "/")

    /// The Python that `./test` makes, with HdrHistogram.
    private static let python: String? = {
        let path = "\(package)/.build/python"
        let places = ["lib", "lib64"].flatMap { library in
            names(in: "\(path)/\(library)").map { "\(path)/\(library)/\($0)/site-packages/hdrh" }
        }
        if places.contains(where: Files.isDirectory) { return "\(path)/bin/python3" }
        print(
            "skipped: the test of latency.hlog needs hdrhistogram in .build/python, which './test' "
                + "installs where the Python package index can be reached")
        return nil
    }()

    /// HdrHistogram's own reader finds the counts and percentiles of results.json in the log, and
    /// would tell if they were others.
    @Test(.enabled(if: RigOutputTests.python != nil, "needs hdrhistogram in .build/python"))
    func another_reader_finds_the_same_latencies() throws {
        let run = try rig.demo(["--out", out, "--quiet", "--rate", "2400/s"])
        #expect([0, 2].contains(run.exitCode), "\(run.stderr)")
        func check() throws -> (output: String, code: ChildProcess.End?) {
            let script = "\(Self.package)/Examples/python/check_latencies.py"
            let process = try ChildProcess(
                name: "check_latencies", executable: Self.python ?? "",
                arguments: ["-B", script, out])
            process.closeInput()
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe read(process.output, &chunk, chunk.count)
                guard count > 0 else { break }
                bytes += chunk[..<count]
            }
            process.stop(within: .seconds(10))
            return (String(decoding: bytes, as: UTF8.self), process.end)
        }
        let good = try check()
        #expect(good.code == .exited(code: 0), "\(good.output)")
        // How many records a load is at its end depends on the machine by one or two.
        let counted = try #require(
            good.output.firstMatch(of: /sync: n=(1[12][0-9]{2}), the same\n/), "\(good.output)")

        // Another run's log: same names, other counts.
        let path = "\(out)/latency.hlog"
        let log = try Files.read(path)
        let other = try rig.demo(["--out", out, "--quiet", "--rate", "200/s"])
        #expect([0, 2].contains(other.exitCode), "\(other.stderr)")
        try Files.write(log, to: path)
        let bad = try check()
        #expect(bad.code == .exited(code: 1))
        let words = /sync: n=(1?[0-9]{2}), n is \1 in results.json and ([0-9]+) in the log/
        let differing = try #require(bad.output.firstMatch(of: words), "\(bad.output)")
        #expect(differing.2 == counted.1)
    }
}
