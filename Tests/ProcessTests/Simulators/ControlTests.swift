import CPosix
import ControlProtocol
import Glibc
import Testing

/// The control channel and the life of one process.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorControlTests {
    private let bench = Bench()

    /// Alone, and yet with a session: what is looked at here is the channel.
    private func watch() throws -> Program {
        try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
    }

    @Test func ready_says_who_speaks_and_what_it_is_worth() throws {
        let watch = try Program(
            "WatchSim", ["--link", bench.link(), "--seed", "42", "--cpu", "0", "--unsealed"])
        #expect(watch.ready["v"] == 1)
        #expect(watch.ready["role"] == "watch")
        #expect(watch.ready["pid"] == .whole(watch.pid))
        #expect(watch.ready["seed"] == 42)
        #expect(watch.ready["sealed"] == false)
        #expect(watch.ready["durable"] == false)
        #expect(watch.ready["t_ns"]?.integer ?? 0 > 0)
        let status = try watch.call("status")
        #expect(status["activation"] == "inactive")
        #expect(status["reachable"] == false)
        #expect(status["outstanding"] == 0)
        #expect(status["epoch"] == watch.ready["epoch"])
        #expect(status["complications"]?["left"] == 50)
    }

    /// A file that the program opens must not take the place of a stream that was closed.
    @Test func a_closed_stream_is_no_file_of_its_own() throws {
        let words = [
            "-c", "exec \"$0\" \"$@\" 2>&-", Program.path("WatchSim"), "--link", bench.link(),
            "--unsealed", "--journal", bench.path("w"),
        ]
        let watch = try Program("/bin/sh", words)
        var name = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink("/proc/\(watch.pid)/fd/2", &name, name.count)
        let target = name.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        #expect(String(decoding: target, as: UTF8.self) == "/dev/null")
        try watch.call("quit")
        #expect(try watch.awaitEnd() == .exited(0))
    }

    @Test func a_record_that_waits_too_long_is_told_and_that_it_came_through() throws {
        let phone = try Program(
            "PhoneSim", ["--link", bench.link(), "--overdue-age", "200ms", "--unsealed"])
        let sent = try phone.call("send", ["kind": "user_info", "payload_b64": "AA=="])
        let overdue = try phone.wait("overdue")
        #expect(overdue["msg"] == sent["msg"] && overdue["channel"] == "background")
        #expect(overdue["epoch"] == sent["epoch"])
        #expect(overdue["age_ns"]?.integer ?? 0 >= 200_000_000)
        let watch = try watch()
        _ = try phone.wait("overdue.ended")
        try watch.call("quit")
    }

    @Test(arguments: ["stdin_closed", "quit"])
    func a_wait_that_stands_at_the_end_is_answered(reason: String) throws {
        let watch = try watch()
        watch.write(#"{"id":7,"cmd":"wait","event":"load.done","timeout_ms":60000}"# + "\n")
        if reason == "quit" { watch.write(#"{"id":8,"cmd":"quit"}"# + "\n") }
        watch.closeInput()
        let lines = try watch.rest()
        let wait = lines.first { $0["id"] == 7 }
        #expect(wait?["error"] == ["code": "ending", "reason": .string(reason)])
        #expect(lines.last?["event"] == "bye")
        #expect(try watch.awaitEnd() == .exited(0))
    }

    @Test func nonsense_is_answered_and_never_ends_the_process() throws {
        let watch = try watch()
        func answer(_ line: String) throws -> JSONValue? {
            watch.write(line + "\n")
            let reply = try watch.reply()
            #expect(reply["ok"] == false)
            return reply["error"]
        }
        #expect(try answer("{\"id\":1,")?["code"] == "bad_json")
        #expect(try answer("[1,2]")?["found"] == "an array")
        #expect(try answer("\u{1}\u{2}\u{3}")?["code"] == "bad_json")
        #expect(try answer("{\"id\":1}")?["field"] == "cmd")
        #expect(try answer("{\"id\":1,\"cmd\":5}")?["found"] == "a number")
        #expect(try answer("{\"id\":[],\"cmd\":\"status\"}")?["field"] == "id")
        let unknown = try watch.request("link.clos")["error"]
        #expect(unknown?["code"] == "unknown_command")
        #expect(unknown?["did_you_mean"] == "link.close")
        #expect(try watch.request("frobnicate")["error"]?["known"] != nil)
        let missing = try watch.request("wait", ["event": "x"])["error"]
        #expect(missing?["code"] == "missing_field")
        #expect(missing?["field"] == "timeout_ms")
        let typed = try watch.request("wait", ["event": 5, "timeout_ms": 1])["error"]
        #expect(
            typed == [
                "code": "bad_field", "field": "event", "expected": "the name of an event",
                "found": "5",
            ])
        let payload = try watch.request("send", ["kind": "user_info", "payload_b64": "a"])["error"]
        #expect(payload?["field"] == "payload_b64")
        #expect(
            try watch.request("send", ["kind": "x", "payload_b64": ""])["error"]?["found"] == "x")
        #expect(try watch.request("status", ["colour": "red"])["error"]?["code"] == "unknown_field")
        // A string is as good an id as a number.
        watch.write("{\"id\":\"a\",\"cmd\":\"status\"}\r\n\n")
        #expect(try watch.reply()["id"] == "a")
    }

    @Test func a_line_that_is_too_long_is_told_and_the_next_one_counts() throws {
        let watch = try watch()
        watch.write(String(repeating: "x", count: (1 << 20) + 100))
        let reply = try watch.reply()
        #expect(reply["error"] == ["code": "line_too_long", "limit_bytes": 1_048_576])
        watch.write("yy\n")
        #expect(try watch.call("status")["outstanding"] == 0)
    }

    @Test func a_wait_ends_in_time_and_never_misses_an_event_just_before() throws {
        let watch = try watch()
        let timedOut = try watch.request("wait", ["event": "load.done", "timeout_ms": 30])
        #expect(
            timedOut["error"] == ["code": "timed_out", "event": "load.done", "timeout_ms": 30])
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        let elsewhere = try phone.request(
            "wait", ["event": "medication.visible", "timeout_ms": 10])
        #expect(
            elsewhere["error"] == [
                "code": "unknown_event", "got": "medication.visible",
                "expected": "a wait on the watch, which reports this event",
            ])
        // Closing makes the state come before the wait for it begins.
        try watch.call("link.close")
        try watch.call("status")
        try watch.wait("activation", ["state": "not_activated"])
        // Other commands are done while a wait stands.
        watch.write(
            "{\"id\":900,\"cmd\":\"wait\",\"event\":\"activation\",\"state\":\"inactive\",\"timeout_ms\":5000}\n"
        )
        try watch.call("status")
        watch.write("{\"id\":901,\"cmd\":\"link.open\"}\n")
        var answered: [JSONValue] = []
        while answered.count < 2 {
            let line = try watch.line(within: 5)
            if let id = line["id"], line["ok"] == true { answered.append(id) }
        }
        #expect(answered.sorted { $0.integer ?? 0 < $1.integer ?? 0 } == [900, 901])
    }

    @Test func the_end_of_input_ends_the_process_and_says_what_is_lost() throws {
        let phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        try phone.call("import", ["path": .string(bench.list())])
        try phone.call("medication.change", ["index": 0, "count": 20])
        phone.closeInput()
        let last = try phone.rest().last
        #expect(last?["event"] == "bye")
        #expect(last?["reason"] == "stdin_closed")
        #expect(last?["lost"] == 20)
        let text = phone.errorText()
        #expect(text.contains("20 records"))
        #expect(!text.contains("Medicine"), "names do not belong into a log")
        #expect(try phone.awaitEnd() == .exited(0))
    }

    @Test(arguments: [(SIGTERM, "terminated"), (SIGINT, "interrupted")])
    func signals_end_the_process_in_order(signal: Int32, reason: String) throws {
        let watch = try watch()
        watch.signal(signal)
        let last = try watch.rest().last
        #expect(last?["event"] == "bye")
        #expect(last?["reason"]?.string == reason)
        #expect(try watch.awaitEnd() == .exited(0))
        #expect(bench.files.isEmpty)
    }

    @Test func quit_is_answered_before_the_end() throws {
        let watch = try watch()
        #expect(try watch.call("quit")["ok"] == true)
        #expect(try watch.rest().last?["reason"] == "quit")
        #expect(try watch.awaitEnd() == .exited(0))
    }

    @Test func a_process_follows_its_parent() throws {
        // The shell is the parent; the watch has no input that could end with it.
        let control = bench.path("c.sock")
        let script =
            "'\(Program.path("WatchSim"))' --link '\(bench.link())' --control 'unix:\(control)' & wait"
        let shell = try Program("/bin/sh", ["-c", script], awaitsReady: false)
        var client: Int32 = -1
        for _ in 0..<250 where client < 0 {
            client = Bench.connect(control)
            if client < 0 { usleep(20_000) }
        }
        try #require(client >= 0)
        defer { close(client) }
        let deadline = watchproto_monotonic_nanoseconds() + 10_000_000_000
        var text = ""
        while !text.contains("ready"), let chunk = Program.read(client, until: deadline) {
            text += String(decoding: chunk, as: UTF8.self)
        }
        shell.signal(SIGKILL)
        _ = try shell.awaitEnd()
        while let chunk = Program.read(client, until: deadline), !chunk.isEmpty {
            text += String(decoding: chunk, as: UTF8.self)
        }
        #expect(text.contains("\"reason\":\"parent_ended\""))
        #expect(bench.files.isEmpty)
    }

    @Test func a_socket_takes_one_client_after_the_other() throws {
        let control = bench.path("c.sock")
        let watch = try Program(
            "WatchSim", ["--link", bench.link(), "--control", "unix:\(control)"],
            awaitsReady: false)
        var first: Int32 = -1
        for _ in 0..<250 where first < 0 {
            first = Bench.connect(control)
            if first < 0 { usleep(20_000) }
        }
        func line(_ number: Int32) -> String {
            let deadline = watchproto_monotonic_nanoseconds() + 5_000_000_000
            return String(
                decoding: Program.read(number, until: deadline) ?? [], as: UTF8.self)
        }
        #expect(line(first).contains("\"event\":\"ready\""))
        let second = Bench.connect(control)
        #expect(line(second).contains("\"code\":\"busy\""))
        #expect(line(second).isEmpty)
        close(second)
        close(first)
        var third: Int32 = -1
        var firstLine = ""
        for _ in 0..<100 where !firstLine.contains("ready") {
            if third >= 0 { close(third) }
            third = Bench.connect(control)
            firstLine = line(third)
            usleep(10_000)
        }
        #expect(firstLine.contains("\"event\":\"ready\""))
        let quit = Array("{\"id\":1,\"cmd\":\"quit\"}\n".utf8)
        _ = unsafe quit.withUnsafeBytes { unsafe write(third, $0.baseAddress, $0.count) }
        #expect(line(third).contains("\"ok\":true"))
        close(third)
        #expect(try watch.awaitEnd() == .exited(0))
        #expect(bench.files.isEmpty)
    }
}
