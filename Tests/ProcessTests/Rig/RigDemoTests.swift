import CommandLine
import ControlProtocol
import Glibc
import Reports
import Testing

@testable import Rig

@Suite(.serialized, .timeLimit(.minutes(2))) struct RigDemoTests {
    let rig: RigProgram

    init() throws { rig = try RigProgram() }

    @Test func a_demo_reports_every_target() throws {
        let run = try rig.demo(["--out", "\(rig.directory)/out"])
        #expect(run.isWell, "\(run.stderr)\(run.stdout)")
        for target in TargetTable.all { #expect(run.stdout.contains(target.heading)) }
        #expect(run.stdout.contains("the link is sealed"))
        #expect(!run.stdout.contains("UNSEALED"))
        #expect(run.stdout.contains("not durable yet"))
        #expect(!run.stdout.contains("not built"))
        #expect(run.leftovers == [])
        let json = try JSONParser.parse(try Files.read("\(rig.directory)/out/results.json")).value
        #expect(json["schema"] == "rig.results/1")
        #expect(json["complete"] == true)
        #expect(json["metrics"]?.array?.count == TargetTable.all.count)
        let sync = json["latencies"]?.array?.first { $0["name"] == "sync" }
        #expect(sync?["max_ns"] == 50_000)
    }

    @Test func json_goes_to_stdout_alone() throws {
        let run = try rig.demo(["--json", "--quiet"])
        let json = try JSONParser.parse(run.stdout).value
        let failed = json["metrics"]?.array?.filter { metric in
            metric["status"] == "FAIL" || metric["status"] == "NODATA"
        }
        #expect(failed == [])
        #expect(json["exit"] == 0)
        #expect(run.stderr == "")
    }

    @Test func a_row_says_what_was_measured_for_it() throws {
        let json = try JSONParser.parse(try rig.demo(["--json", "--quiet"]).stdout).value
        func row(_ id: String) -> JSONValue? {
            json["metrics"]?.array?.first { $0["id"]?.string == id }
        }
        #expect(row("watch.memory")?["remark"] == "in this demo")
        #expect(row("watch.memory.wear")?["remark"] == "in this demo")
        #expect(row("argon2id")?["remark"] == "processor time")
        #expect(row("reconnect")?["status"] == "PASS")
        #expect(row("reconnect")?["remark"]?.string?.hasPrefix("reads <= ") == true)
        let note = json["notes"]?.array?.first { $0.string?.hasPrefix("catching up: ") == true }
        #expect(note?.string?.hasSuffix("progress was told 6 times") == true, "\(note ?? .null)")
    }

    /// Being caught up in time is a third of that target: without progress it is not met.
    @Test func a_sync_that_tells_no_progress_is_not_measured() throws {
        let run = try rig.demo(fault: "phone:untold")
        #expect(run.isWell, "one side tells: \(run.stdout)")
        let silent = try rig.demo(fault: "both:untold")
        #expect(silent.exitCode == 2)
        #expect(silent.failedRows.count == 1)
        #expect(silent.failedRows.first?.hasPrefix("offline to online, caught up") == true)
        #expect(silent.failedRows.first?.contains("no progress told") == true)
    }

    @Test(arguments: ["watch:lose", "watch:twice", "phone:lose", "phone:twice"])
    func what_is_lost_or_comes_twice_fails_the_run(fault: String) throws {
        let run = try rig.demo(fault: fault)
        #expect(run.exitCode == 2)
        #expect(!run.isWell)
        let row = run.stdout.split(separator: "\n").first { $0.hasPrefix("delivered exactly once") }
        #expect(row?.contains("FAIL") == true)
        #expect(row?.contains("1 of ") == true)
        #expect(run.stdout.contains(fault.hasSuffix("lose") ? "note: lost:" : "note: twice:"))
    }

    @Test func a_simulator_that_never_gets_ready_is_unreachable() throws {
        let run = try rig.demo(["--timeout", "400ms"], fault: "watch:silent")
        #expect(run.exitCode == 69)
        let wanted =
            "Error: WatchSim did not say 'ready' within 400 ms.\n  WatchSim is running (pid "
        #expect(run.stderr.contains(wanted), "\(run.stderr)")
        #expect(run.stderr.contains("and wrote 0 bytes to stdout."))
        #expect(run.stderr.contains("    waiting for nothing"))
        #expect(run.stderr.contains("  Try: "))
        #expect(run.stdout == "")
        #expect(run.leftovers == [])
    }

    @Test func a_peer_that_is_not_reached_is_named() throws {
        let run = try rig.demo(["--timeout", "300ms"], fault: "phone:unreachable")
        #expect(run.exitCode == 69)
        #expect(
            run.stderr.contains("Error: PhoneSim did not reach WatchSim within 300 ms on unix:"))
        #expect(run.leftovers == [])
    }

    @Test func a_crash_at_the_start_shows_the_last_twenty_lines() throws {
        let run = try rig.demo(fault: "watch:crash-at-start")
        #expect(run.exitCode == 70)
        #expect(run.stderr.contains(") ended with exit code 3 during its start."), "\(run.stderr)")
        #expect(!run.stderr.contains("last words 10\n"))
        for line in 11...30 { #expect(run.stderr.contains("    last words \(line)\n")) }
        #expect(run.leftovers == [])
    }

    @Test func a_crash_under_way_names_signal_and_step_and_keeps_what_was_measured() throws {
        let run = try rig.demo(fault: "watch:crash-at-load.start")
        #expect(run.exitCode == 70)
        #expect(run.stderr.contains("was ended by signal 11"), "\(run.stderr)")
        #expect(run.stderr.contains("during 'load.start'."))
        #expect(run.stderr.contains("about to fail in load.start"))
        #expect(run.stdout.contains("INCOMPLETE"))
        #expect(run.stdout.contains("exit 70"))
        #expect(run.leftovers == [])
    }

    @Test func alerts_watch_launches_crashes_and_wakeups() throws {
        let file = "\(rig.directory)/alerts.json"
        let text =
            #"{"format":"watchproto.alerts/1","alerts":{"launch":{"above":"1ns"},"sync p95":null,"#
            + #""message p95":null,"complication p95":null}}"#
        try Files.write(Array(text.utf8), to: file)
        func row(_ name: String, _ run: RigProgram.Outcome) -> Substring {
            run.stdout.split(separator: "\n").first { $0.hasPrefix("alert: \(name)") } ?? ""
        }
        let run = try rig.demo(["--alerts", file])
        #expect(run.exitCode == 2 && row("launch", run).contains("FAIL"), "\(run.stdout)")
        let free = row("crash-free", run)
        #expect(free.contains("(0 of 2 processes crashed)") && free.hasSuffix("PASS"))
        #expect(row("wake-ups", run).hasSuffix("PASS"), "\(run.stdout)")
        #expect(run.stdout.contains("note: ALERT: launch is "))
        let crashed = try rig.demo(["--alerts", file], fault: "watch:crash-at-load.start")
        #expect(crashed.exitCode == 70)
        let half = row("crash-free", crashed)
        #expect(half.contains("50 %  (1 of 2 processes crashed)") && half.hasSuffix("FAIL"))
    }

    @Test func garbage_on_the_control_channel_is_shown() throws {
        let run = try rig.demo(fault: "phone:garbage")
        #expect(run.exitCode == 76)
        #expect(
            run.stderr.contains(
                """
                Error: PhoneSim wrote a line that is no message of the control protocol.
                  seen: "not json"
                  expected: one JSON object with "event", or with "id" and "ok"
                """), "\(run.stderr)")
        #expect(run.leftovers == [])
    }

    @Test func a_simulator_that_stops_answering_times_out() throws {
        let run = try rig.demo(["--timeout", "300ms"], fault: "watch:mute")
        #expect(run.exitCode == 75)
        #expect(run.stderr.contains("Error: WatchSim did not answer 'pair.show' within 300 ms."))
        #expect(run.leftovers == [])
    }

    @Test func records_that_never_arrive_time_out() throws {
        let run = try rig.demo(["--timeout", "300ms"], fault: "phone:stuck")
        #expect(run.exitCode == 75)
        #expect(run.stderr.contains("Records still under way: PhoneSim 3."), "\(run.stderr)")
        #expect(run.leftovers == [])
    }

    @Test func a_simulator_that_will_not_leave_is_ended() throws {
        let run = try rig.demo(fault: "watch:stubborn")
        #expect(run.isWell, "\(run.stderr)\(run.stdout)")
        #expect(run.leftovers == [])
    }

    @Test func an_interrupt_reports_what_was_measured() throws {
        let run = try rig.run(
            [
                "demo", "--simulators", rig.directory, "--import", "\(rig.directory)/list.json",
                "--duration", "50s", "--rate", "20/s", "--out", "\(rig.directory)/out", "--timeout",
                "2s",
            ]
        ) { pid, line in
            if line.contains("load both ways") {
                usleep(200_000)
                kill(pid, SIGINT)
            }
        }
        #expect(run.exitCode == 130, "\(run.stderr)")
        #expect(run.stdout.contains("INCOMPLETE"))
        #expect(run.stdout.contains("exit 130"))
        #expect(run.leftovers == [])
        let json = try JSONParser.parse(try Files.read("\(rig.directory)/out/results.json")).value
        #expect(json["complete"] == false)
        #expect(json["passed"] == false)
        let launch = json["metrics"]?.array?.first { $0["id"] == "watch.launch" }
        #expect(launch?["status"] == "PASS")
    }

    @Test func two_interrupts_end_at_once() throws {
        let begin = MonotonicClock.nowNanoseconds
        let run = try rig.run(
            [
                "demo", "--simulators", rig.directory, "--import", "\(rig.directory)/list.json",
                "--timeout", "30s",
            ], fault: "watch:silent"
        ) { pid, line in
            if line.contains("starting") {
                usleep(200_000)
                kill(pid, SIGINT)
                usleep(1000)
                kill(pid, SIGINT)
            }
        }
        #expect(run.exitCode == 130)
        #expect(MonotonicClock.nowNanoseconds - begin < 20_000_000_000)
        #expect(run.leftovers == [])
    }

    /// The rows of the planner count some reasons; the row of all offered names the others.
    @Test func updates_of_no_row_are_named() {
        let some: JSONValue = [
            "reasons": [
                "pushed": 3, "merged": 2, "riding": 1, "equal": 4, "shown_by_timeline": 1,
                "demoted": 0,
            ]
        ]
        #expect(
            DemoRun.others(in: some) == "in no row below: 4 equal, 1 shown by timeline")
        #expect(DemoRun.others(in: ["reasons": ["pushed": 3, "equal": 0]]) == nil)
    }
}
