import CommandLine
import ControlProtocol
import Glibc
import Testing

@testable import WatchProtoJournal

/// A sealed journal file that somebody without its key has changed (issue 21, `FOUND.md`): the
/// opening refuses it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SealedFileTests {
    private let bench = Bench()

    private var words: [String] {
        [
            "--link", bench.link(), "--unsealed", "--journal", bench.path("w"), "--journal-key",
            bench.path("k"),
        ]
    }

    /// A sealed journal of a watch with 4 medications and 3 doses.
    private func make() throws {
        try Files.write(Array(String(repeating: "5a", count: 32).utf8), to: bench.path("k"))
        _ = unsafe chmod(bench.path("k"), 0o600)
        let watch = try Program("WatchSim", words)
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        try phone.wait("reachability", ["reachable": true])
        try phone.call("import", ["path": .string(bench.list(count: 4))])
        try phone.call("sync")
        try watch.poll("store") { $0["count"] == 4 }
        try watch.call("dose.record", ["index": 0, "count": 3])
        try watch.poll("status") { $0["outstanding"] == 0 }
        try watch.call("quit")
        #expect(try watch.awaitEnd() == .exited(0))
    }

    /// Starts the watch on the file; gives its exit code where it refuses, else what it holds.
    private func opening() throws -> (code: Int32?, text: String) {
        let watch = try Program("WatchSim", words, awaitsReady: false)
        guard (try? watch.line(within: 10))?["event"] == "ready" else {
            guard case .exited(let code) = try watch.awaitEnd() else { return (nil, "killed") }
            return (code, watch.errorText())
        }
        // The rest of the file is checked behind `ready`: a command that needs it is refused.
        guard let store = try? watch.call("store") else {
            guard case .exited(let code) = try watch.awaitEnd() else { return (nil, "killed") }
            return (code, watch.errorText())
        }
        return (nil, "opened with \(JSONWriter.text(store["doses"] ?? .null)) doses")
    }

    /// The checks below measure something: untouched, the file is opened.
    @Test func an_untouched_file_is_opened() throws {
        try make()
        let opened = try opening()
        #expect(opened.text == "opened with 3 doses")
    }

    /// Attacked: a sealed file at rest, by one statement of somebody who holds no key. Must hold:
    /// the opening refuses it as damaged.
    @Test(arguments: [
        """
        CREATE TRIGGER planted AFTER INSERT ON journal_log
        BEGIN DELETE FROM journal_log WHERE seq < NEW.seq; END
        """,
        "DELETE FROM journal_log WHERE seq = (SELECT max(seq) FROM journal_log)",
        "DELETE FROM dose_events WHERE id = (SELECT max(id) FROM dose_events)",
        "UPDATE medications SET taken = 99",
    ])
    func a_changed_file_is_refused(_ statement: String) throws {
        try make()
        let before = try Files.read(bench.path("w"))
        do {
            let database = try Database(path: bench.path("w"), creating: false)
            try database.run(statement)
            database.setsCheckpointOnClose(true)
        }
        #expect(try Files.read(bench.path("w")) != before, "nothing was changed")
        let opened = try opening()
        #expect(opened.code == 65, "\(opened.text)")
    }
}
