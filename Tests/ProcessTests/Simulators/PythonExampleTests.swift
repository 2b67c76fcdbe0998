import ControlKit
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
}
