import CPosix
import ControlProtocol
import Glibc
import NetworkEmulation
import Simulation
import Testing
import WatchProtoTransport

/// `rig link` between PhoneSim and WatchSim, and as a program of its own.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RigLinkTests {
    private let bench = Bench()

    private static func link(
        _ near: String, _ far: String, _ further: [String] = []
    ) throws -> Program {
        try Program(
            "rig", ["link", "--listen", near, "--connect", far, "--seed", "42"] + further)
    }

    private func pair(_ near: String, _ far: String) throws -> Pair {
        try Pair(
            bench, phone: Program("PhoneSim", ["--link", near]),
            watch: Program("WatchSim", ["--link", far]))
    }

    /// Sends a load one way, waits until all of it is settled, and checks both traces.
    private func load(_ pair: Pair) throws {
        try pair.phone.call(
            "load.start",
            [
                "mix": [
                    ["kind": "medication", "rate_per_s": 30],
                    ["kind": "complication", "rate_per_s": 10],
                ], "duration_ms": 1500, "seed": 7,
            ])
        let done = try pair.phone.wait("load.done")
        try pair.phone.poll("status") { $0["outstanding"] == 0 }
        try Traces(pair).check(sent: done["sent"]?.integer ?? 0)
    }

    private func lost(_ counters: JSONValue, _ cause: String) -> Int64 {
        ["up", "down"].reduce(0) { $0 + (counters[$1]?["lost"]?[cause]?.integer ?? 0) }
    }

    @Test func records_cross_a_lossy_link_once_and_its_conditions_change_while_it_runs() throws {
        let (near, far) = (Endpoint.fresh("?datagram=1200"), Endpoint.fresh("?datagram=1200"))
        let rig = try Self.link(near, far, ["--profile", "3g"])
        #expect(rig.ready["role"] == "link" && rig.ready["seed"] == 42)
        #expect(rig.ready["effective"]?["up"]?["delay_ns"] == 150_000_000)
        let pair = try pair(near, far)
        #expect(try pair.synchronize(bench.list(count: 40))["records"] == 40)
        try load(pair)
        let before = try rig.call("link.counters")
        #expect(before["up"]?["delivered"]?.integer ?? 0 > 10)
        // Another profile, then that one with a lot of loss.
        let edge = try rig.call("link.set", ["profile": "4g-good", "one_way": true])["effective"]
        #expect(edge?["name"] == "4g-good" && edge?["up"]?["delay_ns"] == 50_000_000)
        let bad = try rig.call("link.set", ["set": "loss=15%,burst=2", "down": "delay=5ms"])
        #expect(bad["effective"]?["down"]?["delay_ns"] == 5_000_000)
        #expect(bad["effective"]?["up"]?["loss"] == 0.15)
        try load(pair)
        let after = try rig.call("link.counters")
        #expect(lost(after, "loss") > lost(before, "loss"))
        // Gone, and back: what was changed meanwhile arrives.
        #expect(try rig.call("link.set", ["profile": "5g"])["is_down"] == false)
        #expect(try rig.call("link.down")["is_down"] == true)
        try pair.phone.call("medication.change", ["index": 3])
        #expect(try pair.phone.call("sync")["state"] != "held")
        #expect(try rig.call("link.up")["is_down"] == false)
        let digest = try pair.phone.call("list")["digest"]
        try pair.watch.poll("store") { $0["digest"] == digest }
        rig.closeInput()
        let bye = try #require(try rig.rest().last)
        #expect(bye["event"] == "bye" && bye["reason"] == "stdin_closed")
        #expect(lost(bye["counters"] ?? .null, "outage") > 0)
        #expect(try rig.awaitEnd() == .exited(0))
        #expect(rig.errorText().contains("rig link: handed over later than planned: p50 "))
    }

    @Test func what_would_change_nothing_is_refused() throws {
        let rig = try Self.link(Endpoint.fresh("?datagram=1200"), Endpoint.fresh("?datagram=1200"))
        func refusal(_ fields: JSONValue) throws -> JSONValue? {
            try rig.request("link.set", fields)["error"]
        }
        let typo = try refusal(["sett": "loss=0%"])
        #expect(typo?["code"] == "unknown_field" && typo?["did_you_mean"] == "set")
        let far = try refusal(["bandwidth": 7])
        #expect(far?["field"] == "bandwidth" && far?["known"]?.array?.count == 5)
        let empty = try refusal([:])
        #expect(empty?["code"] == "missing_field" && empty?["field"] == "set")
        // Nobody writes to it: who reads it would wait for ever.
        let pipe = bench.path("f.json")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        defer { _ = unsafe unlink(pipe) }
        let named = try refusal(["profile": .string(pipe)])
        #expect(named?["code"] == "file_missing")
        #expect(named?["detail"]?.string?.contains("it is a named pipe, not a file") == true)
        #expect(try rig.call("link.show")["is_down"] == false)
    }

    @Test func a_packet_that_was_named_is_dropped_and_no_other() throws {
        let (near, far) = (Endpoint.fresh("?datagram=1200"), Endpoint.fresh("?datagram=1200"))
        let rig = try Self.link(near, far)
        let pair = try pair(near, far)
        try pair.phone.call(
            "wait",
            [
                "until": "status", "holds": ["outstanding": 0, "reachable": true],
                "timeout_ms": 8000,
            ])
        try rig.call("link.drop", ["up": [1, 2]])
        let sent = try pair.phone.call("send", ["kind": "user_info", "text": "dropped"])
        try pair.phone.wait("record.settled", ["msg": sent["msg"] ?? 0])
        #expect(try pair.watch.wait("record.arrived")["text"] == "dropped")
        let counters = try rig.call("link.counters")
        #expect(counters["up"]?["dropped"] == 2 && counters["down"]?["dropped"] == 0)
        for fields: JSONValue in [[:], ["up": [0]], ["down": 3], ["up": []]] {
            let refused = try rig.request("link.drop", fields)
            #expect(refused["ok"] == false, "\(fields)")
        }
        let stream = try Self.link("unix:\(bench.path("a"))", "unix:\(bench.path("b"))")
        let unfit = try stream.request("link.drop", ["up": [1]])
        #expect(unfit["error"]?["code"] == "link_unsuitable")
    }

    @Test func blackouts_lose_nothing_for_good() throws {
        let (near, far) = (Endpoint.fresh(), Endpoint.fresh())
        let rig = try Self.link(
            near, far, ["--set", "rtt=20ms,rate=2Mbit/s,blackout=300ms every 1s"])
        let pair = try pair(near, far)
        #expect(try pair.synchronize(bench.list(count: 40))["records"] == 40)
        try load(pair)
        #expect(lost(try rig.call("link.counters"), "outage") > 0)
    }

    @Test(arguments: ["unix", "unix-seqpacket", "unix-datagram"])
    func every_kind_of_socket_is_conditioned(_ scheme: String) throws {
        let (near, far) = ("\(scheme):\(bench.path("a"))", "\(scheme):\(bench.path("b"))")
        let rig = try Self.link(near, far, ["--set", "rtt=40ms,rate=5Mbit/s,loss=2%"])
        let pair = try pair(near, far)
        #expect(try pair.synchronize(bench.list(count: 40))["records"] == 40)
        try load(pair)
        rig.signal(SIGTERM)
        #expect(try rig.rest().last?["reason"] == "interrupted")
        #expect(try rig.awaitEnd() == .exited(130))
        pair.phone.closeInput()
        pair.watch.closeInput()
        _ = try pair.phone.awaitEnd()
        _ = try pair.watch.awaitEnd()
        #expect(bench.files == ["list.json"])
    }

    @Test func the_same_conditioner_stands_in_this_process() throws {
        let (near, far) = (Endpoint.fresh(), Endpoint.fresh())
        let conditioner = try LinkConditioner(
            listening: LinkAddress(near), connecting: LinkAddress(far),
            conditions: NetworkConditions(try #require(LinkProfile.named("5g"))), seed: 1)
        defer { conditioner.close() }
        let pair = try pair(near, far)
        #expect(try pair.synchronize(bench.list(count: 40))["records"] == 40)
        conditioner.setDown(true)
        try pair.phone.call("medication.change", ["index": 3])
        conditioner.setDown(false)
        let digest = try pair.phone.call("list")["digest"]
        try pair.watch.poll("store") { $0["digest"] == digest }
    }

    /// The records of a list fill up packets as large as the carrier's or, while the rate of the
    /// link is unknown, of 1,200 bytes, and none is larger; five bytes are the carrier's header.
    /// How many packets there are follows also from how long it all takes.
    @Test func frames_are_packed_to_the_largest_datagram() throws {
        var largest: [Int] = []
        for bytes in [244, 65_502] {
            let bench = Bench()
            let (near, far) = (
                Endpoint.fresh("?datagram=\(bytes)"), Endpoint.fresh("?datagram=\(bytes)")
            )
            let conditioner = try LinkConditioner(
                listening: LinkAddress(near), connecting: LinkAddress(far),
                conditions: NetworkConditions(), seed: 1)
            defer { conditioner.close() }
            let pair = try Pair(
                bench, phone: Program("PhoneSim", ["--link", near]),
                watch: Program("WatchSim", ["--link", far]))
            _ = conditioner.takeOffered()
            #expect(try pair.synchronize(bench.list(count: 100))["records"] == 100)
            let counters = conditioner.counters
            #expect(counters.up.ignored == 0 && counters.down.ignored == 0)
            largest.append(try #require(conditioner.takeOffered().map(\.bytes).max()) - 5)
        }
        #expect((200...244).contains(largest[0]), "\(largest)")
        #expect((1_000...1_200).contains(largest[1]), "\(largest)")
    }

    @Test func a_bad_command_is_refused_and_changes_nothing() throws {
        let rig = try Self.link(Endpoint.fresh(), Endpoint.fresh())
        let before = try rig.call("link.show")["effective"]
        func error(_ command: String, _ fields: JSONValue = [:]) throws -> JSONValue? {
            try rig.request(command, fields)["error"]
        }
        #expect(try error("link.sett")?["did_you_mean"] == "link.set")
        let profile = try error("link.set", ["profile": "egde"])
        #expect(profile?["code"] == "unknown_profile")
        #expect(profile?["detail"]?.string?.contains("Did you mean 'edge'?") == true)
        #expect(try error("link.set", ["profile": "no/file.json"])?["code"] == "file_missing")
        let unit = try error("link.set", ["set": "rtt=30"])
        #expect(unit?["code"] == "bad_field" && unit?["field"] == "set")
        #expect(unit?["found"] == "rtt is 30, a unit is needed (ns, us, ms, s, min or h)")
        #expect(try error("link.set", ["up": "rtt=30ms"])?["field"] == "up")
        #expect(try error("link.set", ["one_way": 1])?["field"] == "one_way")
        bench.write(#"{"loss": "120%"}"#, to: bench.path("bad.json"))
        let file = try error("link.set", ["profile": .string(bench.path("bad.json"))])
        #expect(file?["code"] == "bad_file")
        #expect(file?["detail"]?.string?.contains("1:10: error: loss is 120%") == true)
        #expect(try rig.call("link.show")["effective"] == before)
        try rig.call("quit")
        #expect(try rig.awaitEnd() == .exited(0))
    }
}

/// The command lines of `rig link` and `rig profiles`.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RigLinkCommandLineTests {
    private let bench = Bench()

    private func run(_ words: [String]) throws -> (code: Program.End, text: String) {
        let program = try Program("rig", words, awaitsReady: false)
        let end = try program.awaitEnd()
        return (end, program.errorText())
    }

    @Test func what_is_wrong_is_said_with_the_way_out() throws {
        let (near, far) = (Endpoint.fresh(), Endpoint.fresh())
        let ends = ["link", "--listen", near, "--connect", far]
        let missing = try run(["link"])
        #expect(missing.code == .exited(64))
        #expect(missing.text.contains("Missing option '--listen <address>'."))
        let unit = try run(ends + ["--set", "rtt=30"])
        #expect(unit.code == .exited(64))
        #expect(
            unit.text.hasPrefix(
                "Error: The value 'rtt=30' is invalid for '--set': rtt is 30, a unit is needed "
                    + "(ns, us, ms, s, min or h).\nHelp:  --set <changes>  "))
        let profile = try run(ends + ["--profile", "3gg"])
        #expect(profile.code == .exited(64))
        #expect(profile.text.hasPrefix("Error: There is no profile '3gg'. Did you mean '3g'?"))
        #expect(try run(ends + ["--profile", "no/car.json"]).code == .exited(66))
        bench.write(
            "{\n  \"loss\": \"120%\",\n  \"rtt\": 30,\n  \"format\": \"watchproto.link/1\"\n}\n",
            to: bench.path("car.json"))
        let file = try run(ends + ["--profile", bench.path("car.json")])
        #expect(file.code == .exited(65))
        #expect(file.text.contains("car.json:2:11: error: loss is 120%, must be 0% to 100%\n"))
        #expect(file.text.hasSuffix("2 errors in 1 file; nothing was run.\n"))
        let kinds = try run(["link", "--listen", near, "--connect", "unix:b"])
        #expect(kinds.code == .exited(64))
        #expect(kinds.text.contains("are of different kinds"))
        let holder = try Program("WatchSim", ["--link", near, "--unsealed"])
        let held = try run(ends)
        #expect(held.code == .exited(69))
        #expect(held.text.contains("is in use by another socket of this host"))
        #expect(try holder.call("status")["ok"] == true)
        let nowhere = try run(
            ["link", "--listen", "unix:\(bench.path("no/a"))", "--connect", "unix:b"])
        #expect(nowhere.code == .exited(66))
    }

    @Test func a_profile_a_file_and_a_change_are_shown_as_they_were_understood() throws {
        bench.write(
            #"{"format": "watchproto.link/1", "profile": "3g", "loss": "1%"}"#,
            to: bench.path("car.json"))
        let program = try Program(
            "rig", ["profiles", bench.path("car.json"), "--json", "--up", "delay=7ms"],
            awaitsReady: false)
        #expect(try program.awaitEnd() == .exited(0))
        let deadline = watchproto_monotonic_nanoseconds() + 5_000_000_000
        var bytes: [UInt8] = []
        while let chunk = Program.read(program.output, until: deadline), !chunk.isEmpty {
            bytes += chunk
        }
        let effective = try JSONParser.parse(bytes).value.array?.first?["effective"]
        #expect(effective?["name"] == "car")
        #expect(effective?["up"]?["delay_ns"] == 7_000_000)
        #expect(effective?["down"]?["delay_ns"] == 150_000_000)
        #expect(effective?["down"]?["loss"] == 0.01)
    }
}
