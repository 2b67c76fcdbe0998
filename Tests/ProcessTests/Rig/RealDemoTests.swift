import CommandLine
import ControlProtocol
import Reports
import Testing

extension RigProgram {
    /// A short demo with the real simulators, and its results.
    fileprivate func realDemo(
        _ arguments: [String] = [], rate: String = "200/s"
    ) throws -> (Outcome, JSONValue) {
        let out = "\(directory)/out"
        let run = try run(
            [
                "demo", "--simulators", directory, "--duration", "300ms", "--rate", rate,
                "--cpu", "any", "--timeout", "30s", "--store", "1000", "--out", out,
            ] + arguments, timeoutSeconds: 100)
        let bytes = (try? Files.read("\(out)/results.json")) ?? []
        return (run, (try? JSONParser.parse(bytes))?.value ?? .null)
    }
}

/// The main job over links with network conditions.
@Suite(.serialized, .timeLimit(.minutes(4))) struct ConditionedDemoTests {
    @Test(arguments: [
        ("ble", "ble, udp 244 B"), ("4g-average", "4g-average, udp 1200 B"),
    ])
    func the_main_job_runs_over_a_link_with_network_conditions(
        _ profile: String, _ link: String
    ) throws {
        let rig = try RigProgram(isScripted: false)
        let (run, json) = try rig.realDemo(["--profile", profile], rate: "20/s")
        try #require(json["complete"] == true, "\(run.stderr)\(run.stdout)")
        #expect(json["link"]?.string == link)
        #expect(json["host"]?["conditions"]?["name"]?.string == profile)
        let rows = json["metrics"]?.array ?? []
        #expect(rows.compactMap { $0["id"]?.string } == TargetTable.all.map(\.id))
        // Some have too few samples for a percentile, but all were measured.
        for row in rows { #expect(row["status"] != "NODATA", "\(JSONWriter.text(row))") }
        for id in ["stress.time", "stress.rate"] {
            let row = rows.first { $0["id"]?.string == id }
            #expect((row?["n"]?.integer ?? 0) >= 100, "\(id)")
        }
        let exact = rows.first { $0["id"] == "delivery.exact" }
        #expect(exact?["status"] == "PASS", "\(run.stdout)")
        let bound = json["notes"]?.array?.first { note in
            note.string?.hasPrefix("the lower bound on \(profile): ") == true
        }
        #expect(bound != nil)
        #expect(run.leftovers == [])
    }
}

/// The main job with the real PhoneSim and WatchSim. In a debug build its latencies mean nothing,
/// so here a missed time is allowed; what must hold is that everything arrives exactly once, that
/// the exit code is what the rows say, and that the results have the form they claim.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RealDemoTests {
    let rig: RigProgram

    init() throws { rig = try RigProgram(isScripted: false) }

    private static let schema = JSONSchema(published: "rig.results-1")

    @Test func the_main_job_delivers_everything_once_and_says_so() throws {
        let (run, json) = try rig.realDemo()
        try #require(json["complete"] == true, "\(run.stderr)\(run.stdout)")
        #expect(Self.schema.complaints(about: json) == [])
        #expect(run.leftovers == [])

        let rows = json["metrics"]?.array ?? []
        func row(_ id: String) -> JSONValue? { rows.first { $0["id"]?.string == id } }
        let delivery = row("delivery.exact")
        #expect(delivery?["status"] == "PASS")
        #expect(delivery?["actual"] == 100)
        for (direction, most) in [("phone to watch", 264 + 3 * 60), ("watch to phone", 2 * 60)] {
            let counts = json["counts"]?[direction]
            #expect(counts?["lost"] == 0)
            #expect(counts?["twice"] == 0)
            #expect(counts?["unknown"] == 0)
            // The list, then every kind of load; cuts add to it.
            #expect((counts?["records"]?.integer ?? 0) >= Int64(most), "\(direction)")
        }
        // In every build these are measured, and the ones below are met.
        for id in ["sync.list", "sync.push", "sync.incremental", "sync.offline", "reconnect"] {
            #expect((row(id)?["actual"]?.number ?? 0) > 0, "\(id)")
        }
        #expect(row("reconnect")?["remark"]?.string?.hasPrefix("reads <= ") == true)
        for id in ["wire.list", "record.size"] { #expect(row(id)?["status"] == "PASS", "\(id)") }

        // The exit code is what the rows say, in the process, the file and the last line.
        let missed = rows.filter { ["FAIL", "NODATA"].contains($0["status"]?.string) }
        let code: Int32 = missed.isEmpty ? 0 : 2
        #expect(run.exitCode == code, "\(run.stdout)")
        #expect(json["exit"] == .whole(code))
        #expect(json["passed"] == .bool(missed.isEmpty))
        #expect(run.stdout.hasSuffix("exit \(code)\n"))
        for row in missed {
            #expect(
                ["ns", "B"].contains(row["unit"]?.string) && row["status"] == "FAIL",
                "a debug build may be slow or large, but not \(JSONWriter.text(row))")
        }
        // 60 samples are too few for a 99th percentile, in any build.
        #expect(row("message")?["status"] == "TOO FEW")
    }

    @Test func the_same_run_fails_where_few_samples_are_to_fail_it() throws {
        let (run, json) = try rig.realDemo(["--few-fails"])
        #expect(run.exitCode == 2)
        #expect(json["exit"] == 2)
        #expect(json["passed"] == false)
    }

    /// Targets that name the size of a list are not met with a smaller one.
    @Test func a_short_list_shows_few() throws {
        let path = "\(rig.directory)/list.json"
        let names = ["Aspirin", "Codeine", "Digoxin"]
        let medications = names.map { name in #"{"name": "\#(name)", "form": "tablet"}"# }
        let text =
            #"{"format": "watchproto.medications/1", "medications": ["#
            + medications.joined(separator: ",") + "]}"
        try Files.write(Array(text.utf8), to: path)
        let (run, json) = try rig.realDemo(["--import", path])
        try #require(json["complete"] == true, "\(run.stderr)\(run.stdout)")
        for (id, items) in [
            ("sync.list", 3), ("wire.list", 3), ("sync.incremental", 3), ("sync.offline", 23),
        ] {
            let row = json["metrics"]?.array?.first { $0["id"]?.string == id }
            #expect(row?["status"] == "TOO FEW", "\(id)")
            #expect(row?["n"]?.integer == Int64(items), "\(id)")
        }
    }

    @Test func the_schema_is_understood_and_finds_planted_faults() throws {
        var report = Report(verb: "demo", link: "loopback", seed: 1, version: "0.1.0")
        report.addRows(for: TargetTable.all, measured: [], notDurable: true)
        var series = LatencySeries("sync")
        series.record(5, message: "message 1", atNanoseconds: 7)
        report.latencies = [series]
        report.host = HostFacts.members(build: "debug", executable: nil)
        report.host["rig_build"] = "debug"
        let whole = report.json
        #expect(Self.schema.complaints(about: whole) == [])
        func broken(_ edit: (inout JSONObject) -> Void) -> Int {
            var object = whole.object ?? JSONObject()
            edit(&object)
            return Self.schema.complaints(about: .object(object)).count
        }
        #expect(broken { $0["schema"] = "rig.results/2" } == 1)
        #expect(broken { $0["seed"] = -1 } == 1)
        #expect(broken { $0["exit"] = 3 } == 1)
        #expect(broken { $0["complete"] = "yes" } == 1)
        #expect(broken { $0["counts"] = nil } == 1)
        #expect(broken { $0["notes"] = ["a", 1] } == 1)
        #expect(broken { $0["latencies"] = [["name": "sync"]] } == 10)
        // A member that nobody described, at every level that is not free.
        #expect(broken { $0["notse"] = [] } == 1)
        #expect(
            broken { object in
                var row = object["metrics"]?.array?.first?.object ?? JSONObject()
                row["caveats"] = .null
                object["metrics"] = [.object(row)]
            } == 1)
        #expect(
            broken { object in
                var series = object["latencies"]?.array?.first?.object ?? JSONObject()
                series["p95_ns"] = 5
                series["worst"] = [
                    "message": "message 1", "at_ns": 7, "latency_ns": 5, "latency_ms": 0,
                ]
                object["latencies"] = [.object(series)]
            } == 2)
        #expect(broken { $0["counts"] = ["anything": ["lost": 0]] } == 0)
        #expect(
            broken { object in
                var row = object["metrics"]?.array?.first?.object ?? JSONObject()
                row["statistic"] = "median"
                row["status"] = "pass"
                row["n_needed"] = 0
                object["metrics"] = [.object(row)]
            } == 3)
        #expect(
            broken { object in
                var series = object["latencies"]?.array?.first?.object ?? JSONObject()
                series["histogram"] = [[1, 2], [1, 2, "3"]]
                object["latencies"] = [.object(series)]
            } == 2)
        #expect(!JSONSchema(["maxLength": 1]).complaints(about: "ab").isEmpty)
    }
}
