import CommandLine
import ControlProtocol
import Glibc
import Testing

@testable import Rig

/// `rig up` and `rig key`, as a user runs them.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigUpTests {
    private let rig: RigProgram

    init() throws { rig = try RigProgram(isScripted: false) }

    private func up(_ lines: [String], _ words: [String] = []) throws -> RigProgram.Outcome {
        let typed = lines.map { $0 + "\\n" }.joined()
        return try rig.run(
            ["up", "--simulators", rig.directory] + words, before: "printf '\(typed)' |")
    }

    @Test func a_pair_is_up_and_takes_commands() throws {
        let run = try up(
            [
                "watch store", "phone complication.update text=8:00", "link set profile=edge",
                "phone {\"cmd\":\"status\"}", "watch nope", "walk", "help", "quit", "phone status",
            ], ["--profile", "5g"])
        #expect(run.exitCode == 0, "\(run.stderr)")
        let lines = run.stdout.split(separator: "\n").map(String.init)
        func replies(_ name: String) -> [JSONValue] {
            lines.filter { $0.hasPrefix("\(name): ") }
                .compactMap { try? JSONParser.parse(String($0.dropFirst(name.count + 2))).value }
                .filter { $0["ok"] != nil }
        }
        #expect(replies("watch").first?["count"]?.unsigned ?? 0 > 100)
        #expect(replies("watch").last?["error"]?["code"] == "unknown_command")
        #expect(replies("phone").count == 2 && replies("phone").allSatisfy { $0["ok"] == true })
        #expect(replies("phone").last?["paired"] == true)
        #expect(replies("link").first?["effective"]?["name"] == "edge")
        #expect(lines.contains { $0.hasPrefix("? 'walk': expected phone, watch or link") })
        #expect(lines.contains("  link down"))
        #expect(run.leftovers == [])
    }

    @Test func it_ends_well_on_ctrl_c() throws {
        let run = try rig.run(
            ["up", "--simulators", rig.directory],
            before: "mkfifo \(rig.directory)/p; exec <>\(rig.directory)/p;",
            whileRunning: { pid, line in
                if line == "The link:" { kill(pid, SIGINT) }
            })
        #expect(run.exitCode == 0, "\(run.stderr)")
        #expect(run.leftovers == [])
    }

    @Test func a_kept_pair_comes_up_again() throws {
        let couple = ["--directory", "\(rig.directory)/out"]
        let first = try up(["phone status"], couple)
        let again = try up(["phone status"], couple)
        #expect(first.exitCode == 0 && again.exitCode == 0, "\(again.stderr)")
        func pairing(_ run: RigProgram.Outcome) -> String? {
            let line = run.stdout.split(separator: "\n").first { $0.contains("\"ok\":true") }
            return line.flatMap { try? JSONParser.parse(String($0.dropFirst(7))).value }?[
                "pairing"]?
                .string
        }
        #expect(pairing(first) != nil && pairing(first) == pairing(again))
    }

    @Test func words_become_a_command() {
        let command = UpSession.command("dose.record count=2 note=a=b", isForLink: false)
        #expect(command?["cmd"] == "dose.record" && command?["count"] == 2)
        #expect(command?["note"] == "a=b")
        #expect(UpSession.command("set set=rtt=60ms", isForLink: true)?["cmd"] == "link.set")
        #expect(UpSession.command("set profile", isForLink: true) == nil)
        #expect(UpSession.command("{\"cmd\":1", isForLink: false) == nil)
    }

    @Test func a_key_is_made_once_and_opens_what_it_sealed() throws {
        let path = "\(rig.directory)/new.key"
        let made = try rig.run(["key", path])
        #expect(made.exitCode == 0 && made.stdout.hasSuffix("mode 0600; keep a copy\n"))
        let bytes = try Files.read(path)
        #expect(bytes.count == 32 && Set(bytes).count > 8)
        let again = try rig.run(["key", path])
        #expect(again.exitCode == 73 && again.stderr.contains("exists; a key that seals"))
        #expect(try Files.read(path) == bytes)
        let pair = [
            "pair", rig.directory, "--simulators", rig.directory, "--journal-key", path,
        ]
        #expect(try rig.run(pair).exitCode == 0)
        let twice = try rig.run(pair)
        #expect(twice.exitCode == 73 && twice.stderr.contains("WatchSim is paired already"))
        #expect(try rig.run(pair + ["--force"]).exitCode == 0)
        // Without the key the simulator's own exit code is rig's.
        let locked = try rig.run(Array(pair.dropLast(2)) + ["--force"])
        #expect(locked.exitCode == 77 && locked.stderr.contains("WatchSim refused to start"))
    }
}
