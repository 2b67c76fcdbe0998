import CPosix
import ControlProtocol
import Glibc
import Testing

/// A peer that is not this package's: Examples/peer, in Python, written from the articles.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ForeignPeerTests {
    private static let package: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return parts.joined(separator: "/")
    }()

    /// A Python that has the package `cryptography`: that of `./test`, or the system's.
    static let python: String? = {
        let test = """
            from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
            X25519PublicKey.public_bytes_raw
            """
        let found = ["\(package)/.build/python/bin/python3", "/usr/bin/python3"].first { path in
            guard unsafe access(path, X_OK) == 0,
                let run = try? Program(path, ["-c", test], awaitsReady: false)
            else { return false }
            return (try? run.awaitEnd(seconds: 20)) == .exited(0)
        }
        if found == nil {
            print(
                "skipped: the peer in Python needs its package 'cryptography' (40 or later) in "
                    + ".build/python, where './test' puts it")
        }
        return found
    }()

    /// Each carrier in both roles, sealed and unsealed; cuts, kills, restarts and loss.
    @Test(.enabled(if: ForeignPeerTests.python != nil, "needs 'cryptography'"))
    func a_peer_written_from_the_articles_meets_both_programs() throws {
        let bench = Bench()
        let words = [
            "TMPDIR=\(bench.directory)", Self.python ?? "", "-B",
            "\(Self.package)/Examples/peer/trial.py", Program.directory, "some",
        ]
        // The peer speaks no control protocol: all of its output goes to standard error.
        let script = "exec env \"$@\" >&2"
        let run = try Program("/bin/sh", ["-c", script, "sh"] + words, awaitsReady: false)
        run.closeInput()
        let end = try run.awaitEnd(seconds: 150)
        let text = run.errorText()
        #expect(end == .exited(0), "\(text)")
        let lines = text.split(separator: "\n")
        #expect(lines.last?.hasPrefix("41 trials, 0 wrong, ") == true, "\(text)")
        #expect(lines.count { $0.hasSuffix(" s ok") } == 41, "\(text)")
        #expect(bench.files == [])
        #expect(Self.processes(naming: bench.directory) == [])
    }

    /// The command lines of running processes in which a text stands.
    private static func processes(naming text: String) -> [String] {
        names(in: "/proc").filter { UInt($0) != nil }.compactMap { id in
            let file = unsafe open("/proc/\(id)/cmdline", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return nil }
            defer { close(file) }
            let deadline = watchproto_monotonic_nanoseconds() + 1_000_000_000
            let line = String(
                decoding: Program.read(file, until: deadline) ?? [], as: UTF8.self)
            return line.contains(text) ? line : nil
        }
    }
}
