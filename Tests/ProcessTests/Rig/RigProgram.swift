import CPosix
import Glibc

@testable import CommandLine

/// `rig`, as a user runs it, with scripted simulators that plant a fault or with the real ones.
final class RigProgram {
    /// The outcome of a run.
    struct Outcome {
        var exitCode: Int32?
        var stdout: String
        var stderr: String
        /// Simulators, temporary directories and files that were still there when rig had ended.
        var leftovers: [String]

        /// The rows that failed the run, from the table, those of a slow store aside: whatever the
        /// simulators are, the store is a real one, in a debug build beside other tests.
        var failedRows: [Substring] { allFailedRows.filter { !Self.isSlowStore($0) } }

        private var allFailedRows: [Substring] {
            stdout.split(separator: "\n").filter { line in
                line.contains("  FAIL") || line.contains("  NODATA")
            }
        }

        private static func isSlowStore(_ row: Substring) -> Bool {
            row.contains("  FAIL") && (row.hasPrefix("store: ") || row.hasPrefix("migration: "))
        }

        /// Whether no row failed, and the exit code says so.
        var isWell: Bool { failedRows.isEmpty && exitCode == (allFailedRows.isEmpty ? 0 : 2) }
    }

    let directory: String
    let products: String

    init(isScripted: Bool = true) throws {
        let own = Files.ownExecutable ?? ""
        products = own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        directory = try Files.makeTemporaryDirectory("rig-process-test")
        for name in ["PhoneSim", "WatchSim"] {
            let program = isScripted ? "ScriptedSimulator" : name
            unsafe symlink("\(products)/\(program)", "\(directory)/\(name)")
        }
        let names = (0..<120).map { "Testamin \($0)" }
        let medications = names.map { name in
            #"{"name":"\#(name)","strength":"\#(name.count) mg","form":"tablet"}"#
        }
        try Files.write(
            Array(
                (#"{"format":"watchproto.medications/1","medications":["#
                    + medications.joined(separator: ",") + "]}")
                    .utf8), to: "\(directory)/list.json")
    }

    deinit {
        Files.removeDirectory("\(directory)/out")
        Files.removeDirectory(directory)
    }

    /// A short demo with `arguments`.
    func demo(
        _ arguments: [String] = [], fault: String = "", shell: String = "", before: String = ""
    ) throws -> Outcome {
        try run(
            [
                "demo", "--simulators", directory, "--import", "\(directory)/list.json",
                "--duration", "500ms", "--store", "1000", "--all",
            ] + arguments, fault: fault, shell: shell, before: before)
    }

    /// Runs rig to its end; `whileRunning` is called with each line of stderr.
    ///
    /// - Parameters:
    ///   - shell: what a shell does with stdout, such as `>/dev/full`.
    ///   - before: what the shell does first, such as `ulimit -f 1;`.
    func run(
        _ arguments: [String], fault: String = "", shell: String = "", before: String = "",
        timeoutSeconds: UInt64 = 60, replacesRuns: Bool = true,
        whileRunning: (pid_t, String) -> Void = { _, _ in }, onStart: (pid_t) -> Void = { _ in }
    ) throws -> Outcome {
        let words = [
            "TMPDIR=\(directory)", "SCRIPTED_FAULT=\(fault)", "CI=1", "/bin/sh", "-c",
            "\(before) exec \"$0\" \"$@\" \(shell)", "\(products)/rig",
        ]
        // Many tests write into one directory again.
        let force = replacesRuns && arguments.contains("--out") ? ["--force"] : []
        let process = try ChildProcess(
            name: "rig", executable: "/usr/bin/env", arguments: words + arguments + force)
        process.closeInput()
        onStart(process.pid)
        var outcome = Outcome(exitCode: nil, stdout: "", stderr: "", leftovers: [])
        var open = [process.output, process.errors]
        var errorLines = LineBuffer()
        let deadline = MonotonicClock.nowNanoseconds + timeoutSeconds * 1_000_000_000
        while !open.isEmpty, MonotonicClock.nowNanoseconds < deadline {
            var polled = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = unsafe poll(&polled, nfds_t(polled.count), 1000)
            for entry in polled where entry.revents != 0 {
                var chunk = [UInt8](repeating: 0, count: 1 << 16)
                let count = unsafe read(entry.fd, &chunk, chunk.count)
                let bytes = chunk[..<max(0, count)]
                if count <= 0 { open.removeAll { $0 == entry.fd } }
                let text = String(decoding: bytes, as: UTF8.self)
                if entry.fd == process.output {
                    outcome.stdout += text
                } else {
                    outcome.stderr += text
                    for line in errorLines.append(bytes) {
                        whileRunning(process.pid, String(decoding: line, as: UTF8.self))
                    }
                }
            }
        }
        process.stop(within: .seconds(2))
        if case .exited(let code)? = process.end { outcome.exitCode = code }
        outcome.leftovers = processes() + temporaryFiles
        return outcome
    }

    /// Temporary directories and files that a run has left.
    private var temporaryFiles: [String] {
        names(in: directory).filter { name in
            [
                "rig-demo", "rig-bench", "rig-peer", "rig-real", "rig-run", "crash-", "durable-",
                "baseline-",
            ]
            .contains {
                name.hasPrefix($0)
            }
        }
    }

    /// Running processes that were started from this test's directory.
    private func processes() -> [String] {
        var found: [String] = []
        for name in names(in: "/proc") {
            guard Int(name) != nil, let bytes = try? Files.read("/proc/\(name)/cmdline") else {
                continue
            }
            let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            if let first = words.first, first.hasPrefix(directory) {
                found.append(first)
                // Reported as a failure, but not left behind by the test itself.
                if let pid = pid_t(name) { kill(pid, SIGKILL) }
            }
        }
        return found
    }
}
