import ControlProtocol
import Testing

@testable import CommandLine
@testable import Reports

@Suite struct AlertTests {
    private static let series = ["sync", "message", "complication", "message back"]

    private static func alerts(_ text: String) throws -> Alerts {
        try Alerts(Array(text.utf8), measuring: series)
    }

    private static func faults(_ text: String) -> String {
        do throws(Thresholds.Refusal) {
            _ = try Alerts(Array(text.utf8), measuring: series)
            return ""
        } catch {
            return error.description(file: "a.json", source: Array(text.utf8))
        }
    }

    @Test func a_file_that_names_nothing_has_the_defaults() throws {
        let rules = try Self.alerts(#"{"format":"watchproto.alerts/1"}"#).rules
        #expect(rules.map(\.name) == Alerts.defaults.map(\.name))
        #expect(rules.map(\.target.goal) == [1e9, 2e8, 1e8, 3e9, 99.5, 3000])
        // A load that measures less has fewer.
        let fewer = try Alerts(
            Array(#"{"format":"watchproto.alerts/1"}"#.utf8), measuring: ["message"])
        #expect(fewer.rules.map(\.name) == ["message p95", "launch", "crash-free", "wake-ups"])
    }

    @Test func the_file_that_comes_with_the_package_holds_the_defaults() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
            .joined(separator: "/")
        let bytes = try Files.read("\(root)/share/alerts.json")
        let shipped = try Alerts(bytes, measuring: Self.series)
        #expect(shipped == (try Self.alerts(#"{"format":"watchproto.alerts/1"}"#)))
        let named = try JSONParser.parse(bytes).value["alerts"]?.object?.members.map(\.name)
        #expect(named == Alerts.defaults.map(\.name))
    }

    @Test func a_default_that_a_load_does_not_measure_is_left_out() throws {
        let text = #"{"format":"watchproto.alerts/1","alerts":{"message p95":{"above":"1s"}}}"#
        let rules = try Alerts(Array(text.utf8), measuring: ["sync"]).rules
        #expect(rules.map(\.name) == ["sync p95", "launch", "crash-free", "wake-ups"])
    }

    @Test func a_file_changes_adds_and_takes_out() throws {
        let rules = try Self.alerts(
            #"""
            {"format": "watchproto.alerts/1", "alerts": {
              "wake-ups": null, "launch": {"above": "500ms"}, "message back p99": {"above": "5ms"}}}
            """#
        ).rules
        #expect(!rules.contains { $0.name == "wake-ups" })
        #expect(rules.first { $0.name == "launch" }?.target.goal == 5e8)
        #expect(rules.last?.series == "message back" && rules.last?.target.goal == 5e6)
        #expect(rules.count == 6)
    }

    @Test func all_faults_are_told_with_their_places() {
        #expect(
            Self.faults(
                #"""
                {"format": "watchproto.alerts/2", "alert": 1, "alerts": {
                  "sync p98": {"above": "1s"},
                  "dose p95": {"above": "1s"},
                  "sync p95": {"below": "1s"},
                  "crash-free": {"below": 99},
                  "launch": {"above": "3"}}}
                """#) == #"""
                    a.json:1:12: error: format is "watchproto.alerts/2", must be \#
                    "watchproto.alerts/1"
                      1 | {"format": "watchproto.alerts/2", "alert": 1, "alerts": {
                                     ^^^^^^^^^^^^^^^^^^^^^
                    a.json:1:35: error: there is no 'alert', did you mean 'alerts'?
                      1 | {"format": "watchproto.alerts/2", "alert": 1, "alerts": {
                                                            ^^^^^^^
                    a.json:2:3: error: this run does not measure 'sync p98', did you mean \#
                    'sync p95'?
                      2 |   "sync p98": {"above": "1s"},
                            ^^^^^^^^^^
                    a.json:3:3: error: this run does not measure 'dose p95', only sync \#
                    p95, message p95, complication p95, message back p95, \#
                    launch, crash-free, wake-ups
                      3 |   "dose p95": {"above": "1s"},
                            ^^^^^^^^^^
                    a.json:4:15: error: sync p95 is {"below":"1s"}, must be an object \#
                    with 'above' alone, or null
                      4 |   "sync p95": {"below": "1s"},
                                        ^^^^^^^^^^^^^^^
                    a.json:5:27: error: below is 99, must be a text with its unit, as "99.5%"
                      5 |   "crash-free": {"below": 99},
                                                    ^^
                    a.json:6:23: error: above is "3": a unit is needed (ns, us, ms, s, min or h)
                      6 |   "launch": {"above": "3"}}}
                                                ^^^
                    7 errors in 1 file; nothing was run.
                    """#)
        #expect(Self.faults("[]").contains("the file is an array, must be an object"))
        #expect(Self.faults("{}").contains("the file lacks 'format'"))
    }

    /// A report with `count` syncs of `milliseconds` each.
    private static func report(_ count: Int, _ milliseconds: UInt64) -> Report {
        var report = Report(verb: "bench", link: "edge", seed: 1, version: "0.1.0")
        var sync = LatencySeries("sync")
        for _ in 0..<count {
            sync.record(milliseconds * 1_000_000, message: "m", atNanoseconds: 0)
        }
        report.latencies = [sync]
        return report
    }

    @Test func an_alert_is_raised_by_what_is_beyond_its_bound_alone() throws {
        let alerts = try Self.alerts(#"{"format":"watchproto.alerts/1"}"#)
        var health = Alerts.Health()
        (health.started, health.launches, health.wakeUpsPerSecond) = (200, [2_000_000_000], 100)
        func statuses(_ report: Report, _ health: Alerts.Health) -> [String: Status] {
            var report = report
            alerts.addRows(to: &report, health)
            let rows = report.rows.map { ($0.target.id, $0.status) }
            return Dictionary(uniqueKeysWithValues: rows)
        }
        let calm = statuses(Self.report(300, 900), health)
        #expect(calm["alert.sync.p95"] == .pass && calm["alert.launch"] == .pass)
        #expect(calm["alert.crash-free"] == .pass && calm["alert.wake-ups"] == .pass)
        #expect(calm["alert.message.p95"] == .noData)
        (health.crashed, health.wakeUpsPerSecond) = (2, 3001)
        health.launches.append(3_000_000_001)
        let raised = statuses(Self.report(300, 1100), health)
        #expect(raised["alert.sync.p95"] == .fail && raised["alert.launch"] == .fail)
        #expect(raised["alert.crash-free"] == .fail && raised["alert.wake-ups"] == .fail)
        health.crashed = 1
        #expect(statuses(Self.report(300, 1100), health)["alert.crash-free"] == .pass)
        // Fewer than a p95 takes are no alert, and no all-clear.
        #expect(statuses(Self.report(199, 1100), health)["alert.sync.p95"] == .few)
    }

    @Test func a_raised_alert_is_said_and_fails_the_run() throws {
        var report = Self.report(300, 1100)
        let alerts = try Alerts(
            Array(
                #"{"format":"watchproto.alerts/1","alerts":{"launch":null,"crash-free":null,"#
                    .utf8)
                + Array(#""wake-ups":null}}"#.utf8), measuring: ["sync"])
        alerts.addRows(to: &report, Alerts.Health())
        #expect(report.exitCode == .targetMissed)
        #expect(
            report.notes == ["ALERT: sync p95 is 1100 ms  (n=300), asked for is <= 1000 ms"])
        #expect(report.rows.map(\.target.heading) == ["alert: sync p95"])
    }
}
