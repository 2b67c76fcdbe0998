import ControlProtocol
import Glibc
import Testing

/// Two real processes on real sockets.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SimulatorPairTests {
    private let bench = Bench()

    @Test(arguments: [false, true])
    func either_side_may_start_first(phoneFirst: Bool) throws {
        let pair = try Pair(bench, phoneFirst: phoneFirst)
        let file = bench.list()
        #expect(try pair.synchronize(file)["records"] == 20)
        #expect(try pair.watch.call("store")["count"] == 20)
        let again = try pair.phone.poll("sync") { $0["state"] == "held" }
        #expect(again["result"] == "not_modified")
    }

    /// Nothing more has to be sent, and yet the watch does not hold it.
    @Test func a_list_that_is_only_queued_is_not_held() throws {
        let pair = try Pair(bench)
        try pair.synchronize(bench.list())
        try pair.phone.call("link.close")
        try pair.phone.call("medication.change", ["index": 3])
        let queued = try pair.phone.call("sync")
        #expect(queued["result"] == "not_modified" && queued["records"] == 0)
        #expect(queued["state"] == "queued")
        try pair.phone.call("link.open")
        try pair.phone.poll("sync") { $0["state"] == "held" }
        #expect(try pair.watch.call("store")["digest"] == pair.phone.call("list")["digest"])
    }

    @Test(arguments: ["unix", "unix-seqpacket", "unix-datagram"])
    func every_kind_of_socket_carries_the_same(scheme: String) throws {
        let pair = try Pair(bench, link: bench.link(scheme))
        #expect(try pair.synchronize(bench.list(count: 60))["records"] == 60)
        try pair.watch.call("dose.record", ["index": 3])
        #expect(try pair.phone.wait("dose.arrived")["new"] == true)
    }

    @Test func pipes_given_as_descriptors_carry_the_link() throws {
        try Pair.couple(bench)
        let (down, up) = (Program.Pipe(), Program.Pipe())
        let watch = try Program(
            "WatchSim", ["--link", "fd:3,4", "--journal", bench.path("w")],
            further: [3: down.reading, 4: up.writing])
        let phone = try Program(
            "PhoneSim", ["--link", "fd:3,4", "--journal", bench.path("p")],
            further: [3: up.reading, 4: down.writing])
        for number in [down.reading, down.writing, up.reading, up.writing] { close(number) }
        try phone.wait("reachability", ["reachable": true])
        try phone.call("import", ["path": .string(bench.list())])
        try phone.call("sync")
        let digest = try phone.call("list")["digest"]
        try watch.poll("store") { $0["digest"] == digest }
    }

    @Test func the_phone_may_start_the_watch_on_a_pipe_pair() throws {
        let control = bench.path("control.sock")
        try Pair.couple(bench)
        let command =
            "exec:\(Program.path("WatchSim")) --link stdio --control unix:\(control) "
            + "--journal \(bench.path("w"))"
        let phone = try Program("PhoneSim", ["--link", command, "--journal", bench.path("p")])
        try phone.wait("reachability", ["reachable": true])
        try phone.call("import", ["path": .string(bench.list())])
        try phone.call("sync")
        try phone.poll("status") { $0["outstanding"] == 0 }
        #expect(bench.files.contains("control.sock"))
        try phone.call("quit")
        #expect(try phone.awaitEnd() == .exited(0))
        // The watch follows, and takes its socket with it.
        for _ in 0..<250 where bench.files.contains("control.sock") { usleep(20_000) }
        #expect(!bench.files.contains("control.sock"))
    }

    @Test func doses_complications_messages_and_edits_become_visible() throws {
        let pair = try Pair(bench)
        try pair.synchronize(bench.list())

        let sent = try pair.phone.call("complication.update", ["text": "take two"])
        let shown = try pair.watch.wait("complication.shown", ["text": "take two"])
        #expect(shown["msg"] == sent["msg"])
        let face = try pair.watch.call("face")
        #expect(face["complication"]?["text"] == "take two")
        #expect(
            try pair.phone.call("complication.update", ["text": "take two"])["result"] == "equal")

        let record = try pair.phone.call("medication.change", ["index": 4])["records"]?.array?.first
        let visible = try pair.watch.wait("medication.visible", ["revision": 2])
        #expect(visible["key"] == record?["key"])

        try pair.watch.call("dose.record", ["index": 2, "count": 3])
        for _ in 0..<3 { #expect(try pair.phone.wait("dose.arrived")["new"] == true) }
        #expect(try pair.phone.call("list")["doses"] == 3)

        try pair.phone.call("trace.reset")
        try pair.phone.call("send", ["kind": "message", "payload_b64": "aGFsbG8="])
        try pair.watch.wait("message.arrived", ["bytes": 5])
        try pair.phone.poll("trace.dump") { ($0["records"]?.array?.first?["rtt_ns"] != nil) }
    }

    @Test func the_last_medication_can_be_taken_off_the_watch() throws {
        let pair = try Pair(bench)
        try pair.synchronize(bench.list(count: 2))
        let removal = try pair.phone.call("medication.remove", ["index": 1])
        #expect(removal["left"] == 1)
        let gone = try pair.watch.wait("medication.visible", ["removed": true])
        #expect(gone["key"] == removal["key"])
        try pair.phone.call("medication.remove", ["index": 0])
        try pair.watch.poll("store") { $0["count"] == 0 }
        #expect(try pair.phone.call("list")["count"] == 0)
        #expect(try pair.phone.call("sync")["result"] == "not_modified")
    }

    @Test func a_killed_watch_comes_back_and_gets_the_set_again() throws {
        // Without a file the keys would end with the process.
        var pair = try Pair(bench, further: ["--unsealed"])
        try pair.synchronize(bench.list())
        pair.watch.signal(SIGKILL)
        #expect(try pair.watch.awaitEnd() == .signalled(SIGKILL))
        try pair.phone.wait("reachability", ["reachable": false])
        pair.watch = try Program("WatchSim", ["--link", bench.link(), "--unsealed"])
        try pair.awaitReachability()
        #expect(try pair.watch.call("store")["count"]?.integer ?? -1 >= 0)
        try pair.synchronize()
        #expect(try pair.watch.call("store")["count"] == 20)
    }

    @Test func a_killed_phone_comes_back_to_a_watch_that_holds_the_set() throws {
        // Without a file the keys would end with the process.
        var pair = try Pair(bench, further: ["--unsealed"])
        let file = bench.list()
        try pair.synchronize(file)
        pair.phone.signal(SIGKILL)
        #expect(try pair.phone.awaitEnd() == .signalled(SIGKILL))
        try pair.watch.wait("reachability", ["reachable": false])
        pair.phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        try pair.awaitReachability()
        let reply = try pair.synchronize(file)
        #expect(reply["result"] == "not_modified" && reply["state"] == "held")
        #expect(reply["records"] == 0)
    }

    /// The journal is in memory. Nobody can bring back or name the records that a killed process
    /// had queued. The watch knows that there was more before, and reports that something may be
    /// missing.
    @Test func a_killed_phone_loses_its_queue_and_the_watch_says_so() throws {
        // Without a file the keys would end with the process.
        var pair = try Pair(bench, further: ["--unsealed"])
        let file = bench.list()
        try pair.synchronize(file)
        try pair.watch.call("link.close")
        try pair.phone.wait("reachability", ["reachable": false])
        try pair.phone.call("medication.change", ["index": 0, "count": 3])
        #expect(try pair.phone.call("status")["outstanding"] == 3)
        pair.phone.signal(SIGKILL)
        #expect(try pair.phone.awaitEnd() == .signalled(SIGKILL))
        pair.phone = try Program("PhoneSim", ["--link", bench.link(), "--unsealed"])
        #expect(pair.phone.ready["durable"] == false)
        try pair.watch.call("link.open")
        try pair.watch.wait("counterpart", ["change": Change.lostQueue])
        // The watch may have the session before the phone has.
        try pair.awaitReachability()
        #expect(try pair.phone.call("status")["outstanding"] == 0, "they are gone")
        #expect(try pair.synchronize(file)["result"] == "not_modified", "of the file")
        // Once, not at every meeting.
        try pair.phone.call("link.close", ["abrupt": true])
        try pair.watch.wait("reachability", ["reachable": false])
        try pair.phone.call("link.open")
        try pair.awaitReachability()
        try pair.watch.call("quit")
        let said = pair.watch.errorText().split(separator: "\n").filter {
            $0.contains("what it had queued and not delivered is lost")
        }
        #expect(said.count == 1)
    }

    @Test func a_cut_link_is_opened_again_and_loses_nothing() throws {
        let pair = try Pair(bench)
        try pair.synchronize(bench.list())
        try pair.phone.call("link.close", ["abrupt": true])
        try pair.watch.wait("reachability", ["reachable": false])
        try pair.phone.call("medication.change", ["index": 0, "count": 20])
        try pair.watch.call("dose.record", ["index": 0, "count": 10])
        #expect(
            try pair.phone.request(
                "send", ["kind": "message", "payload_b64": "AA=="])["error"]?["code"]
                == "not_reachable")
        try pair.phone.call("link.open")
        try pair.awaitReachability()
        let digest = try pair.phone.call("list")["digest"]
        try pair.watch.poll("store") { $0["digest"] == digest }
        try pair.phone.poll("list") { $0["doses"] == 10 }
        #expect(try pair.phone.call("sync")["result"] == "not_modified")
    }

    @Test func a_watch_that_stops_reading_gets_everything_later() throws {
        let pair = try Pair(bench)
        try pair.synchronize(bench.list())
        pair.watch.signal(SIGSTOP)
        try pair.phone.call("medication.change", ["index": 0, "count": 2000])
        try pair.phone.call("complication.update", ["text": "later"])
        #expect(try pair.phone.call("status")["outstanding"]?.integer ?? 0 > 0)
        pair.watch.signal(SIGCONT)
        let digest = try pair.phone.call("list")["digest"]
        try pair.watch.poll("store") { $0["digest"] == digest }
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        #expect(try pair.watch.call("face")["complication"]?["text"] == "later")
    }
}
