import ControlKit
import Glibc
import Testing

@testable import RigKit

/// `report.html` of a run with the real simulators, in a headless Chromium that a script in Python
/// drives: it draws, zooms and answers clicks, and its figures are those of `results.json`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReportPageTests {
    private static let package = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        .dropLast(4).joined(separator: "/")

    /// Whether there are both; a line says what is missing.
    private static let hasBrowser: Bool = {
        let names = ["chromium-headless-shell", "chrome-headless-shell", "chromium"]
        let places = names.flatMap { ["/usr/bin/\($0)", "/usr/local/bin/\($0)"] }
        let found = places.contains(where: Files.exists)
        if !found {
            print(
                "skipped: the test of report.html needs a headless Chromium, which './test' "
                    + "installs where Debian's packages can be reached")
        }
        return found && Files.exists("/usr/bin/python3")
    }()

    /// What the script says of the report in `directory`, and how it ends.
    private func check(_ directory: String, _ rig: RigProgram) throws -> (
        output: String, end: ChildProcess.End?
    ) {
        let process = try ChildProcess(
            name: "check-report", executable: "/usr/bin/env",
            arguments: [
                "TMPDIR=\(rig.directory)", "/usr/bin/python3", "-B",
                "\(Self.package)/scripts/browser/check-report.py", directory,
            ])
        process.closeInput()
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(process.output, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        process.stop(within: .seconds(10))
        let left = names(in: rig.directory).filter { $0.hasPrefix("browser-") }
        #expect(left == [], "the browser's profile stays")
        return (String(decoding: bytes, as: UTF8.self), process.end)
    }

    @Test(.enabled(if: ReportPageTests.hasBrowser, "needs chromium-headless-shell and python3"))
    func a_browser_finds_the_figures_of_results_json() throws {
        let rig = try RigProgram(isScripted: false)
        let out = "\(rig.directory)/out"
        let run = try rig.run([
            "bench", "--simulators", rig.directory, "--cpu", "any", "--duration", "1500ms",
            "--warm-up", "200ms", "--rate", "50/s", "--mix", "sync,complication,message-back",
            "--out", out,
        ])
        #expect([0, 2].contains(run.exitCode), "\(run.stderr)")
        let good = try check(out, rig)
        #expect(good.end == .exited(code: 0), "\(good.output)")
        #expect(good.output == "report.html: drawn, its figures are those of results.json\n")

        // Faults that it must find: another figure, another script than the policy allows.
        let page = String(decoding: try Files.read("\(out)/report.html"), as: UTF8.self)
        let faults = [
            (#"<data value=""#, #"<data value="9"#, "sync: ["),
            (#""use strict";"#, #""use strict"; "#, "the policy has another hash for the script"),
        ]
        for (sound, planted, words) in faults {
            let text = page.replacing(sound, with: planted, maxReplacements: 1)
            try Files.write(Array(text.utf8), to: "\(out)/report.html")
            let bad = try check(out, rig)
            #expect(bad.end == .exited(code: 1))
            #expect(bad.output.contains(words), "\(bad.output)")
        }
    }
}
