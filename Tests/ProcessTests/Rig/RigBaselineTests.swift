import ControlProtocol
import Simulation
import Testing

@testable import Bench

/// `rig lab baseline`, and whether what it prints for programs has the published form.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigBaselineTests {
    private static let schema = JSONSchema(published: "rig.baseline-1")

    @Test func the_baseline_is_told_for_programs_and_for_people() throws {
        let rig = try RigProgram(isScripted: false)
        let run = try rig.run([
            "lab", "baseline", "--profile", "5g", "--cell", "complication,change", "--trials", "20",
            "--reading", "both", "--json", "--progress", "none",
        ])
        // 20 trials cannot reach a p99.
        #expect(run.exitCode == 2, "\(run.stderr)")
        let json = try JSONParser.parse(Array(run.stdout.utf8)).value
        #expect(Self.schema.complaints(about: json) == [])
        #expect(json["schema"] == "rig.baseline/1")
        let rows = try #require(json["rows"]?.array)
        #expect(rows.map { $0["cell"] } == ["complication", "change", "complication", "change"])
        #expect(rows.map { $0["reading"] } == ["rtt", "rtt", "one-way", "one-way"])
        for (row, delay) in zip(rows, [10.0, 10, 20, 20]) {
            let p50 = try #require(row["ours"]?["p50_ns"]?.number)
            // A few hundred bytes at 100 Mbit/s, behind the delay.
            #expect(p50 > delay * 1e6 && p50 < delay * 1e6 + 50_000)
            #expect(row["ideal"]?["p50_ns"]?.number == p50)
            #expect(row["ours"]?["p99_ns"]?.isNull == true)
        }
        #expect(run.stderr.contains("5g (rtt), 10 ms each way, 100 Mbit/s, 0 % loss"))
        #expect(run.stderr.contains("complication, link up"))
        #expect(run.stderr.contains("p50 / ideal"))
        let goals = try #require(rows[0]["goals"]?.array)
        #expect(goals.map { $0["status"] } == ["PASS", "TOO FEW", "TOO FEW"])
        #expect(run.stderr.contains("TOO FEW (20 of 1000)"))
        let enough = try rig.run([
            "lab", "baseline", "--profile", "5g", "--cell", "complication", "--trials", "1000",
            "--progress", "none",
        ])
        #expect(enough.exitCode == 0, "\(enough.stdout)\(enough.stderr)")
    }

    @Test func commits_are_counted() throws {
        let rig = try RigProgram(isScripted: false)
        let run = try rig.run([
            "lab", "baseline", "--commits", "--profile", "5g", "--cell",
            "record-early,committed-early",
            "--trials", "20", "--json", "--progress", "none",
        ])
        #expect(run.exitCode == 0, "\(run.stderr)")
        let json = try JSONParser.parse(Array(run.stdout.utf8)).value
        #expect(Self.schema.complaints(about: json) == [])
        let rows = try #require(json["rows"]?.array)
        #expect(rows.map { $0["commit_ns"] } == [5_000_000, 5_000_000, 20_000_000, 20_000_000])
        let goals = rows.map { $0["goals"]?.array ?? [] }
        #expect(goals.allSatisfy { $0.first?["name"] == "commits, p50" })
        #expect(goals.map(\.count) == [1, 1, 1, 1])
        #expect(run.stderr.contains("committed, reconnect"))
        // A line with an interval, and a cell that counts no commits.
        #expect(try rig.run(["lab", "baseline", "--commits", "--profile", "ble"]).exitCode == 64)
        #expect(try rig.run(["lab", "baseline", "--commits", "--cell", "bulk"]).exitCode == 64)
    }

    /// A document of every cell on a link; every other trial takes `late`.
    private func document(late: UInt64) throws -> JSONValue {
        let settings = BaselineSettings(try #require(LinkProfile.named("3g")))
        var report = BaselineReport(settings)
        for cell in BaselineCell.allCases {
            var samples = BaselineSamples()
            samples.ours = (0..<1_000).map { $0 % 2 == 0 ? 200_000_000 : late }
            samples.ideal = [UInt64](repeating: 160_000_000, count: 1_000)
            samples.sharedIdeal = samples.ideal
            samples.limit = samples.ideal
            report.add(BaselineRow(cell, settings, samples))
        }
        let json: JSONValue = ["schema": "rig.baseline/1", "rows": .array(report.json)]
        // As a program reads it.
        return try JSONParser.parse(JSONWriter.bytes(json, layout: .pretty)).value
    }

    @Test(arguments: [210_000_000, BaselineSamples.never])
    func every_cell_has_the_published_form(_ late: UInt64) throws {
        let json = try document(late: late)
        #expect(Self.schema.complaints(about: json) == [])
        let goals = (json["rows"]?.array ?? []).flatMap { $0["goals"]?.array ?? [] }
        // A time that never ends is -1 and not null: null stands for too few trials.
        let isNever = late == BaselineSamples.never
        #expect(goals.contains { $0["actual"] == -1 && $0["status"] == "FAIL" } == isNever)
        #expect(
            goals.allSatisfy {
                $0["actual"]?.isNull == ($0["status"] == "TOO FEW" || $0["status"] == "NODATA")
                    || $0["ideal_never_ends"] == true
            })
    }

    @Test func a_document_of_another_form_is_refused() throws {
        let whole = try document(late: 210_000_000)
        func complaints(_ edit: (inout JSONObject) -> Void) -> [String] {
            var row = whole["rows"]?.array?.first?.object ?? JSONObject()
            edit(&row)
            return Self.schema.complaints(
                about: ["schema": "rig.baseline/1", "rows": [.object(row)]])
        }
        #expect(complaints { _ in } == [])
        #expect(complaints { $0["limit"] = nil } == ["$.rows[0]: 'limit' is missing"])
        #expect(
            complaints { $0["jitter_ns"] = 1 }
                == ["$.rows[0]: 'jitter_ns' does not belong here"])
        #expect(complaints { $0["trials"] = "20" }.count == 1)
        #expect(complaints { $0["trials"] = 0.5 }.count == 1)
        #expect(complaints { $0["cell"] = "complication-late" }.count == 1)
        #expect(complaints { $0["reading"] = "both" }.count == 1)
        #expect(complaints { $0["watch"] = ["packets": 1, "bytes": -2, "wakes": 3] }.count == 1)
        // Four percentiles are missing, and one has another name.
        #expect(complaints { $0["ours"] = ["p50_ns": 1, "median_ns": 2] }.count == 5)
        #expect(
            complaints { row in
                var goal = row["goals"]?.array?.first?.object ?? JSONObject()
                goal["status"] = "pass"
                goal["bound"] = nil
                goal["unit"] = "ms"
                row["goals"] = [.object(goal)]
            }.count == 3)
        #expect(Self.schema.complaints(about: ["schema": "rig.baseline/2", "rows": []]).count == 1)
        #expect(Self.schema.complaints(about: ["schema": "rig.baseline/1"]).count == 1)
        #expect(!JSONSchema(["$ref": "#/$defs/none"]).complaints(about: 1).isEmpty)
        #expect(!JSONSchema(["additionalProperties": true]).complaints(about: [:]).isEmpty)
    }
}
