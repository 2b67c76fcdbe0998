import CommandLine
import ControlProtocol
import Glibc
import Reports
import Testing

@testable import Rig

@Suite(.serialized, .timeLimit(.minutes(3))) struct RigLaunchTests {
    @Test func ten_cold_starts_are_measured_on_each_class() throws {
        let rig = try RigProgram(isScripted: false)
        let run = try rig.run([
            "lab", "launch", "--simulators", rig.directory, "--json", "--quiet",
        ])
        let metrics = try #require(try JSONParser.parse(run.stdout).value["metrics"]?.array)
        #expect(metrics.count == 12 && metrics.allSatisfy { $0["n"] == 10 })
        #expect(metrics.allSatisfy { $0["device"] == "watch" })
        func actual(_ id: String) throws -> Double {
            try #require(metrics.first { $0["id"]?.string == id }?["actual"]?.number)
        }
        for device in DeviceClass.allCases {
            let id = "start.\(device.rawValue)"
            #expect(try actual("\(id).first") <= actual("\(id).dose"))
            #expect(try actual("\(id).dose") <= actual("\(id).interactive"))
            #expect(try actual("\(id).memory") > 2e6)
            let goal = metrics.first { $0["id"]?.string == "\(id).memory" }?["target"]?.number
            #expect(goal == device.memoryBytes)
        }
        #expect(run.leftovers == [])
    }

    /// A faulty list ends the run before anything is started, with its faults marked.
    @Test func a_faulty_list_is_refused_with_its_lines() throws {
        let rig = try RigProgram(isScripted: false)
        let path = "\(rig.directory)/faulty.json"
        let text = #"{"format": "watchproto.medications/1", "medications": [{"name": 3}]}"#
        try Files.write(Array(text.utf8), to: path)
        func refusal(_ verb: [String]) throws -> String {
            let run = try rig.run(
                verb + ["--simulators", rig.directory, "--import", path, "--progress", "none"])
            #expect(run.exitCode == 65 && run.leftovers == [], "\(run.stderr)")
            return run.stderr
        }
        let told = try refusal(["lab", "launch"])
        #expect(told.contains("faulty.json:1:") && told.contains("^"), "\(told)")
        #expect(try refusal(["demo"]) == told)
    }

    private static func processorSeconds(share: Double) throws -> (own: Double, whole: Double) {
        let busy = try ChildProcess(
            name: "busy", executable: "/bin/sh", arguments: ["-c", "while :; do :; done"])
        let quota = try ProcessorQuota(pid: busy.pid, share: share)
        let begin = MonotonicClock.nowNanoseconds
        usleep(600_000)
        quota.stop()
        let whole = Double(MonotonicClock.nowNanoseconds - begin) / 1e9
        let own = ProcessFigures(pid: busy.pid)?.processorSeconds ?? 0
        // It is not left stopped: it could not end by itself.
        let status = String(
            decoding: try Files.read("/proc/\(busy.pid)/status"), as: UTF8.self)
        #expect(!status.contains("State:\tT"))
        busy.kill()
        busy.stop(within: .zero)
        return (own, whole)
    }

    @Test func a_quota_holds_a_busy_process() throws {
        let (own, whole) = try Self.processorSeconds(share: 0.25)
        #expect(own > 0 && own < 0.25 * whole + 0.05, "\(own) of \(whole)")
        let free = try Self.processorSeconds(share: 1)
        #expect(free.own > own, "\(free)")
    }
}
