import ControlProtocol
import Glibc
import Testing

/// The example that drives both simulators from another language.
@Suite(.timeLimit(.minutes(5))) struct PythonExampleTests {
    /// The example stands beside the tests in the package; Python may be absent.
    private static let script: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return parts.joined(separator: "/") + "/Examples/python/drive_both.py"
    }()

    private static let python: String? = {
        let found = ["/usr/bin/python3", "/usr/local/bin/python3"].first { (path: String) in
            unsafe access(path, X_OK) == 0
        }
        if found == nil {
            print("skipped: the Python example needs python3, which is not installed")
        }
        return found
    }()

    // Skipped, with the line above, where there is no Python 3.
    @Test(.enabled(if: PythonExampleTests.python != nil, "needs python3"))
    func the_python_example_drives_both() throws {
        let bench = Bench()
        let run = try Program(
            Self.python ?? "", [Self.script, Program.directory, bench.list()], awaitsReady: false)
        run.closeInput()
        let lines = try run.rest()
        #expect(try run.awaitEnd(seconds: 30) == .exited(0), "\(run.errorText())")
        #expect(lines.first?["synced"] == 20)
        #expect(lines.first?["equal"] == true)
    }

    private static let package = String(script.dropLast("/Examples/python/drive_both.py".count))

    /// The Python that `./test` makes, with pytest.
    private static let pytest: String? = {
        let path = "\(package)/.build/python/bin/pytest"
        if unsafe access(path, X_OK) == 0 { return "\(package)/.build/python/bin/python3" }
        print(
            "skipped: the examples of integration tests need pytest in .build/python, which "
                + "'./test' installs where the Python package index can be reached")
        return nil
    }()

    /// The examples of integration tests, as their user runs them: with the client module, over
    /// standard input and output, sockets and pipes.
    @Test(.enabled(if: PythonExampleTests.pytest != nil, "needs pytest in .build/python"))
    func the_examples_of_integration_tests_pass() throws {
        let bench = Bench()
        // The output of pytest is no protocol: all of it goes to standard error.
        let words = [
            "WATCHPROTO_BIN=\(Program.directory)", "TMPDIR=\(bench.directory)",
            Self.pytest ?? "", "-B", "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider",
            "--basetemp=\(bench.path("pytest"))", "\(Self.package)/Examples/python/tests",
        ]
        let script = "env \"$@\" >&2; code=$?; rm -rf '\(bench.path("pytest"))'; exit $code"
        let run = try Program("/bin/sh", ["-c", script, "sh"] + words, awaitsReady: false)
        run.closeInput()
        #expect(try run.awaitEnd(seconds: 120) == .exited(0), "\(run.errorText())")
        let text = run.errorText()
        #expect(text.contains(" passed") && !text.contains("failed"), "\(text)")
    }
}
