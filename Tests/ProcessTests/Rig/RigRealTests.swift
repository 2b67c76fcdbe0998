import ControlProtocol
import Glibc
import NetworkEmulation
import Testing

@testable import CommandLine

/// `rig lab real`: the two simulators over UDP through the link model, and kernel TCP beside them.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigRealTests {
    private static let schema = JSONSchema(published: "rig.real-1")

    private let rig: RigProgram

    init() throws { rig = try RigProgram(isScripted: false) }

    private func run(_ arguments: [String]) throws -> RigProgram.Outcome {
        try rig.run(
            [
                "lab", "real", "--simulators", rig.directory, "--profile", "5g", "--trials", "20",
                "--json",
            ] + arguments)
    }

    @Test func a_short_run_has_physics_the_simulation_and_tcp_beside_it() throws {
        let run = try run(["--updates", "3", "--rounds", "2", "--time", "20s"])
        // A busy machine may be too late to agree.
        #expect([0, 2].contains(run.exitCode), "\(run.stderr)")
        #expect(run.leftovers == [])
        let json = try JSONParser.parse(Array(run.stdout.utf8)).value
        #expect(json["schema"] == "rig.real/1")
        #expect(Self.schema.complaints(about: json) == [])
        let link = try #require(json["links"]?.array?.first)
        let rows = try #require(link["rows"]?.array)
        let cells = [
            ("complication", 3), ("complication-early", 3), ("hundred-warm", 2),
            ("hundred-cold", 2),
        ]
        for (row, (cell, count)) in cells.enumerated() {
            #expect(rows[row]["cell"]?.string == cell)
            #expect(rows[row]["n"]?.integer == Int64(count))
            #expect(rows[row]["never_ended"] == 0 && rows[row]["few"] == true)
            let limit = try #require(rows[row]["limit_median_ns"]?.number)
            let least = try #require(rows[row]["least_ns"]?.number)
            // 10 ms each way; 20,000 bytes take 1.6 ms more.
            let physics = row < 2 ? 10e6 : 11.6e6
            #expect(limit >= physics && least >= physics)
            #expect(rows[row]["line_median_ns"]?.number ?? 0 >= physics)
            #expect(rows[row]["budget_ns"]?.number ?? 0 >= 2e6)
            #expect(rows[row]["compared"]?.array?.first?["name"] == "p50")
            #expect(rows[row]["simulated_n"] == 20)
            #expect(rows[row]["simulated_median_ns"]?.number ?? 0 >= 10e6)
        }
        let up = link["conditioners"]?["ours"]?["up"]
        #expect(up?["delivered"]?.integer ?? 0 > 10 && up?["late_ns"]?["max"]?.integer ?? 0 > 0)
        #expect(run.stderr.contains("UDP: handed over later than planned: p50 "))
        let few =
            "WARNING: fewer than 30 exchanges: complication, link up 3; complication, reconnect 3; "
            + "100 records, warm 2; 100 records, cold 2"
        #expect(run.stderr.contains(few))
        try expectRefusals(of: json)
        if let why = link["skipped"]?.string {
            #expect(why.contains("errno") && rows.count == 4)
            #expect(run.stderr.contains("kernel TCP skipped: \(why)"))
            return
        }
        #expect(
            rows.dropFirst(4).map { $0["cell"] }
                == ["tcp-line-warm", "tcp-line-cold", "tcp-hundred-warm", "tcp-hundred-cold"])
        for row in rows.dropFirst(4) {
            #expect(row["never_ended"] == 0)
            let isCold = row["cell"]?.string?.hasSuffix("cold") == true
            #expect(row["least_ns"]?.number ?? 0 >= (isCold ? 30e6 : 10e6))
        }
    }

    /// Changes to `json` that break the published form are found.
    private func expectRefusals(of json: JSONValue) throws {
        let link = try #require(json["links"]?.array?.first?.object)
        func complaints(_ edit: (inout JSONObject) -> Void) -> Int {
            var link = link
            edit(&link)
            return Self.schema.complaints(
                about: ["schema": "rig.real/1", "links": [.object(link)]]
            ).count
        }
        #expect(complaints { _ in } == 0)
        #expect(complaints { $0["skipped"] = nil } == 1)
        #expect(complaints { $0["skipped"] = false } == 1)
        #expect(complaints { $0["mtu"] = 1_200 } == 1)
        #expect(complaints { $0["rows"] = [["cell": "complication"]] } == 14)
        #expect(complaints { $0["conditioners"] = ["ours": ["up": 1, "down": 2]] } == 2)
        #expect(
            Self.schema.complaints(about: ["schema": "rig.baseline/1", "links": []]).count == 1)
    }

    @Test(.enabled(if: geteuid() == 0 && Files.exists("/usr/bin/setpriv"), "no root to take away"))
    func without_the_right_to_make_networks_tcp_is_skipped_and_the_rest_is_measured() throws {
        let run = try rig.run(
            [
                "lab", "real", "--simulators", rig.directory, "--profile", "5g", "--trials", "20",
                "--updates", "1", "--rounds", "1", "--progress", "none",
            ], before: "exec setpriv --bounding-set -sys_admin \"$0\" \"$@\";")
        #expect([0, 2].contains(run.exitCode), "\(run.stderr)")
        #expect(
            run.stdout.contains(
                "kernel TCP skipped: unshare of the network: Operation not permitted (errno 1)"))
        #expect(run.leftovers == [])
    }

    @Test func what_cannot_be_measured_is_said_before_anything_starts() throws {
        #expect(try run(["--updates", "0"]).exitCode == 64)
        #expect(try run(["--rounds", "0"]).exitCode == 64)
        #expect(try run(["--time", "1ms"]).exitCode == 64)
        #expect(try run(["--datagram", "128"]).exitCode == 64)
        let profile = try rig.run(["lab", "real", "--profile", "3g,edg"])
        #expect(profile.exitCode == 64)
        #expect(
            profile.stderr.hasPrefix("Error: There is no profile 'edg'. Did you mean 'edge'?\n"))
        #expect(try rig.run(["lab", "real", "--profile", "offline"]).exitCode == 64)
        let nowhere = try rig.run(
            ["lab", "real", "--profile", "5g", "--trials", "1", "--simulators", "/nowhere"])
        #expect(nowhere.exitCode == 66)
        #expect(nowhere.stderr.contains("No simulator at /nowhere/PhoneSim."))
    }
}
