import Glibc
import Testing

@testable import CommandLine
@testable import Reports

/// `report.html` as a browser shows it. A script of the examples looks; here it is seen to find
/// what is wrong.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RigPageTests {
    let rig: RigProgram
    private var out: String { "\(rig.directory)/out" }

    init() throws { rig = try RigProgram() }

    private static let package = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(4).joined(separator: "/")

    /// As in the script.
    private static let browser: String? = {
        let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
        let found = names.lazy.map { "/usr/bin/\($0)" }.first(where: Files.isExecutable)
        if found == nil {
            print(
                "skipped: the tests of report.html in a browser need Chromium; try: apt-get "
                    + "install chromium-headless-shell")
        }
        return found
    }()

    private func look(_ out: String? = nil) throws -> (output: String, code: ChildProcess.End?) {
        let out = out ?? self.out
        let process = try ChildProcess(
            name: "check_report", executable: "/usr/bin/env",
            arguments: [
                "TMPDIR=\(rig.directory)", "/usr/bin/python3", "-B",
                "\(Self.package)/Examples/python/check_report.py", out,
            ])
        process.closeInput()
        let output = readAll(process.output)
        process.stop(within: .seconds(10))
        let left = names(in: rig.directory).filter { $0.hasPrefix("browser-") }
        #expect(left == [], "the browser's profile stays")
        return (output, process.end)
    }

    private func readAll(_ number: Int32) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(number, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    private func change(_ text: String, to other: String) throws {
        let path = "\(out)/report.html"
        let page = String(decoding: try Files.read(path), as: UTF8.self)
        #expect(page.contains(text), "\(text)")
        try Files.write(Array(page.replacing(text, with: other, maxReplacements: 1).utf8), to: path)
    }

    /// The policy of the page names its script by what is in it.
    private func changeScript(_ text: String, to other: String) throws {
        let old = HTMLScript.text
        try change(text, to: other)
        try change(
            HTMLReport.source(old),
            to: HTMLReport.source(old.replacing(text, with: other, maxReplacements: 1)))
    }

    @Test(.enabled(if: browser != nil, "needs chromium-headless-shell"))
    func a_browser_draws_it_and_every_figure_is_that_of_the_results() throws {
        let run = try rig.demo(["--out", out, "--quiet"])
        #expect([0, 2].contains(run.exitCode), "\(run.stderr)")
        let good = try look()
        #expect(good.code == .exited(code: 0), "\(good.output)")
        let page = try Files.read("\(out)/report.html")
        #expect(page.count < 1_000_000)

        func finds(_ complaint: String) throws {
            let bad = try look()
            #expect(bad.code == .exited(code: 1), "\(complaint)")
            #expect(bad.output.contains(complaint), "\(bad.output)")
            try Files.write(page, to: "\(out)/report.html")
        }
        try change("<data value=\"", to: "<data value=\"7")
        try finds(", and in results.json [")
        try change("<span class=\"chip pass\">PASS", to: "<span class=\"chip pass\">FAIL")
        try finds(" is FAIL")
        try change("</main>", to: "<p style=\"background: url(a.png)\"></p></main>")
        try finds("the page refers to something outside of it")
        try change("\"use strict\";", to: "\"use strict\"; ")
        try finds("the policy has another hash for the script\ntrouble: Executing inline script")
        try changeScript("function drawStages() {", to: "function drawStages() { absent();")
        try finds("trouble: ReferenceError: absent is not defined")
        try changeScript("\"data-ns\": ns,", to: "\"data-ns\": ns + 1,")
        try finds(" is drawn at ")
        try changeScript("- (Math.log10(Math.max(ns, 1)) - low)", to: "- Math.max(3, low)")
        try finds(" ns are drawn at one height")
        try changeScript("view.from + end.share * length", to: "last")
        try finds("dragging shows ")
        try changeScript("if (near) choose(near, false);", to: "")
        try finds("no click chooses a record")
        try changeScript("const length = (view.to - view.from) * factor;", to: "const length = 9;")
        try finds("zoomed from ")
        try changeScript("!hidden.has(curve.name)", to: "curve.name")
        try finds("hiding a series leaves ")
        // A record that came before it was sent, and one whose stages are longer than the whole.
        try change("\"moments\":[\"", to: "\"moments\":[\"-1")
        try finds("record 0: 'sent' is earlier than what comes before it")
        try change(" data-head=\"ms\"><data value=\"", to: " data-head=\"ms\"><data value=\"9")
        try finds("add up to ")
        let table = #"<table id="table-percentiles""#
        try change(table + #" class="stacks">"#, to: table + ">")
        try finds("the figures of table-percentiles are not to be seen")
        try change(" data-head=\"Max\"", to: " data-head=\"Target\"")
        try finds("at a width of 360 a cell of table-targets in the column Max is called target")
    }

    /// Journals on a disk, where a complication leaves before its sender holds it, and too few
    /// records for any percentile.
    @Test(.enabled(if: browser != nil, "needs chromium-headless-shell"))
    func a_run_of_a_few_records_is_drawn_as_well() throws {
        let run = try rig.run([
            "bench", "--simulators", rig.directory, "--cpu", "any", "--duration", "1s", "--rate",
            "3/s", "--warm-up", "0s", "--out", out, "--quiet",
        ])
        #expect([0, 2].contains(run.exitCode), "\(run.stderr)")
        let good = try look()
        #expect(good.code == .exited(code: 0), "\(good.output)")
        let page = String(decoding: try Files.read("\(out)/report.html"), as: UTF8.self)
        #expect(page.contains("<td class=\"n\" data-head=\"p50\">(few)</td>"))
        try changeScript("if (near) choose(near, false);", to: "")
        let bad = try look()
        #expect(bad.output.contains("no click chooses a record"), "\(bad.output)")
    }

    /// Packets of real simulators, some of them lost: every one is as in `packets.csv`, and clicks
    /// find them.
    @Test(.enabled(if: browser != nil, "needs chromium-headless-shell"))
    func packets_are_drawn_and_answer_clicks() throws {
        let real = try RigProgram(isScripted: false)
        let folder = "\(real.directory)/out"
        let run = try real.run([
            "bench", "--simulators", real.directory, "--cpu", "any", "--set",
            "rtt=40ms,loss=8%", "--mix", "sync,complication,dose", "--duration", "2s", "--rate",
            "20/s", "--warm-up", "200ms", "--out", folder, "--quiet",
        ])
        #expect([0, 2].contains(run.exitCode), "\(run.stderr)")
        let good = try look(folder)
        #expect(good.code == .exited(code: 0), "\(good.output)")
        let page = String(decoding: try Files.read("\(folder)/report.html"), as: UTF8.self)
        let table = try Files.read("\(folder)/packets.csv")
        func finds(_ complaint: String, where text: String, becomes other: String) throws {
            #expect(page.contains(text), "\(text)")
            let script = HTMLScript.text.replacing(text, with: other, maxReplacements: 1)
            let changed = page.replacing(text, with: other, maxReplacements: 1)
                .replacing(HTMLReport.source(HTMLScript.text), with: HTMLReport.source(script))
            try Files.write(Array(changed.utf8), to: "\(folder)/report.html")
            let bad = try look(folder)
            #expect(bad.output.contains(complaint), "\(bad.output)")
        }
        try finds(
            "no click chooses a packet", where: "if (packet) return pick(packet, false);",
            becomes: "")
        try finds(" B, not ", where: "bytes: parseInt(bytes[place], 36)", becomes: "bytes: 7")
        try finds(
            "a click on ('down', ",
            where: "? [rows.received, rows.sends] : [rows.sends, rows.received];",
            becomes: "? [rows.sends, rows.received] : [rows.received, rows.sends];")
        try finds(
            "and its record is", where: #""isFromWatch":true"#, becomes: #""isFromWatch":false"#)
        try Files.write(Array(page.utf8), to: "\(folder)/report.html")
        let wrong = String(decoding: table, as: UTF8.self)
            .replacing(",arrived,", with: ",lost,", maxReplacements: 1)
        try Files.write(Array(wrong.utf8), to: "\(folder)/packets.csv")
        let bad = try look(folder)
        #expect(bad.output.contains("'fate': 'arrived'"), "\(bad.output)")
        Files.remove("\(folder)/packets.csv")
        let without = try look(folder)
        #expect(
            without.output.contains("there is no packets.csv, and the page does not say so"),
            "\(without.output)")
    }
}
