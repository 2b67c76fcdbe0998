import CommandLine
import ControlProtocol
import Testing

/// `rig pair`, as a user runs it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigPairTests {
    let rig: RigProgram

    init() throws { rig = try RigProgram(isScripted: false) }

    private func pair(
        _ further: [String] = [], answers: [String] = []
    ) throws -> RigProgram.Outcome {
        let lines = answers.map { $0 + "\\n" }.joined()
        return try rig.run(
            ["pair", rig.directory, "--simulators", rig.directory] + further,
            before: answers.isEmpty ? "" : "printf '\(lines)' |", timeoutSeconds: 30)
    }

    @Test(arguments: ["watch", "phone"]) func two_journals_become_a_pair(shows: String) throws {
        let run = try pair(["--shows", shows])
        #expect(run.exitCode == 0, "\(run.stderr)\(run.stdout)")
        let name = shows == "watch" ? "WatchSim" : "PhoneSim"
        #expect(run.stdout.firstMatch(of: try Regex("^\(name) shows [0-9]{6}\n")) != nil)
        #expect(run.stdout.contains("\npaired: "))
        #expect(run.leftovers == [])
        // Started on these files they know each other.
        let link = ["--link", "unix:\(rig.directory)/link"]
        let watch = try Program(
            "WatchSim", link + ["--journal", "\(rig.directory)/WatchSim.journal"])
        let phone = try Program(
            "PhoneSim", link + ["--journal", "\(rig.directory)/PhoneSim.journal"])
        #expect(phone.ready["paired"] == true && watch.ready["paired"] == true)
        try phone.wait("reachability", ["reachable": true])
    }

    /// The records under way in the former pairing are reported: a phone's records go on under the
    /// new keys, of a watch's only doses do.
    @Test func pairing_anew_tells_what_becomes_of_the_queues() throws {
        let first = try pair()
        #expect(first.exitCode == 0 && !first.stdout.contains("the pairing before"))
        for (name, count) in [("WatchSim", 1), ("PhoneSim", 2)] {
            let side = try Program(
                name,
                [
                    "--link", "unix:\(rig.directory)/link",
                    "--journal", "\(rig.directory)/\(name).journal",
                ])
            for _ in 0..<count {
                try side.call("send", ["kind": "user_info", "payload_b64": "AAAA"])
            }
            try side.call("quit")
            _ = try side.awaitEnd()
        }
        let run = try pair(["--force"])
        #expect(run.exitCode == 0, "\(run.stderr)\(run.stdout)")
        let told = run.stdout.split(separator: "\n").filter { $0.contains("the pairing before") }
        #expect(
            told.sorted() == [
                "PhoneSim: 2 records of the pairing before are queued anew",
                "WatchSim: 1 record of the pairing before is erased",
            ])
    }

    @Test func three_wrong_codes_end_it() throws {
        let run = try pair(["--ask"], answers: ["000000", "12 34", "000001", "000002"])
        #expect(run.exitCode == 69, "\(run.stderr)\(run.stdout)")
        #expect(run.stdout.contains("not_authentic, 2 tries left"))
        #expect(run.stdout.contains("not_authentic, 1 try left"))
        #expect(run.stdout.contains("does not take that (bad_field)"))
        #expect(run.stdout.contains("not_authentic, 0 tries left"))
        #expect(run.stderr.contains("Error: Pairing has ended: three runs failed."))
        #expect(run.leftovers == [])
    }

    /// The user answers when the code that was asked for is gone, and reads what is shown then.
    @Test func a_code_that_grows_too_old_at_the_prompt_is_replaced_and_the_next_pairs() throws {
        let shown = "\(rig.directory)/shown"
        // Waits for two codes on the screen, then types the last one, and both confirmations.
        let user = """
            (n=0; until [ "$(grep -c shows '\(shown)' 2>/dev/null)" -gt 1 ] || [ $n -gt 200 ]; do \
            n=$((n+1)); sleep 0.1; done; \
            sed -n 's/.* shows //p' '\(shown)' | tail -n 1; echo yes; echo yes) |
            """
        let run = try rig.run(
            ["pair", rig.directory, "--simulators", rig.directory, "--ask", "--code-life", "4s"],
            shell: "> '\(shown)'", before: user, timeoutSeconds: 40)
        let told = String(decoding: try Files.read(shown), as: UTF8.self)
        #expect(run.exitCode == 0, "\(run.stderr)\(told)")
        #expect(told.contains("WatchSim: the code became too old\nWatchSim shows "))
        #expect(!told.contains("not_authentic"))
        #expect(told.contains("\npaired: "))
        #expect(run.leftovers == [])
    }

    /// Typed after it was replaced, the old code costs one try, and the one that is shown then is
    /// the one that counts.
    @Test func an_old_code_typed_costs_one_try_and_no_more() throws {
        let shown = "\(rig.directory)/shown"
        let user = """
            (n=0; until [ "$(grep -c shows '\(shown)' 2>/dev/null)" -gt 1 ] || [ $n -gt 200 ]; do \
            n=$((n+1)); sleep 0.1; done; sed -n 's/.* shows //p' '\(shown)' | head -n 1; \
            until grep -q 'WatchSim: not_auth' '\(shown)' || [ $n -gt 400 ]; do \
            n=$((n+1)); sleep 0.1; done; until tail -n 2 '\(shown)' | grep -q '^? the' \
            || [ $n -gt 600 ]; do n=$((n+1)); sleep 0.1; done; \
            sed -n 's/.* shows //p' '\(shown)' | tail -n 1; echo yes; echo yes) |
            """
        let run = try rig.run(
            ["pair", rig.directory, "--simulators", rig.directory, "--ask", "--code-life", "4s"],
            shell: "> '\(shown)'", before: user, timeoutSeconds: 60)
        let told = String(decoding: try Files.read(shown), as: UTF8.self)
        #expect(run.exitCode == 0, "\(run.stderr)\(told)")
        #expect(told.contains("PhoneSim: not_authentic, 2 tries left"))
        #expect(!told.contains("1 try left"))
    }

    /// A pairing that did not begin leaves no directory.
    @Test func a_refused_start_leaves_no_directory() throws {
        let place = "\(rig.directory)/a/couple"
        let key = "\(rig.directory)/open.key"
        try Files.write([UInt8](repeating: 1, count: 32), to: key, mode: 0o644)
        for (words, code) in [
            (["--simulators", "/tmp"], 66),
            (["--simulators", rig.directory, "--journal-key", key], 77),
        ] as [([String], Int32)] {
            let run = try rig.run(["pair", place] + words)
            #expect(run.exitCode == code, "\(run.stderr)")
            #expect(!Files.exists("\(rig.directory)/a"), "\(names(in: place))")
        }
    }

    @Test func an_end_of_the_answers_is_explained() throws {
        let ended = try pair(["--ask"], answers: ["000000"])
        #expect(ended.exitCode == 64)
        #expect(ended.stderr.contains("Standard input ended before an answer."))
        #expect(ended.leftovers == [])
    }

    @Test func two_versions_are_named_and_the_older_one_is_to_be_updated() throws {
        let rig = try RigProgram()
        let run = try rig.run(
            ["pair", rig.directory, "--simulators", rig.directory], fault: "phone:older")
        #expect(run.exitCode == 69, "\(run.stderr)\(run.stdout)")
        let skew = "WatchSim speaks pairing version 2, PhoneSim version 1: update PhoneSim"
        #expect(run.stderr.contains("The two cannot pair: \(skew)."))
        let demo = try rig.demo(["--timeout", "1s"], fault: "phone:older")
        #expect(demo.exitCode == 69 && demo.stderr.contains("PhoneSim did not pair: \(skew)."))
        let link = try rig.demo(["--timeout", "1s"], fault: "phone:old-link")
        #expect(link.exitCode == 69)
        #expect(
            link.stderr.contains(
                "WatchSim speaks wire version 1, PhoneSim version 2: update WatchSim"),
            "\(link.stderr)")
    }

    @Test func a_demo_without_sealing_says_so_everywhere() throws {
        let run = try rig.demo(["--unsealed", "--json"])
        #expect(run.stderr.contains("rig: the link is UNSEALED (--unsealed)"))
        #expect(run.stdout.contains("the link is UNSEALED (wire version 0"))
        #expect(run.stdout.contains(#""sealed": false"#))
        #expect(run.leftovers == [])
    }
}
