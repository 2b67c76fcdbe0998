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

        init(lifts: Bool = true) throws {
            try Pair.couple(bench)
            let (p, w) = (bench.path("p"), bench.path("w"))
            let link = bench.link()
            // No file may grow beyond 300 KiB, until that is lifted below.
            let script = "ulimit -S -f 600; exec \"$0\" \"$@\""
            let words = ["--link", link, "--journal", w, "--log-pages-ahead", "0"]
            pair = try Pair(
                bench, phone: Program("PhoneSim", ["--link", link, "--journal", p]),
                watch: Program("/bin/sh", ["-c", script, Program.path("WatchSim")] + words))
            try pair.synchronize(bench.list(count: 1))
            for _ in 0..<500 where !hasFailed { try record() }
            try #require(hasFailed, "the disk was never full")
            if lifts { try lift() }
        }

        /// Gives the disk room again.
        func lift() throws {
            let lifting = ["--pid", "\(pair.watch.pid)", "--fsize=unlimited"]
            let lifted = try Program(Lifting.program, lifting, awaitsReady: false)
            try #require(try lifted.awaitEnd() == .exited(0), "the limit stayed")
        }

        @discardableResult
        func record() throws -> JSONValue? {
            let note: JSONValue = ["kind": "user_info", "payload_b64": "AAAA"]
            return try pair.watch.request("send", note)["error"]
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

    /// Attacked: commands while the journal has failed. Must hold: a refusal says what failed, and
    /// a query that is refused says that it has changed nothing.
    @Test func a_refusal_says_what_failed_and_a_query_that_nothing_changed() throws {
        let hurt = try Hurt(lifts: false)
        var (refused, asked) = (0, 0)
        for _ in 0..<2_000 where refused < 3 || asked < 3 {
            if let error = try hurt.record(), error["outcome"] == "nothing" {
                #expect(error["code"] == "journal_failed")
                #expect(error["detail"]?.string?.isEmpty == false)
                refused += 1
            }
            let query = try hurt.pair.watch.request("dose.history")
            if let error = query["error"] {
                #expect(error["code"] == "journal_failed" && error["outcome"] == "nothing")
                asked += 1
            }
        }
        try #require(refused > 0 && asked > 0)
    }

    /// Attacked: a pairing that begins while the journal has failed. Must hold: once the journal
    /// accepts writes again, `journal.reopened` says so, though there is no session.
    @Test func a_journal_that_opens_under_a_pairing_is_told() throws {
        let hurt = try Hurt(lifts: false)
        let watch = hurt.pair.watch
        func news() -> [JSONValue] {
            watch.events.filter {
                $0["event"] == "journal.reopened" || $0["error"]?["code"] == "journal_failed"
            }
        }
        var isPairing = false
        for _ in 0..<500 where !isPairing {
            try hurt.record()
            guard news().last?["event"] == "error" else { continue }
            isPairing = try watch.request("pair.show")["ok"] == true
            if isPairing, news().last?["event"] != "error" {
                try watch.call("pair.cancel")
                try watch.wait("pairing.ended")
                isPairing = false
            }
        }
        try #require(isPairing, "no pairing began while the journal had failed")
        try hurt.lift()
        var isRecorded = false
        for _ in 0..<200 where !isRecorded {
            isRecorded = try watch.request("dose.record", ["index": 0])["ok"] == true
            usleep(20_000)
        }
        try #require(isRecorded, "the journal never accepted a dose again")
        #expect(try watch.request("pair.confirm")["error"]?["code"] == "nothing_to_confirm")
        #expect(news().last?["event"] == "journal.reopened")
    }
}
