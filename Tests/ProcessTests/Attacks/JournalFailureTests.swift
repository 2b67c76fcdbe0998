import CPosix
import ControlProtocol
import Glibc
import Testing

/// The program that lifts the limit of a running process (util-linux).
private enum Lifting { static let program = "/usr/bin/prlimit" }

/// A disk that is full for a moment (issue 21, item 7): once there is space again the session goes
/// on without a new process.
@Suite(
    .serialized, .timeLimit(.minutes(2)),
    .enabled(if: unsafe access(Lifting.program, X_OK) == 0, "needs prlimit"))
struct JournalFailureTests {
    /// A pair whose watch has met a full disk; the disk has room again.
    private struct Hurt {
        let bench = Bench()
        let pair: Pair

        init() throws {
            try Pair.couple(bench)
            let (p, w) = (bench.path("p"), bench.path("w"))
            let link = bench.link()
            // No file may grow beyond 300 KiB, until that is lifted below.
            let script = "ulimit -S -f 600; exec \"$0\" \"$@\""
            let words = ["--link", link, "--journal", w, "--log-pages-ahead", "0"]
            pair = try Pair(
                bench, phone: Program("PhoneSim", ["--link", link, "--journal", p]),
                watch: Program("/bin/sh", ["-c", script, Program.path("WatchSim")] + words))
            for _ in 0..<500 where !hasFailed { try record() }
            try #require(hasFailed, "the disk was never full")
            let lifting = ["--pid", "\(pair.watch.pid)", "--fsize=unlimited"]
            let lifted = try Program(Lifting.program, lifting, awaitsReady: false)
            try #require(try lifted.awaitEnd() == .exited(0), "the limit stayed")
        }

        private func record() throws {
            let note: JSONValue = ["kind": "user_info", "payload_b64": "AAAA"]
            _ = try pair.watch.request("send", note)
        }

        private var hasFailed: Bool {
            pair.watch.events.contains { $0["error"]?["code"] == "journal_failed" }
        }

        /// Whether both hear each other within `seconds`.
        func isReached(within seconds: Double) throws -> Bool {
            let start = watchproto_monotonic_nanoseconds()
            while ProcessTests.seconds(since: start) < seconds {
                if try pair.watch.call("status")["reachable"] == true { return true }
                usleep(50_000)
            }
            return false
        }
    }

    /// Attacked: a session, by a disk that is full for a moment. Must hold: the driver opens the
    /// journal again and the session comes back within 5 s, by itself.
    @Test func a_session_comes_back_by_itself_once_there_is_space() throws {
        let hurt = try Hurt()
        let isReached = try hurt.isReached(within: 5)
        let sent = try hurt.pair.watch.request(
            "send", ["kind": "user_info", "payload_b64": "AAAA"])
        #expect(isReached, "no session within 5 s")
        #expect(sent["ok"] == true, "\(JSONWriter.text(sent))")
    }

    /// Attacked: the user's command after such a failure. Must hold: it says that it can do
    /// nothing, or works.
    @Test func a_command_to_open_the_link_works_or_says_that_it_cannot() throws {
        let hurt = try Hurt()
        let reply = try hurt.pair.watch.request("link.open")
        let isReached = try hurt.isReached(within: 3)
        #expect(reply["ok"] == false || isReached, "said ok, no session within 3 s")
    }
}
